import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { databaseConnection } from '../../../../tests/support/database-import.ts'
import { fileDatabase } from '../../../../tests/support/postgis-store.ts'
import { runSql } from '../../../../tests/support/postgres.ts'
import { until } from '../../../../tests/support/until.ts'
import type { LayerDescription } from '../../../formats/format.ts'
import type { FeatureBatch } from '../../../geo/batch.ts'
import { columnValue } from '../../../geo/column.ts'
import { firstDay, firstMicros, lastDay, lastMicros } from '../../../geo/infinite-times.ts'
import { writeGeometryText } from '../../../geo/wkb-to-wkt.ts'
import type { DescribedDatabase } from '../database.ts'
import { postgres } from './postgres.ts'

const { signal } = new AbortController()

let url = ''
let schemas = 0

/** Creates a new schema by `statements`. */
async function schemaWith(statements: string): Promise<string> {
  schemas += 1
  const name = `s${schemas}`
  await runSql(url, `create schema ${name}; set search_path = ${name}, public; ${statements}`)
  return name
}

function describeAll(schema: string, tables?: string[]): Promise<DescribedDatabase> {
  const expected = tables === undefined ? {} : { tables }
  return postgres.describe({ ...databaseConnection(url), schema }, { maxTables: 100, signal, ...expected })
}

async function only(schema: string): Promise<LayerDescription> {
  const { tables } = await describeAll(schema)
  assert.equal(tables.length, 1)
  return tables[0] as LayerDescription
}

async function readAll(schema: string, table: LayerDescription): Promise<FeatureBatch[]> {
  const batches: FeatureBatch[] = []
  for await (const batch of postgres.read({ ...databaseConnection(url), schema }, table, { signal })) {
    batches.push(batch)
  }
  return batches
}

function rowsOf(batches: FeatureBatch[]): Record<string, unknown>[] {
  return batches.flatMap((batch) =>
    Array.from({ length: batch.rowCount }, (_, row) =>
      Object.fromEntries(
        batch.schema.attributes.map(({ name }, index) => {
          const column = batch.columns[index]
          return [name, column && columnValue(column, row)]
        }),
      ),
    ),
  )
}

function shapesOf([batch]: FeatureBatch[]): string[] {
  const { geometry } = batch as FeatureBatch
  if (geometry === undefined) return []
  const { bytes, offsets } = geometry
  return Array.from(offsets.subarray(1), (end, row) => writeGeometryText(bytes.slice(offsets[row], end)))
}

/** Reads one value of an SQL type. */
async function readValue(
  type: string,
  literal: string,
): Promise<{ type: string | undefined; value: unknown }> {
  const schema = await schemaWith(`create table t (v ${type}); insert into t values (${literal})`)
  const table = await only(schema)
  const [row] = rowsOf(await readAll(schema, table))
  return { type: table.schema.attributes[0]?.type, value: row?.v }
}

