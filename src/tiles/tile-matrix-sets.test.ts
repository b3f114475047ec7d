import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getTileMatrixSet, isTileOf, tileEnvelope } from './tile-matrix-sets.ts'

const mercator = getTileMatrixSet('WebMercatorQuad')
const degrees = getTileMatrixSet('WorldCRS84Quad')

describe('tile matrix sets', () => {
  it('have tiles from zoom 0 to 22, and none beside them', () => {
    assert.ok(isTileOf(mercator, { z: 22, x: 2 ** 22 - 1, y: 2 ** 22 - 1 }))
    assert.ok(isTileOf(degrees, { z: 0, x: 1, y: 0 }))
    for (const tile of [
      { z: 0, x: 1, y: 0 },
      { z: 23, x: 0, y: 0 },
      { z: 1, x: -1, y: 0 },
      { z: 1, x: 0.5, y: 0 },
      { z: Number.NaN, x: 0, y: 0 },
      { z: 2, x: 0, y: 4 },
    ]) {
      assert.ok(!isTileOf(mercator, tile), JSON.stringify(tile))
    }
  })

  it('meet without a gap', () => {
    const left = tileEnvelope(degrees, { z: 7, x: 100, y: 20 })
    const right = tileEnvelope(degrees, { z: 7, x: 101, y: 20 })
    const below = tileEnvelope(degrees, { z: 7, x: 100, y: 21 })
    assert.equal(left.maxX, right.minX)
    assert.equal(left.minY, below.maxY)
  })
})
