import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LayerRecord } from '../../catalog/records.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { tileExtentOf, toTileExtent } from './tile-bounds.ts'

function layerAt(srs: string, [minX, minY, maxX, maxY]: [number, number, number, number]): LayerRecord {
  return { details: { srs, envelope: { minX, minY, maxX, maxY } } } as unknown as LayerRecord
}

function rounded(numbers: readonly number[] | undefined): number[] | undefined {
  return numbers?.map((one) => Math.round(one * 100) / 100 + 0)
}

const mercator = 85.05

describe('placeOf', () => {
  const cases: [behaviour: string, layers: LayerRecord[], bounds: number[] | undefined, center?: number[]][] =
    [
      [
        'tells bounds in longitude and latitude',
        [layerAt('EPSG:4326', [5, 45, 15, 55])],
        [5, 45, 15, 55],
        [10, 50.26, 4],
      ],
      [
        'of projected data',
        [layerAt('EPSG:25832', [500000, 5500000, 500000, 5500000])],
        [9, 49.65, 9, 49.65],
        [9, 49.65, 14],
      ],
      [
        'ends at the edge of web mercator',
        [layerAt('EPSG:4326', [-180, -90, 180, 90])],
        [-180, -mercator, 180, mercator],
        [0, 0, 0],
      ],
      [
        'is there for data beyond that edge',
        [layerAt('EPSG:4326', [10, 86, 20, 88])],
        [10, mercator, 20, mercator],
        [15, mercator, 5],
      ],
      // Fiji in its own grid, on both sides of the antimeridian.
      [
        'goes the whole way round across the antimeridian, but its center does not',
        [layerAt('EPSG:3832', [2800000, -2300000, 3900000, -1500000])],
        [-180, -20.35, 180, -13.44],
        [-179.91, -16.93, 5],
      ],
      [
        'the same with longitudes beyond 180',
        [layerAt('EPSG:4326', [170, -20, 190, -10])],
        [-180, -20, 180, -10],
        [180, -15.06, 4],
      ],
      [
        'reaches to a pole inside',
        [layerAt('EPSG:3031', [-500000, -400000, 600000, 500000])],
        [-180, -mercator, 180, -82.82],
        [0, -84.04, 0],
      ],
      [
        'spans several layers',
        [layerAt('EPSG:4326', [0, 0, 10, 10]), layerAt('EPSG:4326', [20, 5, 30, 15])],
        [0, 0, 30, 15],
        [15, 7.57, 3],
      ],
      [
        'leaves out layers without rows',
        [layerAt('EPSG:4326', [1, 0, -1, 0]), layerAt('EPSG:4326', [0, 0, 0, 0])],
        [0, 0, 0, 0],
        [0, 0, 14],
      ],
      ['is nothing where nothing is known', [layerAt('EPSG:4326', [Number.NaN, 0, 1, 1])], undefined],
      ['is nothing in an unknown CRS', [layerAt('EPSG:999999', [0, 0, 1, 1])], undefined],
    ]
  for (const [behaviour, layers, bounds, center] of cases)
    it(behaviour, async () => {
      const place = await tileExtentOf(layers)
      assert.deepEqual(rounded(place.bounds), bounds)
      if (bounds === undefined || center !== undefined) assert.deepEqual(rounded(place.center), center)
    })

  it('has a center from which everything is seen', () => {
    for (let draw = 1; draw < 200; draw += 1) {
      const minX = ((draw * 37) % 340) - 180
      const minY = ((draw * 53) % 140) - 80
      const range: Envelope = { minX, minY, maxX: minX + draw / 10, maxY: minY + draw / 50 }
      const { center: [longitude = 0, latitude = 0, zoom = 0] = [] } = toTileExtent(range)
      assert.ok(longitude >= range.minX && longitude <= range.maxX)
      assert.ok(latitude >= range.minY && latitude <= range.maxY)
      assert.ok(draw / 10 <= 360 / 2 ** zoom)
    }
  })
})
