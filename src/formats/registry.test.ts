import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { dataFile } from '../../tests/support/read-layer.ts'
import { detectFormat } from './registry.ts'

const folder = mkdtempSync(join(tmpdir(), 'registry-'))
after(() => rmSync(folder, { recursive: true }))
const fixtures = join(import.meta.dirname, '../../tests/fixtures')
const { signal } = new AbortController()

async function detected(path: string): Promise<string | undefined> {
  return (await detectFormat(dataFile(path), signal))?.name
}

describe('detectFormat', () => {
  it('finds the format of a file by its content', async () => {
    assert.equal(await detected(join(fixtures, 'shapefile/utf.shp')), 'Shapefile')
    assert.equal(await detected(join(fixtures, 'flatgeobuf/countries.fgb')), 'FlatGeobuf')
  })

  it('is not led astray by a wrong extension', async () => {
    copyFileSync(join(fixtures, 'flatgeobuf/countries.fgb'), join(folder, 'wrong.shp'))
    assert.equal(await detected(join(folder, 'wrong.shp')), 'FlatGeobuf')
    copyFileSync(join(fixtures, 'shapefile/utf.shp'), join(folder, 'wrong.fgb'))
    assert.equal(await detected(join(folder, 'wrong.fgb')), 'Shapefile')
  })

  it('finds none for other bytes, an empty file among them', async () => {
    writeFileSync(join(folder, 'empty.shp'), '')
    writeFileSync(
      join(folder, 'noise.bin'),
      Uint8Array.from({ length: 70_000 }, (_, index) => (index * 37) & 255),
    )
    assert.equal(await detected(join(folder, 'empty.shp')), undefined)
    assert.equal(await detected(join(folder, 'noise.bin')), undefined)
  })

  it('stops when it is told to', async () => {
    await assert.rejects(
      detectFormat(dataFile(join(fixtures, 'shapefile/utf.shp')), AbortSignal.abort(new Error('no'))),
      /no/,
    )
  })
})
