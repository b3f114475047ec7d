import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Position } from './footprint.ts'
import { footprintOf, footprintsOf } from './footprint.ts'

function box(west: number, south: number, east: number, north: number): Position[] {
  return [
    [west, north],
    [west, south],
    [east, south],
    [east, north],
  ]
}

describe('the footprint of an item', () => {
  it('is a closed ring, counterclockwise, with its box', () => {
    const expected = [
      [8, 50],
      [8, 48],
      [10, 48],
      [10, 50],
      [8, 50],
    ]
    assert.deepEqual(footprintOf(box(8, 48, 10, 50)), {
      geometry: { type: 'Polygon', coordinates: [expected] },
      bbox: [8, 48, 10, 50],
    })
    const clockwise = footprintOf(box(8, 48, 10, 50).toReversed())
    const [ring = []] = (clockwise?.geometry.coordinates ?? []) as number[][][]
    const area = ring.slice(1).reduce((sum, [x = 0, y = 0], at) => {
      const [beforeX = 0, beforeY = 0] = ring[at] ?? []
      return sum + beforeX * y - x * beforeY
    }, 0)
    assert.equal(area, 8)
  })

  it('is two polygons across the antimeridian, and its box has the larger longitude first', () => {
    const expected = {
      geometry: {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [179, 1],
              [179, -1],
              [180, -1],
              [180, 1],
              [179, 1],
            ],
          ],
          [
            [
              [-180, -1],
              [-178, -1],
              [-178, 1],
              [-180, 1],
              [-180, -1],
            ],
          ],
        ],
      },
      bbox: [179, -1, -178, 1],
    }
    const jumping: Position[] = [
      [179, 1],
      [179, -1],
      [-178, -1],
      [-178, 1],
    ]
    for (const ring of [jumping, box(179, -1, 182, 1).slice(0), box(-181, -1, -178, 1)])
      assert.deepEqual(footprintOf(ring), expected)
  })

  it('is a whole belt for a raster around a pole, or around the earth', async () => {
    const side = 1_000_000
    const [polar] = await footprintsOf([box(-side, -side, side, side)], 'EPSG:3995')
    assert.equal(polar?.geometry.type, 'Polygon')
    const [west, south = 0, east, north] = polar?.bbox ?? []
    assert.deepEqual([west, east, north], [-180, 180, 90])
    assert.ok(south > 70 && south < 85, String(south))
    const [world, shifted] = await footprintsOf([box(-180, -90, 180, 90), box(0, -90, 360, 90)], 'EPSG:4326')
    assert.deepEqual(world?.bbox, [-180, -90, 180, 90])
    assert.deepEqual(shifted?.bbox, [-180, -90, 180, 90])
  })

  it('does not exist without a CRS, an area or finite positions', async () => {
    assert.deepEqual(await footprintsOf([box(0, 0, 1, 1)], undefined), [undefined])
    assert.deepEqual(await footprintsOf([[]], 'EPSG:4326'), [undefined])
    assert.equal(footprintOf(box(5, 5, 5, 5)), undefined)
    assert.equal(footprintOf(box(0, 0, Number.NaN, 1)), undefined)
  })
})
