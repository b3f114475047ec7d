import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { batchesOf, schemaOf, wkb } from '../../../tests/support/batches.ts'
import {
  aboutLayer,
  everyType,
  geometriesOf,
  writtenDocument,
} from '../../../tests/support/written-layers.ts'
import { featureToJson } from '../../geo/feature-json.ts'
import { geometryTypes } from '../../geo/schema.ts'
import type { WrittenAbout } from './feature-format.ts'
import { jsonFgFormat } from './jsonfg-format.ts'

interface Feature {
  type: string
  id: number | string
  time: { date?: string; timestamp?: string } | null
  place: { type: string; coordinates: unknown } | null
  geometry: { type: string; coordinates: unknown } | null
  properties: Record<string, unknown>
}
interface Root extends Feature {
  conformsTo: string[]
  featureType: string
  featureSchema: string
  coordRefSys: string
  geometryDimension?: number
  features: Feature[]
}

const utm = { uri: 'http://www.opengis.net/def/crs/EPSG/0/25832', srs: 'EPSG:25832', isYx: false }

async function written(about: WrittenAbout, rows: Parameters<typeof writtenDocument>[2]): Promise<Root> {
  return JSON.parse(Buffer.from(await writtenDocument(jsonFgFormat, about, rows)).toString('utf8'))
}

describe('features written as JSON-FG', () => {
  it('have the properties and geometries of GeoJSON, and what the standard wants beside them', async () => {
    const { schema, rows } = everyType('Point')
    const root = await written(aboutLayer(schema, { timeAttribute: 'a timestamp' }), rows)
    const { features, ...about } = root
    assert.deepEqual(about, {
      type: 'FeatureCollection',
      conformsTo: ['core', 'types-schemas'].map(
        (one) => `http://www.opengis.net/spec/json-fg-1/1.0/conf/${one}`,
      ),
      featureType: 'things',
      featureSchema: 'http://127.0.0.1/ogc/collections/default:things/schema',
      coordRefSys: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
      geometryDimension: 0,
      numberMatched: rows.length,
      numberReturned: rows.length,
      timeStamp: '2026-01-01T00:00:00.000Z',
      links: [],
    })
    let at = 0
    for await (const batch of batchesOf(schema, rows))
      for (let row = 0; row < batch.rowCount; row += 1) {
        const { time, place, ...feature } = features[at] as Feature
        at += 1
        assert.deepEqual(feature, JSON.parse(featureToJson(batch, row, String(at), { isYx: false })))
        assert.equal(place, null)
        const moment = feature.properties['a timestamp']
        assert.deepEqual(time, moment === null ? null : { timestamp: moment })
      }
    assert.equal(at, rows.length)
  })

  it('have coordinates of other systems in their place alone, in the order of its axes', async () => {
    const schema = schemaOf({ founded: 'date' }, 'Point')
    const rows = [
      { geometry: wkb('Point', [500_000, 5_500_000]), values: [-719_529] },
      { geometry: null, values: [19_000] },
    ]
    const root = await written(aboutLayer(schema, { crs: utm, timeAttribute: 'founded' }), rows)
    assert.equal(root.coordRefSys, utm.uri)
    assert.deepEqual(
      root.features.map(({ time, place, geometry }) => [time, place, geometry]),
      [
        [null, { type: 'Point', coordinates: [500_000, 5_500_000] }, null],
        // The other one is in the year before 0, which the standard does not allow.
        [{ date: '2022-01-08' }, null, null],
      ],
    )
    const gk = { uri: 'http://www.opengis.net/def/crs/EPSG/0/31467', srs: 'EPSG:31467', isYx: true }
    const swapped = await written(aboutLayer(schema, { crs: gk }), rows)
    assert.deepEqual(swapped.features[0]?.place?.coordinates, [5_500_000, 500_000])
  })

  it('are one root object where one is asked for', async () => {
    const schema = schemaOf({ name: 'text' }, 'Polygon')
    const root = await written(aboutLayer(schema, { isSingle: true }), [{ geometry: null, values: ['a'] }])
    assert.equal(root.type, 'Feature')
    assert.equal(root.featureType, 'things')
    assert.equal(root.conformsTo.length, 2)
    assert.deepEqual(
      [root.time, root.place, root.geometry, root.properties],
      [null, null, null, { name: 'a' }],
    )
  })

  it('have no geometry where there is not one position, and heights by their name', async () => {
    for (const type of geometryTypes.filter((one) => one !== 'Geometry')) {
      const rows = geometriesOf(type, 'xyz').map((geometry) => ({ geometry, values: [] }))
      const field = { name: 'geom', type, hasZ: true, hasM: false, crs: { srs: 'EPSG:4326' } }
      const root = await written(aboutLayer(schemaOf({}, field)), rows)
      assert.equal(root.coordRefSys, 'http://www.opengis.net/def/crs/OGC/0/CRS84h')
      const isNull = type === 'Point' || type === 'LineString'
      assert.equal(root.features.at(-1)?.geometry === null, isNull, type)
      assert.ok(root.features.slice(0, -1).every(({ geometry }) => geometry?.type === type))
    }
  })
})
