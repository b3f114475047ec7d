import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { dataFile, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { writeShapefile } from '../../../tests/support/shapefile-writer.ts'
import { detectFormat } from '../registry.ts'
import { dbase } from './dbase.ts'

const folder = mkdtempSync(join(tmpdir(), 'dbase-'))
after(() => rmSync(folder, { recursive: true }))

/** Creates a table with a number and a memo, its second row deleted, without the .shp written with it. */
function table(name: string): string {
  const fields = [
    { name: 'id', type: 'N', width: 3 },
    { name: 'note', type: 'M', width: 10 },
  ]
  const rows = [1, 2, 3].map((id) => ({ shape: null, values: [id, '1'], isDeleted: id === 2 }))
  writeShapefile(join(folder, `${name}.shp`), { shapeType: 0, fields, rows })
  for (const extension of ['shp', 'shx']) rmSync(join(folder, `${name}.${extension}`))
  const memo = Buffer.concat([Buffer.alloc(512), Buffer.from('gr\u00fc\u00dfe\x1a\x1a', 'latin1')])
  writeFileSync(join(folder, `${name}.dbt`), memo)
  return join(folder, `${name}.dbf`)
}

describe('a .dbf that stands alone', () => {
  it('is a table without geometry, with its long texts', async () => {
    const path = table('alone')
    assert.equal((await detectFormat(dataFile(path), readContext().signal))?.name, 'dBASE')
    const { layer, rows, rejects } = await readLayer(dbase, path)
    assert.deepEqual([layer.name, layer.featureCount, layer.schema.geometry], ['alone', 2, undefined])
    assert.deepEqual(
      rows.map(({ row, geometry, values }) => [row, geometry, ...values]),
      [
        [1, null, 1, 'gr\u00fc\u00dfe'],
        [3, null, 3, 'gr\u00fc\u00dfe'],
      ],
    )
    assert.deepEqual(rejects, [])
    assert.deepEqual(
      layer.messages.map(({ code }) => code),
      ['charset-assumed', 'deleted-rows'],
    )
  })

  it('is not a table where a .shx tells that its .shp is missing', async () => {
    const path = table('part')
    writeFileSync(join(folder, 'part.shx'), '')
    assert.equal(await detectFormat(dataFile(path), readContext().signal), undefined)
  })

  it('says what is wrong with a table of dBASE 7, and takes no other file for a table', async () => {
    const path = table('seven')
    const bytes = readFileSync(path)
    bytes[0] = 0x8c
    writeFileSync(path, bytes)
    await assert.rejects(readLayer(dbase, path), { code: 'bad-dbf', message: /dBASE 7/ })
    for (const content of ['<!DOCTYPE html><html><body>Not found</body></html>', '', '\u0003']) {
      const other = join(folder, 'other.dbf')
      writeFileSync(other, content)
      assert.equal(await detectFormat(dataFile(other), readContext().signal), undefined)
    }
  })
})
