import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { multipartBody } from './multipart.ts'
import { UsageError } from './options.ts'
import { filesToUpload, mainPaths } from './upload-files.ts'

function folderWith(names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-upload-'))
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), name)
  }
  return folder
}

const names = async (path: string): Promise<string[]> =>
  (await filesToUpload(path)).map((one) => one.name).sort()

describe('filesToUpload', () => {
  it('sends a shapefile with its own sidecars, in any letter case, and with no other file', async (t) => {
    const folder = folderWith(['a.shp', 'a.DBF', 'a.shp.xml', 'a.shx', 'ab.dbf', 'b.shp', 'a.csv'])
    t.after(() => rmSync(folder, { recursive: true }))
    assert.deepEqual(await names(join(folder, 'a.shp')), ['a.DBF', 'a.shp', 'a.shp.xml', 'a.shx'])
  })

  it('sends all of a folder but hidden files', async (t) => {
    const folder = folderWith(['a.csv', 'sub/b.csv', '.hidden'])
    t.after(() => rmSync(folder, { recursive: true }))
    assert.deepEqual(await names(folder), ['a.csv', 'sub/b.csv'])
  })

  it('says that a path does not exist', async () => {
    await assert.rejects(filesToUpload('/nowhere/x.csv'), UsageError)
  })
})

describe('mainPaths', () => {
  it('leaves out the sidecars of a shapefile that is named too', () => {
    assert.deepEqual(mainPaths(['a.dbf', 'a.shp', 'a.prj', 'b.dbf', 'x/a.dbf']), [
      'a.shp',
      'b.dbf',
      'x/a.dbf',
    ])
  })
})

describe('multipartBody', () => {
  it('is as long as announced, and quotes file names', async (t) => {
    const folder = folderWith(['one.csv', 'two.csv'])
    t.after(() => rmSync(folder, { recursive: true }))
    const files = await filesToUpload(folder)
    let sent = 0
    const renamed = files.map((file, at) => (at === 0 ? { ...file, name: 'a"b\n.csv' } : file))
    const { headers, stream } = multipartBody(renamed, (bytes) => {
      sent = bytes
    })
    const body = await buffer(stream)
    assert.equal(headers['content-length'], body.length)
    assert.equal(sent, 'one.csvtwo.csv'.length)
    assert.match(body.toString(), /filename="a%22b%0A\.csv"/)
  })
})
