import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Attribute, AttributeType, GeometryField } from '../../src/geo/schema.ts'
import type { Row, Value } from '../support/batches.ts'
import { schemaOf, wkb } from '../support/batches.ts'
import type { MakeStore } from './store-session.ts'
import { loadRows, never, readColumn, readRows, withStore } from './store-session.ts'

const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1000n

/** Values at the edges of each type; every store gives them back exactly. */
const edges: Record<AttributeType, Value[]> = {
  boolean: [true, false, null],
  int16: [-32768, 32767, 0, null],
  int32: [-2147483648, 2147483647, null],
  int64: [-9223372036854775808n, 9223372036854775807n, 9007199254740993n, 0n, null],
  float32: [0.5, -3.4028234663852886e38, Math.fround(0.1), null],
  float64: [0.1, -1.7976931348623157e308, 5e-324, 12, null],
  decimal: ['12345678901234567890.123456789', '-0.5', '0', null],
  text: ['', 'Zürich – 東京 🗺', `"; drop table x; --`, "it's", 'x'.repeat(70_000), null],
  date: [0, -1, 19_723, -25_567, 2_932_896, null],
  time: [0n, 86_399_999_999n, 45_296_000_000n, 45_296_500_000n, null],
  timestamp: [0n, micros('2024-02-29T12:34:56.789Z'), micros('1901-01-01T00:00:00Z') + 1n, -1n, null],
  binary: [new Uint8Array([0, 255, 39, 0]), new Uint8Array(0), new Uint8Array(9000).fill(7), null],
}
const timeTexts = ['00:00:00', '23:59:59.999999', '12:34:56', '12:34:56.500', null]

const square = [
  [
    [0, 0],
    [4, 0],
    [4, 4],
    [0, 4],
    [0, 0],
  ],
]
const point = (x: number, y: number): Uint8Array => wkb('Point', [x, y])

