import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findStore } from '../../../src/catalog/rows/store-rows.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { schemaOf, wkb } from '../../support/batches.ts'
import type { ShownFeature } from '../../support/edited-layers.ts'
import { addEditedStores, editedStores, shownFeatures } from '../../support/edited-layers.ts'
import { askFeature } from '../../support/feature-client.ts'
import { versionsOf } from '../../support/version-client.ts'
import { publishTable } from '../../support/versioned-layers.ts'
import { loadRows } from '../store-session.ts'

const plain = schemaOf(
  {
    yes: 'boolean',
    small: 'int16',
    count: 'int32',
    long: 'int64',
    single: 'float32',
    double: 'float64',
    short: { name: 'short', type: 'text', maxLength: 5 },
    text: 'text',
    day: 'date',
    at: 'timestamp',
    bytes: 'binary',
  },
  'MultiPolygon',
)
const square = [
  [
    [0, 0],
    [2, 0],
    [2, 2],
    [0, 2],
    [0, 0],
  ],
]

/** Values written as JSON text, and the text read back if it differs. */
const taken: [property: string, written: string, read?: string][] = [
  ['yes', 'true'],
  ['yes', 'null'],
  ['small', '-32768'],
  ['count', '2147483647'],
  ['count', '1e3', '1000'],
  ['long', '9007199254740993'],
  ['long', '-9223372036854775808'],
  ['single', '0.5'],
  ['double', '0.1'],
  ['double', '-1.7976931348623157e308', '-1.7976931348623157e+308'],
  ['double', '9007199254740992', '9007199254740992.0'],
  ['short', '"äöü€𝄞"'],
  ['text', '"  kept  "'],
  ['text', '""'],
  ['text', String.raw`"\u00e9\\ \" \/"`, String.raw`"é\\ \" /"`],
  ['day', '"0001-01-01"'],
  ['day', '"2024-02-29"'],
  ['at', '"2026-11-22T18:30:00Z"'],
  ['at', '"2026-11-22T18:30:00.123456Z"'],
  ['at', '"2026-11-22T18:30:00+02:00"', '"2026-11-22T16:30:00Z"'],
  ['bytes', '"AAEC/w=="'],
]

const refused: [property: string, written: string, words: RegExp][] = [
  ['yes', '1', /true or false/],
  ['small', '32768', /integer from -32768 to 32767/],
  ['count', '1.5', /1\.5 is not an integer/],
  ['count', '"7"', /"7" is not an integer/],
  ['long', '9223372036854775808', /64-bit integer/],
  ['single', '1e39', /single precision/],
  ['single', '16777217', /16777217 is not a number of single precision/],
  ['double', '9007199254740993', /9007199254740993 is not a number of double precision/],
  ['double', '1e400', /double precision/],
  ['double', '1e-400', /double precision/],
  ['short', '"123456"', /6 characters; the maximum is 5/],
  ['text', '7', /7 is not a text/],
  ['text', '{"a":1}', /is not a text/],
  ['text', '"a\\u0000b"', /U\+0000/],
  ['text', '"\\ud800"', /surrogate/],
  ['day', '"2023-02-29"', /is not a date/],
  ['day', '"2024-02-29T00:00:00Z"', /is not a date/],
  ['day', '""', /is not a date/],
  ['at', '"2026-11-22"', /is not a time/],
  ['at', '"2026-11-22T18:30:00.1234567Z"', /is not a time/],
  ['at', '1700000000', /is not a time/],
  ['bytes', '"a"', /base64/],
  ['nothing', '1', /is none of the layer/],
]

const geometries: [written: unknown, words: RegExp][] = [
  [{ type: 'Point', coordinates: [1, 2] }, /A Point does not go into a column of type MultiPolygon/],
  [
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    },
    /3 positions/,
  ],
  [
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [5, 5],
        ],
      ],
    },
    /not closed/,
  ],
  [
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [2, 2],
          [2, 0],
          [0, 2],
          [0, 0],
        ],
      ],
    },
    /not valid: Self-intersection at 1 1/,
  ],
  [
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 91],
          [1, 91],
          [1, 92],
          [0, 91],
        ],
      ],
    },
    /latitude 91 .* beyond 90/,
  ],
  [
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0, 1],
          [1, 0, 1],
          [1, 1, 1],
          [0, 0, 1],
        ],
      ],
    },
    /other dimensions/,
  ],
  [
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0, 1],
          [1, 0],
          [1, 1],
          [0, 0, 1],
        ],
      ],
    },
    /Some positions/,
  ],
  [
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0, 0, 0],
          [1, 0, 0, 0],
          [1, 1, 0, 0],
          [0, 0, 0, 0],
        ],
      ],
    },
    /measures/,
  ],
  [{ type: 'Circle', coordinates: [] }, /Unknown geometry type "Circle"/],
  ['POINT(1 2)', /neither an object nor null/],
]

