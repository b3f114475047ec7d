import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Reprojector } from '../geo/crs-projector.ts'
import { createReprojector } from '../geo/crs-reproject.ts'
import type { Envelope } from '../geo/envelope.ts'
import { bufferedEnvelope, tableBoxes } from './table-boxes.ts'
import type { TileAddress, TileMatrixSetId } from './tile-matrix-sets.ts'
import { getTileMatrixSet, tileEnvelope } from './tile-matrix-sets.ts'

async function boxesOf(
  crs: string,
  tile: TileAddress,
  { id = 'WebMercatorQuad', extent }: { id?: TileMatrixSetId; extent?: Envelope } = {},
): Promise<Envelope[]> {
  const set = getTileMatrixSet(id)
  return await tableBoxes({
    set,
    box: bufferedEnvelope(set, tile),
    crs,
    toTable: await createReprojector(set.srs, crs, { canUsePrograms: false }),
    extent,
  })
}

const holds = (boxes: Envelope[], x: number, y: number): boolean =>
  boxes.some((box) => x >= box.minX && x <= box.maxX && y >= box.minY && y <= box.maxY)

const world = { minX: -180, minY: -90, maxX: 180, maxY: 90 }

describe('the boxes of a tile in the CRS of a table', () => {
  it('are one for a table within the world and a tile away from its edges', async () => {
    assert.equal((await boxesOf('EPSG:4326', { z: 5, x: 16, y: 10 }, { extent: world })).length, 1)
    assert.equal((await boxesOf('EPSG:25832', { z: 8, x: 134, y: 84 })).length, 1)
  })

  it('lie on both sides of the antimeridian, where the buffer reaches across it', async () => {
    const boxes = await boxesOf('EPSG:4326', { z: 5, x: 0, y: 10 }, { extent: world })
    assert.ok(holds(boxes, -179.9, 55) && holds(boxes, 179.99, 55) && !holds(boxes, 170, 55))
    assert.equal(boxes.length, 2)
    const mercator = await boxesOf('EPSG:3857', { z: 5, x: 31, y: 10 })
    assert.ok(holds(mercator, 20037500, 7e6) && holds(mercator, -20037500, 7e6))
  })

  it('follow rows that go on beyond 180 degrees', async () => {
    const extent = { minX: 100, minY: -50, maxX: 300, maxY: 50 }
    const boxes = await boxesOf('EPSG:4326', { z: 4, x: 1, y: 7 }, { extent })
    assert.ok(boxes.length === 1 && holds(boxes, 360 - 150, 10))
    assert.equal((await boxesOf('EPSG:4326', { z: 4, x: 8, y: 7 }, { extent })).length, 0)
  })

  it('hold every place of the tile, in whatever CRS', async () => {
    const codes = [4326, 4258, 25832, 2056, 27700, 28992, 3035, 2154, 3031, 3413, 32760, 5070, 31467]
    for (const srs of codes.map((code) => `EPSG:${code}`)) {
      for (const id of ['WebMercatorQuad', 'WorldCRS84Quad'] as const) {
        const set = getTileMatrixSet(id)
        const toTable = await createReprojector(set.srs, srs, { canUsePrograms: false })
        for (const tile of [
          { z: 0, x: 0, y: 0 },
          { z: 1, x: 1, y: 0 },
          { z: 4, x: 8, y: 5 },
          { z: 9, x: 268, y: 168 },
          { z: 3, x: 7, y: 7 },
        ]) {
          const boxes = await tableBoxes({ set, box: bufferedEnvelope(set, tile), crs: srs, toTable })
          const { minX, minY, maxX, maxY } = tileEnvelope(set, tile)
          for (let i = 0; i < 400; i += 1) {
            const place = {
              x: minX + ((maxX - minX) * (i % 20)) / 19.3,
              y: minY + ((maxY - minY) * Math.floor(i / 20)) / 19.3,
            }
            toTable.transformPlace?.(place, 0)
            if (!(Math.abs(place.x) + Math.abs(place.y) < 1e9)) continue
            assert.ok(holds(boxes, place.x, place.y), `${srs} ${id} ${JSON.stringify([tile, place, boxes])}`)
          }
        }
      }
    }
  })

  it('are none where no place of the tile has an image', async () => {
    const set = getTileMatrixSet('WebMercatorQuad')
    /** A projection of one half of the earth. */
    const toTable: Reprojector = {
      isIdentity: false,
      transformPlace: (place) => {
        if (place.x > 1e7 || place.x < -1e7) place.x = Number.NaN
      },
      transform: () => undefined,
      messages: [],
      close: async () => undefined,
    }
    const boxes = async (tile: TileAddress): Promise<number> =>
      (await tableBoxes({ set, box: bufferedEnvelope(set, tile), crs: 'EPSG:2056', toTable })).length
    assert.equal(await boxes({ z: 12, x: 4090, y: 2040 }), 0)
    assert.equal(await boxes({ z: 12, x: 2100, y: 1400 }), 1)
  })
})
