import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tileIdToZxy, zxyToTileId } from 'pmtiles'
import { tileAlong, tileIdOf } from './tile-ids.ts'

describe('numbers of tiles along the curve', () => {
  it('are those of the reader of PMTiles, at every zoom', () => {
    for (let z = 0; z <= 22; z += 1) {
      for (let round = 0; round < 300; round += 1) {
        const place = () => Math.floor(Math.random() * 2 ** z)
        const tile = { z, x: place(), y: place() }
        const id = tileIdOf(tile)
        assert.equal(id, zxyToTileId(z, tile.x, tile.y))
        assert.deepEqual(tileIdToZxy(id), [z, tile.x, tile.y])
        assert.deepEqual(tileAlong(z, id - (4 ** z - 1) / 3), tile)
      }
    }
  })
})