describe('values of edited features', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await addEditedStores(server)
    for (const name of editedStores) {
      const store = await findStore(server.database.kysely, 'default', name)
      assert.ok(store)
      const opened = await server.catalog.stores.open(store)
      const row = { geometry: wkb('MultiPolygon', [square]), values: plain.attributes.map(() => null) }
      await loadRows(opened, { table: `values_${name}`, schema: plain, rows: [row] })
      await publishTable(server, name, `values_${name}`)
    }
  })
  after(() => server.close())

  for (const store of editedStores) {
    const layer = `default:values_${store}`
    const patch = (body: string) => askFeature(server, { method: 'PATCH', layer, id: 1, body })
    const text = async (): Promise<string> => (await askFeature(server, { method: 'GET', layer, id: 1 })).text

    it(`are read back as they were written, in store ${store}`, async () => {
      for (const [name, written, read = written] of taken) {
        const answer = await patch(`{"properties":{"${name}":${written}}}`)
        assert.equal(answer.status, 204, `${name}: ${written}: ${answer.text}`)
        const found = await text()
        assert.ok(found.includes(`"${name}":${read}`), `${name}: ${written} is ${found}`)
      }
    })

    it(`are refused where they would be changed, all at once and with the reason, in store ${store}`, async () => {
      const was = await text()
      for (const [name, written, words] of refused) {
        const answer = await patch(`{"properties":{"${name}":${written}}}`)
        assert.equal(answer.status, 400, `${name}: ${written}`)
        const detail = String(answer.json['detail'])
        assert.match(detail, words, `${name}: ${written}`)
        assert.ok(detail.startsWith(`Property "${name}"`), detail)
      }
      const many = await patch('{"properties":{"small":"x","count":1.5,"day":7}}')
      assert.equal((many.json['errors'] as unknown as string[]).length, 3)
      for (const [geometry, words] of geometries) {
        const answer = await patch(JSON.stringify({ geometry }))
        assert.equal(answer.status, 400, JSON.stringify(geometry))
        assert.match(String(answer.json['detail']), words, JSON.stringify(geometry))
      }
      assert.equal(await text(), was)
    })

    it(`become empty, or the only part of a multi geometry, where that is meant, in store ${store}`, async () => {
      const one = {
        type: 'Feature',
        properties: { text: 'x' },
        geometry: { type: 'Polygon', coordinates: square },
      }
      const answer = await askFeature(server, { method: 'PUT', layer, id: 1, body: one })
      assert.equal(answer.status, 204, answer.text)
      const [feature] = (await shownFeatures(server, layer)) as [ShownFeature]
      assert.deepEqual(feature.geometry, { type: 'MultiPolygon', coordinates: [square] })
      const others = Object.entries(feature.properties).filter(([name]) => name !== 'text')
      assert.ok(others.every(([, value]) => value === null))
    })

    it(`that are those of the feature change nothing, in store ${store}`, async () => {
      const [before] = await versionsOf(server, layer)
      const shown = (await askFeature(server, { method: 'GET', layer, id: 1 })).text
      for (const crs of ['OGC/1.3/CRS84', 'EPSG/0/3857', 'EPSG/0/4326']) {
        const uri = `http://www.opengis.net/def/crs/${crs}`
        const query = `?crs=${encodeURIComponent(uri)}`
        const body = (await askFeature(server, { method: 'GET', layer, id: 1, query })).text
        const headers = { 'content-crs': `<${uri}>` }
        const answer = await askFeature(server, { method: 'PUT', layer, id: 1, body, headers })
        assert.equal(answer.status, 204, answer.text)
      }
      assert.equal((await askFeature(server, { method: 'GET', layer, id: 1 })).text, shown)
      assert.equal((await versionsOf(server, layer))[0]?.version, before?.version)
    })
  }
})
