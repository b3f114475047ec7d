import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { PMTiles } from 'pmtiles'
import { PmtilesWriter } from './pmtiles-writer.ts'
import { tileAlong } from './tile-ids.ts'

const count = 60_000
const zoom = 9

/** The first thousand are alike, and so is every tenth; the others have bytes of their own. */
function textOf(along: number): string {
  return along < 1000 || along % 10 === 0 ? 'sea' : `tile ${along} ${'x'.repeat(along % 37)}`
}

describe('a PMTiles file with leaf directories', () => {
  it('gives every tile, and tiles that are alike once', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'terrane-pmtiles-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'a.pmtiles')
    const writer = new PmtilesWriter(path)
    // Every seventh tile is empty.
    const places = Array.from({ length: count }, (_, along) => along).filter((along) => along % 7 !== 3)
    writer.add(places.map((along) => ({ tile: tileAlong(zoom, along), bytes: gzipSync(textOf(along)) })))
    const layer = { id: 'a', fields: {} }
    const facts = {
      name: 'A',
      minZoom: zoom,
      maxZoom: zoom,
      bounds: [-180, -85, 180, 85],
      layer,
      version: 4,
    } as const
    const sizeBytes = writer.finish({ ...facts, bounds: [...facts.bounds] })
    const bytes = readFileSync(path)
    assert.equal(bytes.length, sizeBytes)
    const archive = new PMTiles({
      getKey: () => 'a',
      getBytes: async (offset, length) => ({
        data: new Uint8Array(bytes.subarray(offset, offset + length)).buffer,
      }),
    })
    const header = await archive.getHeader()
    assert.ok((header.leafDirectoryLength ?? 0) > 0)
    assert.equal(header.numAddressedTiles, places.length)
    assert.equal(header.numTileContents, new Set(places.map(textOf)).size)
    assert.ok(header.numTileEntries < places.length)
    for (let along = 0; along < count; along += 13) {
      const { z, x, y } = tileAlong(zoom, along)
      const found = await archive.getZxy(z, x, y)
      const text = found === undefined ? undefined : Buffer.from(found.data).toString()
      assert.equal(text, along % 7 === 3 ? undefined : textOf(along))
    }
  })
})