describe('tables of PostgreSQL', () => {
  before(async () => {
    url = await fileDatabase()
  })

  const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1000n
  const values: [string, string, string, unknown][] = [
    ['boolean', 'true', 'boolean', true],
    ['smallint', '-32768', 'int16', -32768],
    ['integer', '2147483647', 'int32', 2147483647],
    ['bigint', '-9223372036854775808', 'int64', -9223372036854775808n],
    ['bigint', '9007199254740993', 'int64', 9007199254740993n],
    ['real', '1.5', 'float32', 1.5],
    ['double precision', '-1e300', 'float64', -1e300],
    ['numeric', '-12345678901234567890.00120', 'decimal', '-12345678901234567890.00120'],
    ['numeric(8,3)', '12.5', 'decimal', '12.500'],
    ['numeric', '0', 'decimal', '0'],
    ['numeric', '10000', 'decimal', '10000'],
    ['numeric', '0.00001', 'decimal', '0.00001'],
    ['text', `'grüße'`, 'text', 'grüße'],
    ['text', `''`, 'text', ''],
    ['char(5)', `'ab'`, 'text', 'ab'],
    ['name', `'n'`, 'text', 'n'],
    ['date', `'2024-02-29'`, 'date', 19_782],
    ['date', `'1969-12-31'`, 'date', -1],
    ['time', `'12:34:56.789012'`, 'time', 45_296_789_012n],
    ['timestamp', `'2024-02-29 01:02:03.456'`, 'timestamp', micros('2024-02-29T01:02:03.456Z')],
    ['timestamptz', `'2024-02-29 01:02:03+02'`, 'timestamp', micros('2024-02-28T23:02:03Z')],
    ['timestamptz', `'9999-12-31 23:59:59Z'`, 'timestamp', micros('9999-12-31T23:59:59Z')],
    ['interval', `'1 day 2 hours'`, 'text', 'P1DT2H'],
    ['uuid', `'00000000-0000-0000-0000-00000000000a'`, 'text', '00000000-0000-0000-0000-00000000000a'],
    ['jsonb', `'{"a": [1, 2]}'`, 'text', '{"a": [1, 2]}'],
    ['integer[]', `'{1,2,null}'`, 'text', '[1,2,null]'],
    ['text[][]', `'{{a,b},{"c,d",e}}'`, 'text', '[["a","b"],["c,d","e"]]'],
    ['bytea', `'\\xdeadbeef'`, 'binary', new Uint8Array([0xde, 0xad, 0xbe, 0xef])],
    ['inet', `'10.0.0.1/8'`, 'text', '10.0.0.1/8'],
    ['int4range', `'[1,5)'`, 'text', '[1,5)'],
    ['oid', '4294967295', 'int64', 4294967295n],
    ['money', `'12.34'`, 'decimal', '12.34'],
    ['point', `'(1,2)'`, 'text', '(1,2)'],
  ]
  for (const [sqlType, literal, type, value] of values) {
    it(`give ${sqlType} ${literal} as ${type}`, async () => {
      assert.deepEqual(await readValue(sqlType, literal), { type, value })
    })
  }

  it('give domains as what they are made of, and enumerations and rows as text', async () => {
    const schema = await schemaWith(`create domain small as numeric(4,1) check (value > 0);
      create domain smaller as small; create type mood as enum ('ok'); create type pair as (a int, b text);
      create table t (d smaller, m mood, p pair); insert into t values (1.5, 'ok', row(1, 'x'))`)
    const table = await only(schema)
    assert.deepEqual(table.schema.attributes, [
      { name: 'd', type: 'decimal', precision: 4, scale: 1 },
      { name: 'm', type: 'text' },
      { name: 'p', type: 'text' },
    ])
    assert.deepEqual(rowsOf(await readAll(schema, table)), [{ d: '1.5', m: 'ok', p: '{"a":1,"b":"x"}' }])
  })

  it('keep every digit of any numeric', async () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 30 })
    const texts = fc
      .sample(fc.tuple(fc.constantFrom('', '-'), digits, digits), 300)
      .map(([sign, whole, fraction]) => `${sign}${whole}0${fraction === '' ? '' : `.${fraction}`}`)
    const schema = await schemaWith('create table t (i serial, n numeric)')
    await runSql(url, `insert into ${schema}.t (n) select unnest($1::numeric[])`, [texts])
    const expected = await runSql(url, `select n::text as n from ${schema}.t order by i`)
    const found = rowsOf(await readAll(schema, await only(schema)))
    assert.deepEqual(
      found.map(({ n }) => n),
      expected.map(({ n }) => n),
    )
  })

  it('reject rows with values that cannot be represented, with their other values', async () => {
    const schema = await schemaWith(`create table t (id int, d date, z timestamptz);
      insert into t values (1, '2000-01-01', '294276-12-31Z'), (2, null, '294247-01-10 04:00:54.775807Z'),
      (3, null, '294247-01-10 04:00:54.775806Z')`)
    const [batch] = await readAll(schema, await only(schema))
    assert.equal(batch?.rowCount, 1)
    assert.deepEqual(
      batch?.rejects.map(({ row, field, properties }) => [row, field, properties]),
      [
        [1, 'z', { id: 1, d: '2000-01-01', z: null }],
        [2, 'z', { id: 2, d: null, z: null }],
      ],
    )
  })

  it('have infinite dates and times, and decimals that are no numbers', async () => {
    const schema = await schemaWith(`create table t (d date, l timestamp, z timestamptz, n numeric);
      insert into t values ('infinity', '-infinity', 'infinity', 'NaN'), ('-infinity', 'infinity', '-infinity', '-Infinity'),
      (null, null, null, 'Infinity')`)
    const [batch] = await readAll(schema, await only(schema))
    assert.equal(batch?.rejects.length, 0)
    const rows = Array.from({ length: 3 }, (_, row) =>
      batch?.columns.map((column) => columnValue(column, row)),
    )
    assert.deepEqual(rows, [
      [lastDay, firstMicros, lastMicros, 'NaN'],
      [firstDay, lastMicros, firstMicros, '-Infinity'],
      [null, null, null, 'Infinity'],
    ])
  })

  it('take type, dimensions and CRS of the geometry from its declaration', async () => {
    const schema = await schemaWith('create table t (g geometry(MultiPolygonZM, 25832))')
    const { geometry } = (await only(schema)).schema
    assert.deepEqual(
      { ...geometry, crs: geometry?.crs?.srs },
      { name: 'g', type: 'MultiPolygon', hasZ: true, hasM: true, crs: 'EPSG:25832' },
    )
  })

  it('look at the rows of a geometry that declares nothing, and reject those of another SRID', async () => {
    const schema = await schemaWith(`create table t (id int, g geometry); insert into t values
      (1, 'SRID=4326;POINT(1 2)'), (2, 'SRID=4326;MULTIPOINT(1 2, 3 4)'), (3, 'SRID=3857;POINT(5 6)'), (4, null)`)
    const table = await only(schema)
    assert.equal(table.schema.geometry?.type, 'MultiPoint')
    assert.equal(table.schema.geometry?.crs?.srs, 'EPSG:4326')
    const [batch] = await readAll(schema, table)
    assert.equal(batch?.rowCount, 3)
    assert.match(batch?.rejects[0]?.reason ?? '', /SRID 3857/)
  })

  it('bring geometries of different dimensions to the same, and arcs to lines', async () => {
    const schema = await schemaWith(`create table t (id int, g geometry); insert into t values
      (1, 'SRID=3857;LINESTRING(1 2, 3 4)'), (2, 'SRID=3857;LINESTRING Z (1 2 3, 4 5 6)'),
      (3, 'SRID=3857;CIRCULARSTRING(0 0, 1 1, 2 0)')`)
    const table = await only(schema)
    assert.deepEqual([table.schema.geometry?.type, table.schema.geometry?.hasZ], ['LineString', true])
    const [first, second, third = ''] = shapesOf(await readAll(schema, table))
    assert.equal(first, 'LINESTRING Z (1 2 0,3 4 0)')
    assert.equal(second, 'LINESTRING Z (1 2 3,4 5 6)')
    assert.ok(third.split(',').length > 30)
  })

  it('give a geography in longitude and latitude', async () => {
    const schema = await schemaWith(
      `create table t (g geography(Point)); insert into t values ('POINT(7 51)')`,
    )
    const table = await only(schema)
    assert.equal(table.schema.geometry?.crs?.srs, 'EPSG:4326')
    assert.deepEqual(shapesOf(await readAll(schema, table)), ['POINT (7 51)'])
  })

  it('give further geometries as text, and say so', async () => {
    const schema = await schemaWith(`create table t (a geometry(Point, 4326), b geometry(Point, 4326));
      insert into t values ('SRID=4326;POINT(1 2)', 'SRID=4326;POINT(3 4)')`)
    const table = await only(schema)
    assert.equal(table.schema.geometry?.name, 'a')
    assert.equal(table.messages[0]?.code, 'geometry-as-text')
    assert.deepEqual(rowsOf(await readAll(schema, table)), [{ b: 'POINT(3 4)' }])
  })

  it('know their rows and bounds beforehand', async () => {
    const schema = await schemaWith(`create table t (g geometry(Point, 4326)); insert into t
      select ST_SetSRID(ST_MakePoint(i, -i), 4326) from generate_series(1, 5000) i`)
    const table = await only(schema)
    assert.equal(table.featureCount, 5000)
    assert.deepEqual(table.envelope, { minX: 1, minY: -5000, maxX: 5000, maxY: -1 })
    const batches = await readAll(schema, table)
    assert.equal(
      batches.reduce((sum, batch) => sum + batch.rowCount, 0),
      5000,
    )
  })

  it('are read under names that need quotes', async () => {
    const schema =
      await schemaWith(`create table "T 'x""y" ("a ""b" int, "select" text, "Geo m" geometry(Point, 4326));
      insert into "T 'x""y" values (1, 'x', 'SRID=4326;POINT(1 2)')`)
    const table = await only(schema)
    assert.deepEqual(rowsOf(await readAll(schema, table)), [{ 'a "b': 1, select: 'x' }])
  })

  it('are all listed but parts, loads under way and views without geometry', async () => {
    const schema = await schemaWith(`create table b (i int); create table a (i int);
      create table p (i int) partition by range (i); create table p1 partition of p for values from (0) to (9);
      create table terrane_load_x (i int); create view v as select 1 as i;
      create view g as select ST_SetSRID(ST_MakePoint(1, 2), 4326)::geometry(Point, 4326) as geom;
      create materialized view m as select 'POINT(1 2)'::geometry as geom`)
    assert.deepEqual(
      (await describeAll(schema)).tables.map(({ name }) => name),
      ['a', 'b', 'g', 'm', 'p'],
    )
    assert.deepEqual(
      (await describeAll(schema, ['v', 'p1'])).tables.map(({ name }) => name),
      ['p1', 'v'],
    )
  })

  it('are refused when their columns changed since they were described', async () => {
    const schema = await schemaWith('create table t (a int, b int)')
    const table = await only(schema)
    await runSql(url, `alter table ${schema}.t drop column b`)
    await assert.rejects(readAll(schema, table), /has changed since it was examined: its columns changed/)
  })

  it('are read as they stood at the beginning', async () => {
    const schema = await schemaWith('create table t (a int); insert into t select generate_series(1, 20000)')
    const table = await only(schema)
    let rows = 0
    for await (const batch of postgres.read({ ...databaseConnection(url), schema }, table, { signal })) {
      if (rows === 0) await runSql(url, `delete from ${schema}.t where a % 2 = 0`)
      rows += batch.rowCount
    }
    assert.equal(rows, 20_000)
  })

  it('leave no connection behind when they are read no further, or aborted', async () => {
    const schema = await schemaWith(
      'create table t (a text); insert into t select repeat(i::text, 200) from generate_series(1, 100000) i',
    )
    const connection = { ...databaseConnection(url), schema }
    const table = await only(schema)
    for await (const batch of postgres.read(connection, table, { signal })) if (batch.rowCount > 0) break
    const abort = new AbortController()
    const read = async (): Promise<void> => {
      for await (const batch of postgres.read(connection, table, { signal: abort.signal })) {
        if (batch.rowCount > 0) abort.abort(new Error('stopped by the test'))
      }
    }
    await assert.rejects(read(), /stopped by the test/)
    const busy = `select pid from pg_stat_activity where application_name = 'terrane_import' and datname = current_database()`
    await until(async () => (await runSql(url, busy)).length === 0)
  })
})
