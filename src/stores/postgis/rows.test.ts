import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { loadRows, readColumn, readRows } from '../../../tests/contract/store-session.ts'
import type { Row, Value } from '../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../tests/support/batches.ts'
import { makePostgisStore } from '../../../tests/support/postgis-store.ts'
import { runSql, testCluster } from '../../../tests/support/postgres.ts'
import type { AttributeType, GeometryField, GeometryType } from '../../geo/schema.ts'
import { geometryTypes } from '../../geo/schema.ts'

async function withStore(
  work: (store: Awaited<ReturnType<typeof makePostgisStore>>['store']) => Promise<void>,
) {
  const { store, dispose } = await makePostgisStore()
  try {
    await work(store)
  } finally {
    await store.close()
    await dispose()
  }
}

it('keeps decimals of 38 digits, in a column with their precision and scale', () =>
  withStore(async (store) => {
    const values = [
      '1234567890123456789012345678.0123456789',
      '-9999999999999999999999999999.9999999999',
      '0.0000000001',
      '100000000.0000000000',
    ]
    const { rejects } = await loadRows(store, {
      schema: schemaOf({ v: { name: 'v', type: 'decimal', precision: 38, scale: 10 } }),
      rows: [...values, '0.00000000001', '1e28', '-1.5e3', 'many'].map((value) => ({ values: [value] })),
    })
    assert.deepEqual(
      rejects.map(({ row }) => row),
      [5, 6, 8],
    )
    assert.deepEqual(await readColumn(store, 'v'), [...values, '-1500.0000000000'])
    assert.deepEqual((await store.findTable('layer'))?.schema.attributes, [
      { name: 'v', type: 'decimal', precision: 38, scale: 10 },
    ])
  }))

it('keeps dates and times to the ends of the calendar and rejects those beyond', () =>
  withStore(async (store) => {
    const days = [-2_440_588, -1_000_000, 2_932_896, 2_145_042_905]
    const instants = [
      -210_866_803_200_000_000n,
      253_402_300_799_999_999n,
      9_223_371_331_199_999_999n + 946_684_800n,
    ]
    const dated = await loadRows(store, {
      schema: schemaOf({ v: 'date' }),
      rows: [...days, -2_440_589, 2_145_042_906].map((value) => ({ values: [value] })),
    })
    assert.deepEqual(
      dated.rejects.map(({ row }) => row),
      [5, 6],
    )
    assert.deepEqual(await readColumn(store, 'v'), days)
    const timed = await loadRows(store, {
      table: 'timed',
      schema: schemaOf({ v: 'timestamp' }),
      rows: [...instants, 1n - 2n ** 63n, -210_866_803_200_000_001n].map((value) => ({ values: [value] })),
    })
    assert.deepEqual(
      timed.rejects.map(({ row }) => row),
      [4, 5],
    )
    assert.deepEqual(await readColumn(store, 'v', 'timed'), instants)
  }))

it('rejects text with a zero byte, and only these rows', () =>
  withStore(async (store) => {
    const { rejects } = await loadRows(store, {
      schema: schemaOf({ v: 'text' }),
      rows: ['a', 'b\0c', '', 'é'].map((value) => ({ values: [value] })),
    })
    assert.deepEqual(rejects, [
      { row: 2, field: 'v', reason: 'PostgreSQL does not take text with a zero byte' },
    ])
    assert.deepEqual(await readColumn(store, 'v'), ['a', '', 'é'])
  }))

it('rejects geometries of other dimensions than the column', () =>
  withStore(async (store) => {
    const geometry: GeometryField = { name: 'g', type: 'Point', hasZ: true, hasM: false, crs: undefined }
    const { rejects } = await loadRows(store, {
      schema: schemaOf({}, geometry),
      rows: [
        { geometry: wkb('Point', [1, 2, 3], 'xyz'), values: [] },
        { geometry: wkb('Point', [1, 2]), values: [] },
      ],
    })
    assert.deepEqual(rejects, [
      { row: 2, reason: 'A Point has other dimensions than a column of type PointZ' },
    ])
    assert.equal((await store.findTable('layer'))?.schema.geometry?.crs, undefined)
  }))

const square = (dx: number): number[][] => [
  [dx, 0],
  [dx + 1, 0],
  [dx + 1, 1],
  [dx, 0],
]

it('rejects lines and rings that PostGIS refuses, and takes the rest', () =>
  withStore(async (store) => {
    const geometries = [
      wkb('Polygon', [square(0).slice(0, 3)]),
      wkb('Polygon', [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 1],
        ],
      ]),
      wkb('LineString', [[0, 0]]),
      wkb('MultiPolygon', [[square(0)], [square(5).slice(0, 3)]]),
      wkb('LineString', []),
      wkb('MultiPolygon', []),
      wkb('Polygon', [square(0)]),
    ]
    const { result, rejects } = await loadRows(store, {
      schema: schemaOf({}, 'Geometry'),
      rows: geometries.map((geometry) => ({ geometry, values: [] })),
    })
    assert.deepEqual([result.rowsLoaded, rejects.map(({ row }) => row)], [3, [1, 2, 3, 4]])
  }))

