import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { layersOnMap } from './layers-on-map.ts'

const layer = (name: string, kind: 'vector' | 'raster' | 'table', geometryType?: string) => ({
  workspace: 'w',
  name,
  kind,
  thumbnail: 'http://x/t.png',
  ...(geometryType === undefined ? {} : { geometryType }),
})

describe('the layers on the map of the first page', () => {
  const all = [
    layer('towns', 'vector', 'Point'),
    layer('roads', 'vector', 'MultiLineString'),
    layer('relief', 'raster'),
    layer('lands', 'vector', 'MultiPolygon'),
  ]

  it('lie as maps are drawn: rasters, areas, lines, points', () => {
    assert.deepEqual(layersOnMap(4, all).ids, ['w:relief', 'w:lands', 'w:roads', 'w:towns'])
  })

  it('are those that can be drawn, and none where there are many', () => {
    const { thumbnail: _, ...table } = layer('codes', 'table')
    const broken = { ...layer('broken', 'vector', 'Point'), problem: 'store-away' as const }
    assert.deepEqual(layersOnMap(6, [...all, table, broken]).ids.length, 4)
    assert.deepEqual(layersOnMap(9, all).ids, [])
    assert.deepEqual(layersOnMap(1, [table]), { ids: [], bounds: undefined })
  })

  it('lie within bounds that hold all of them', () => {
    const [towns, roads] = all
    const placed = [
      { ...towns, bounds: [5, 40, 10, 50] },
      { ...roads, bounds: [-3, 45, 8, 60] },
    ] as Parameters<typeof layersOnMap>[1]
    assert.deepEqual(layersOnMap(2, placed).bounds, [-3, 40, 10, 60])
    assert.equal(layersOnMap(4, all).bounds, undefined)
  })
})
