import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  findTileMatrixSet,
  getTileMatrix,
  getTileMatrixSet,
  isTileOf,
  tileEnvelope,
  tileLimits,
  tileMatrixSetIds,
  tilesOf,
} from './tile-matrix-sets.ts'

const mercator = getTileMatrixSet('WebMercatorQuad')
const degrees = getTileMatrixSet('WorldCRS84Quad')

function near(found: number, wanted: number): void {
  assert.ok(Math.abs(found / wanted - 1) < 1e-9, `${found} is not ${wanted}`)
}

describe('tile matrix sets', () => {
  it('have the scales and cell sizes of the annexes of OGC 17-083r4', () => {
    near(getTileMatrix(mercator, 0).scaleDenominator, 559082264.028717)
    near(getTileMatrix(mercator, 22).scaleDenominator, 133.295598990611)
    near(getTileMatrix(mercator, 0).cellSize, 156543.033928041)
    near(getTileMatrix(degrees, 0).scaleDenominator, 279541132.014358)
    near(getTileMatrix(degrees, 17).scaleDenominator, 2132.72958384978)
    near(getTileMatrix(degrees, 0).cellSize, 0.703125)
    const { matrixWidth, matrixHeight, pointOfOrigin, tileWidth } = getTileMatrix(degrees, 3)
    assert.deepEqual([matrixWidth, matrixHeight, pointOfOrigin, tileWidth], [16, 8, [-180, 90], 256])
    assert.deepEqual(getTileMatrix(mercator, 0).pointOfOrigin, [-20037508.342789244, 20037508.342789244])
  })

  it('are found by the identifiers that they have', () => {
    for (const id of tileMatrixSetIds) assert.equal(findTileMatrixSet(id)?.id, id)
    assert.equal(findTileMatrixSet('webmercatorquad'), undefined)
    assert.equal(findTileMatrixSet('__proto__'), undefined)
  })

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

  it('tell which tiles an envelope touches', () => {
    const envelope = tileEnvelope(mercator, { z: 5, x: 17, y: 10 })
    const inside = { ...envelope, maxX: envelope.maxX - 1, minY: envelope.minY + 1 }
    assert.deepEqual(tileLimits(mercator, 5, inside), {
      tileMatrix: '5',
      minTileRow: 10,
      maxTileRow: 10,
      minTileCol: 17,
      maxTileCol: 17,
    })
    assert.deepEqual(
      [...tilesOf(mercator, 6, inside)].map(({ x, y }) => `${x}/${y}`),
      ['34/20', '35/20', '34/21', '35/21'],
    )
    const world = { minX: -1e9, minY: -1e9, maxX: 1e9, maxY: 1e9 }
    assert.equal([...tilesOf(degrees, 1, world)].length, 8)
    assert.equal(tileLimits(mercator, 3, { minX: 3e7, minY: 0, maxX: 4e7, maxY: 1 }), undefined)
    assert.deepEqual([...tilesOf(mercator, 3, { minX: 3e7, minY: 0, maxX: 4e7, maxY: 1 })], [])
  })
})