export function describeCreate(make: MakeStore): void {
  describe('CREATE', () => {
    for (const type of Object.keys(edges) as AttributeType[]) {
      it(
        `gives ${type} values back exactly`,
        withStore(make, async ({ store }) => {
          const values = edges[type]
          const rows = values.map((value) => ({ geometry: point(1, 2), values: [value] }))
          const { result } = await loadRows(store, { schema: schemaOf({ v: type }, 'Point'), rows })
          assert.equal(result.rowsLoaded, values.length)
          const stored = (await store.findTable('layer'))?.schema.attributes[0]?.type
          const expected = type === 'time' && stored === 'text' ? timeTexts : values
          assert.deepEqual(await readColumn(store, 'v'), expected)
        }),
      )
    }

    for (const geometry of ['Point', undefined] as const) {
      const what = geometry === undefined ? 'no column at all' : 'a geometry alone'
      for (const mode of ['CREATE', 'REPLACE', 'APPEND'] as const) {
        it(
          `loads rows of ${what} with ${mode}`,
          withStore(make, async ({ store }) => {
            const schema = schemaOf({}, geometry)
            const rows = [1, 2, 3].map((x) => ({
              geometry: geometry === undefined ? null : point(x, x),
              values: [],
            }))
            if (mode !== 'CREATE') await loadRows(store, { schema, rows })
            const { result, rejects } = await loadRows(store, { schema, rows, mode })
            assert.deepEqual([result.rowsLoaded, rejects], [3, []])
            const twice = mode === 'APPEND' ? [...rows, ...rows] : rows
            assert.deepEqual(
              (await readRows(store)).map((row) => row.geometry),
              twice.map((row) => row.geometry),
            )
          }),
        )
      }
    }

    it(
      'keeps attribute types, limits, order, geometry type, dimensions and CRS',
      withStore(make, async ({ store }) => {
        const attributes: Record<string, AttributeType | Attribute> = {
          b: 'boolean',
          s: 'int16',
          i: 'int32',
          l: 'int64',
          f: 'float32',
          d: 'float64',
          t: { name: 't', type: 'text', maxLength: 12 },
          day: 'date',
          at: 'timestamp',
          raw: 'binary',
        }
        const geometry: GeometryField = {
          name: 'geom',
          type: 'MultiPolygon',
          hasZ: true,
          hasM: false,
          crs: { srs: 'EPSG:25832' },
        }
        await loadRows(store, { schema: schemaOf(attributes, geometry) })
        const found = await store.findTable('layer')
        assert.equal(found?.featureCount ?? 0, 0)
        assert.deepEqual(
          found?.schema.attributes.map(({ name, type }) => [name, type]),
          Object.entries(attributes).map(([name, type]) => [
            name,
            typeof type === 'string' ? type : type.type,
          ]),
        )
        assert.equal(found?.schema.attributes[6]?.maxLength, 12)
        assert.equal(found?.schema.geometry?.type, 'MultiPolygon')
        assert.equal(found?.schema.geometry?.hasZ, true)
        assert.equal(found?.schema.geometry?.hasM, false)
        assert.equal(found?.schema.geometry?.crs?.srs, 'EPSG:25832')
      }),
    )

    it(
      'gives geometries of every type back byte for byte',
      withStore(make, async ({ store }) => {
        const geometries = [
          point(-180, 90),
          wkb('LineString', [
            [0, 0],
            [1, 2],
          ]),
          wkb('Polygon', square),
          wkb('MultiPoint', [
            [0, 0],
            [5, 6],
          ]),
          wkb('MultiLineString', [
            [
              [0, 0],
              [1, 2],
            ],
          ]),
          wkb('MultiPolygon', [square]),
          wkb('GeometryCollection', [
            [7, 8],
            [9, 9],
          ]),
          wkb('Polygon', []),
          wkb('Point', []),
          null,
        ]
        const rows = geometries.map((geometry) => ({ geometry, values: [] }))
        await loadRows(store, { schema: schemaOf({}, 'Geometry'), rows })
        assert.deepEqual(
          (await readRows(store)).map(({ geometry }) => geometry),
          geometries,
        )
      }),
    )

    for (const dimensions of ['xyz', 'xym', 'xyzm']) {
      it(
        `keeps ${dimensions} coordinates`,
        withStore(make, async ({ store }) => {
          const position = [1, 2, 3, 4].slice(0, dimensions.length)
          const geometry: GeometryField = {
            name: 'geom',
            type: 'Point',
            hasZ: dimensions.includes('z'),
            hasM: dimensions.includes('m'),
            crs: { srs: 'EPSG:4326' },
          }
          const given = wkb('Point', position, dimensions)
          await loadRows(store, { schema: schemaOf({}, geometry), rows: [{ geometry: given, values: [] }] })
          assert.deepEqual((await readRows(store))[0]?.geometry, given)
        }),
      )
    }

    it(
      'promotes single parts in a multi layer',
      withStore(make, async ({ store }) => {
        const rows = [
          { geometry: wkb('Polygon', square), values: [] },
          { geometry: wkb('MultiPolygon', [square]), values: [] },
        ]
        const { result, rejects } = await loadRows(store, { schema: schemaOf({}, 'MultiPolygon'), rows })
        assert.deepEqual([result.rowsLoaded, rejects.length, rejects], [2, 0, []])
        for (const { geometry } of await readRows(store))
          assert.deepEqual(geometry, wkb('MultiPolygon', [square]))
      }),
    )

    it(
      'rejects geometries of another type, and only these',
      withStore(make, async ({ store }) => {
        const line = wkb('LineString', [
          [0, 0],
          [1, 1],
        ])
        const rows = [point(0, 0), line, point(1, 1)].map((geometry) => ({ geometry, values: [] }))
        const { result, rejects } = await loadRows(store, { schema: schemaOf({}, 'Point'), rows })
        assert.deepEqual([result.rowsLoaded, rejects.length], [2, 1])
        assert.equal(rejects[0]?.row, 2)
        assert.match(rejects[0]?.reason ?? '', /LineString/)
      }),
    )

    it(
      'loads a table without geometry',
      withStore(make, async ({ store }) => {
        await loadRows(store, { schema: schemaOf({ name: 'text' }), rows: [{ values: ['a'] }] })
        const found = await store.findTable('layer')
        assert.equal(found?.schema.geometry, undefined)
        assert.deepEqual(await readColumn(store, 'name'), ['a'])
        assert.ok((await store.listTables()).includes('layer'))
      }),
    )

    it(
      'stores awkward column names without losing one, and says which it changed',
      withStore(make, async ({ store }) => {
        const names = [
          'Name',
          'NAME',
          'fid',
          'geom',
          'a b',
          'ogc_fid',
          'Größe',
          '"; drop table x; --',
          'select',
        ]
        const schema = schemaOf(Object.fromEntries(names.map((name) => [name, 'int32' as const])), 'Point')
        const { result } = await loadRows(store, {
          schema,
          rows: [{ geometry: point(0, 0), values: names.map((_, index) => index) }],
        })
        const stored = names.map((name) => result.renamed[name] ?? name)
        assert.equal(new Set(stored.map((name) => name.toLowerCase())).size, names.length)
        const found = await store.findTable('layer')
        assert.deepEqual(
          found?.schema.attributes.map(({ name }) => name),
          stored,
        )
        assert.deepEqual(
          (await readRows(store))[0]?.values,
          names.map((_, index) => index),
        )
      }),
    )

    it(
      'counts rows and gives the envelope',
      withStore(make, async ({ store }) => {
        const rows: Row[] = Array.from({ length: 5000 }, (_, i) => ({
          geometry: point(i, 1 - i),
          values: [i],
        }))
        const { result, rejects } = await loadRows(store, { schema: schemaOf({ i: 'int32' }, 'Point'), rows })
        const envelope = { minX: 0, minY: -4998, maxX: 4999, maxY: 1 }
        assert.deepEqual([result.rowsLoaded, rejects.length, result.envelope], [5000, 0, envelope])
        assert.deepEqual((await store.findTable('layer'))?.envelope, envelope)
        assert.equal(await store.count({ table: 'layer' }, never), 5000)
      }),
    )

    it(
      'takes any table name that tableName made of it',
      withStore(make, async ({ store }) => {
        for (const expected of ['"; drop table x; --', 'Straße 12', 'select', "o'neill", 'x'.repeat(300)]) {
          const table = store.tableName(expected)
          await loadRows(store, { table, schema: schemaOf({ v: 'text' }, 'Point') })
          assert.ok((await store.listTables()).includes(table), table)
        }
      }),
    )

    it(
      'refuses a name that is taken',
      withStore(make, async ({ store }) => {
        await loadRows(store, { schema: schemaOf({ v: 'text' }) })
        await assert.rejects(loadRows(store, { schema: schemaOf({ v: 'text' }) }), {
          kind: 'conflict',
          code: 'table-exists',
        })
      }),
    )

    it(
      'makes the indexes asked for and removes all of a table again',
      withStore(make, async ({ store }) => {
        const schema = schemaOf({ v: 'text', w: 'int32' }, 'Point')
        await loadRows(store, {
          schema,
          rows: [{ geometry: point(0, 0), values: ['a', 1] }],
          indexes: ['v', 'w'],
        })
        await store.dropTable('layer')
        assert.deepEqual(await store.listTables(), [])
        assert.equal(await store.findTable('layer'), undefined)
        await loadRows(store, { schema, indexes: ['v'] })
        assert.deepEqual(await readRows(store), [])
      }),
    )
  })
}
