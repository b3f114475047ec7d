import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Geometry } from 'geojson'
import { orderHits } from './order-hits.ts'

const square = (west: number, south: number, side: number): Geometry => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, south],
      [west + side, south],
      [west + side, south + side],
      [west, south + side],
      [west, south],
    ],
  ],
})
const named = (name: string, geometry: Geometry, layer = 'a:a', isMarkHit = false) => ({
  name,
  geometry,
  layer,
  isMarkHit,
})
const at = { lng: 9.99, lat: 5, worldPixels: 512 * 2 ** 8 }

describe('features under a click', () => {
  it('are the polygon that contains it, not the neighbour whose outline is drawn there', () => {
    const hits = [named('neighbour', square(10, 0, 10)), named('own', square(0, 0, 10))]
    assert.deepEqual(
      orderHits(hits, at).map(({ name }) => name),
      ['own'],
    )
  })

  it('come by containment, then by distance, then as they are drawn, layer by layer', () => {
    const point = (lng: number): Geometry => ({ type: 'Point', coordinates: [lng, 5] })
    const line: Geometry = {
      type: 'LineString',
      coordinates: [
        [9.98, -20],
        [9.98, 20],
      ],
    }
    const hits = [
      named('far', point(10.02)),
      named('near', point(9.995)),
      named('line', line),
      named('below', square(0, 0, 20), 'b:b'),
      named('upper', square(9, 4, 2)),
      named('lower', square(0, 0, 20)),
    ]
    assert.deepEqual(
      orderHits(hits, at).map(({ name }) => name),
      ['upper', 'lower', 'near', 'line', 'far', 'below'],
    )
  })

  it('are found in every copy of the world, in holes not, and by marks that stand elsewhere', () => {
    const hole: Geometry = {
      type: 'Polygon',
      coordinates: [square(0, 0, 20), square(9, 4, 2)].flatMap(
        (one) => (one as { coordinates: number[][][] }).coordinates,
      ),
    }
    const hits = [
      named('marked', square(60, 0, 1), 'a:a', true),
      named('hole', hole),
      named('own', square(0, 0, 10)),
    ]
    const found = orderHits(hits, { ...at, lng: at.lng - 360 })
    assert.deepEqual(
      found.map(({ name }) => name),
      ['own', 'marked'],
    )
  })
})