const position = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 2 })
const ring = fc
  .array(position, { maxLength: 5 })
  .chain((points) =>
    fc.boolean().map((isClosed) => (isClosed && points[0] ? [...points, points[0]] : points)),
  )
const shapes = fc.oneof(
  fc.record({ type: fc.constant('Point' as const), at: fc.oneof(position, fc.constant([])) }),
  fc.record({ type: fc.constant('LineString' as const), at: fc.array(position, { maxLength: 4 }) }),
  fc.record({ type: fc.constant('Polygon' as const), at: fc.array(ring, { maxLength: 3 }) }),
  fc.record({ type: fc.constant('MultiLineString' as const), at: fc.array(ring, { maxLength: 3 }) }),
  fc.record({
    type: fc.constant('MultiPolygon' as const),
    at: fc.array(fc.array(ring, { maxLength: 2 }), { maxLength: 3 }),
  }),
)

it('accounts for every row, whatever geometries and values come', () =>
  withStore(async (store) => {
    let run = 0
    const value = (type: AttributeType): fc.Arbitrary<Value> =>
      type === 'text'
        ? fc.option(fc.string({ unit: 'binary', maxLength: 12 }))
        : type === 'int64'
          ? fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
          : type === 'decimal'
            ? fc.option(fc.oneof(fc.stringMatching(/^-?\d{0,40}\.?\d{0,20}$/), fc.string({ maxLength: 6 })))
            : fc.option(fc.double())
    const rowOf = fc.tuple(
      fc.option(shapes),
      value('text'),
      value('int64'),
      value('decimal'),
      value('float64'),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<GeometryType>(...geometryTypes),
        fc.array(rowOf, { maxLength: 100 }),
        async (type, given) => {
          run += 1
          const rows: Row[] = given.map(([shape, ...values]) => ({
            geometry: shape === null ? null : wkb(shape.type, shape.at as Parameters<typeof wkb>[1]),
            values,
          }))
          const schema = schemaOf({ t: 'text', l: 'int64', n: 'decimal', d: 'float64' }, type)
          const { result, rejects } = await loadRows(store, { table: `t${run}`, schema, rows })
          assert.equal(rejects.length, rejects.length)
          assert.equal(result.rowsLoaded + rejects.length, rows.length)
          assert.equal((await readRows(store, { table: `t${run}` })).length, result.rowsLoaded)
        },
      ),
      { numRuns: 15 },
    )
  }))

it('keeps a CRS by authority, and one that has only words', () =>
  withStore(async (store) => {
    const wkt = 'LOCAL_CS["site grid",UNIT["metre",1]]'
    const field = (crs: GeometryField['crs']): GeometryField => ({
      name: 'g',
      type: 'Point',
      hasZ: false,
      hasM: false,
      crs,
    })
    const cases = { known: { srs: 'EPSG:2056' }, esri: { srs: 'ESRI:102100' }, own: { wkt }, again: { wkt } }
    for (const [table, crs] of Object.entries(cases)) {
      await loadRows(store, { table, schema: schemaOf({}, field(crs)) })
    }
    const crsOf = async (table: string) => (await store.findTable(table))?.schema.geometry?.crs
    assert.equal((await crsOf('known'))?.srs, 'EPSG:2056')
    assert.equal((await crsOf('esri'))?.srs, 'ESRI:102100')
    assert.deepEqual(await crsOf('own'), { wkt })
    assert.deepEqual(await crsOf('again'), { wkt })
  }))

it('leaves the database as it was when a name is an attack', () =>
  withStore(async (store) => {
    const evil = `x"; drop schema public cascade; --'\\`
    await loadRows(store, {
      table: evil,
      loadId: evil,
      schema: schemaOf({ [evil]: 'text' }, 'Point'),
      rows: [{ values: [evil] }],
      indexes: [evil],
    })
    await loadRows(store, {
      table: evil,
      mode: 'APPEND',
      loadId: evil,
      schema: schemaOf({ [evil]: 'text' }, 'Point'),
      rows: [{ values: [evil] }],
      indexes: [evil],
    })
    assert.deepEqual(await store.listTables(), [evil])
    assert.deepEqual(
      (await readRows(store, { table: evil })).map(({ values }) => values[0]),
      [evil, evil],
    )
    const cluster = await testCluster()
    assert.equal((await runSql(cluster.url('postgres'), 'select 1')).length, 1)
  }))
