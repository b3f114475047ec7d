import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadRows, readRows } from '../../../tests/contract/store-session.ts'
import type { Row } from '../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../tests/support/batches.ts'
import { fileDatabase, storeParameters } from '../../../tests/support/postgis-store.ts'
import { runSql } from '../../../tests/support/postgres.ts'
import { until } from '../../../tests/support/until.ts'
import type { VectorStore } from '../store.ts'
import { createPostgisStore } from './postgis-store.ts'

const schema = schemaOf({ code: 'int32', name: 'text' }, 'Point')
const row = (code: number | null, name: string): Row => ({
  geometry: wkb('Point', [1, 2]),
  values: [code, name],
})

interface Bench {
  url: string
  store: VectorStore
  sql(text: string): Promise<Record<string, unknown>[]>
  names(): Promise<unknown[]>
}

const waitingSql = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
let count = 0

/** Creates a table `layer` with the rows (1, a) and (2, b) in a schema of its own. */
async function withTable(work: (bench: Bench) => Promise<void>): Promise<void> {
  const url = await fileDatabase()
  count += 1
  const home = `replace_${count}`
  await runSql(url, `create schema ${home}`)
  const store = createPostgisStore(storeParameters(url, home))
  const sql = (text: string): Promise<Record<string, unknown>[]> =>
    runSql(url, `set search_path = ${home}, public; ${text}`)
  try {
    await loadRows(store, { schema, rows: [row(1, 'a'), row(2, 'b')] })
    const names = async (): Promise<unknown[]> => (await readRows(store)).map(({ values }) => values[1])
    await work({ url, store, sql, names })
    assert.deepEqual(
      await sql(`select relname from pg_class where relname like 'terrane_load_%'`),
      [],
      'a staging table is left',
    )
  } finally {
    await store.close()
  }
}

const replace = (store: VectorStore, rows: Row[]): ReturnType<typeof loadRows> =>
  loadRows(store, { mode: 'REPLACE', schema, rows })

it('keeps a view on the table, and the view shows the new rows', () =>
  withTable(async ({ store, sql }) => {
    await sql('create view names as select name from layer')
    await replace(store, [row(3, 'c')])
    assert.deepEqual(await sql('select name from names'), [{ name: 'c' }])
  }))

it('keeps privileges, comments, policies, triggers and options', () =>
  withTable(async ({ store, sql }) => {
    await sql(`create function note() returns trigger language plpgsql as 'begin return new; end';
      create trigger noted after insert on layer for each row execute function note();
      comment on table layer is 'mine'; comment on column layer.name is 'also mine';
      grant select on layer to public; create policy all_rows on layer using (true);
      alter table layer set (fillfactor = 70)`)
    const facts = `select relacl::text, reloptions::text, obj_description(oid) as comment,
      (select count(*) from pg_trigger where tgrelid = c.oid)::int as triggers,
      (select count(*) from pg_policy where polrelid = c.oid)::int as policies
      from pg_class c where oid = 'layer'::regclass`
    const before = await sql(facts)
    await replace(store, [row(3, 'c')])
    assert.deepEqual(await sql(facts), before)
  }))

it('keeps grants alone, which a swapped table would lose', () =>
  withTable(async ({ store, sql, names }) => {
    await sql('grant select on layer to public')
    await replace(store, [row(3, 'c')])
    assert.deepEqual(await sql(`select has_table_privilege('public', 'layer', 'select') as ok`), [
      { ok: true },
    ])
    assert.deepEqual(await names(), ['c'])
  }))

it('swaps a table that stands alone, with its primary key, indexes and names', () =>
  withTable(async ({ store, sql }) => {
    await sql(
      `create index by_name on layer (name); create index "Odd ""name" on layer (lower(name)) where code > 0`,
    )
    const facts = `select c.relname, replace(pg_get_indexdef(c.oid), c.oid::text, '') as definition from pg_class c
      join pg_index i on i.indexrelid = c.oid where i.indrelid = 'layer'::regclass order by 1`
    const columns = `select attname, format_type(atttypid, atttypmod) as type, attnotnull, attidentity
      from pg_attribute where attrelid = 'layer'::regclass and attnum > 0 order by attnum`
    const before = [
      await sql(facts),
      await sql(columns),
      await sql(`select pg_get_serial_sequence('layer', 'fid')`),
    ]
    const [old] = await sql(`select 'layer'::regclass::oid as oid`)
    await replace(store, [row(3, 'c')])
    const after = [
      await sql(facts),
      await sql(columns),
      await sql(`select pg_get_serial_sequence('layer', 'fid')`),
    ]
    assert.deepEqual(after, before)
    assert.notDeepEqual(await sql(`select 'layer'::regclass::oid as oid`), [old])
    assert.deepEqual(await sql(`select conname from pg_constraint where conrelid = 'layer'::regclass`), [
      { conname: 'layer_pkey' },
    ])
  }))

it('rejects rows that a unique index does not take twice, and keeps the index', () =>
  withTable(async ({ store, sql, names }) => {
    await sql('create unique index one_code on layer (code)')
    const { result, rejects } = await replace(store, [
      row(7, 'x'),
      row(7, 'y'),
      row(null, 'n'),
      row(null, 'm'),
    ])
    assert.deepEqual([result.rowsLoaded, rejects.length], [3, 1])
    assert.equal(rejects[0]?.row, 2)
    assert.equal(rejects[0]?.field, 'code')
    assert.match(rejects[0]?.reason ?? '', /one_code/)
    assert.deepEqual(await names(), ['x', 'n', 'm'])
    await assert.rejects(sql(`insert into layer (code) values (7)`), { code: '23505' })
  }))

it('rejects rows on APPEND that a unique index has already, expressions and conditions included', () =>
  withTable(async ({ store, sql, names }) => {
    await sql('create unique index one_name on layer (lower(name)) where code > 0')
    const { result, rejects } = await loadRows(store, {
      mode: 'APPEND',
      schema,
      rows: [row(5, 'A'), row(-5, 'A'), row(6, 'c'), row(7, 'C')],
    })
    assert.deepEqual([result.rowsLoaded, rejects.length], [2, 2])
    assert.deepEqual(
      rejects.map(({ row: number }) => number),
      [1, 4],
    )
    assert.deepEqual(await names(), ['a', 'b', 'A', 'c'])
  }))

it('rejects rows that break NOT NULL, CHECK or a foreign key, each by name', () =>
  withTable(async ({ store, sql, names }) => {
    await sql(`create table kinds (id int primary key); insert into kinds values (1), (2), (300);
      alter table layer alter name set not null;
      alter table layer add constraint small check (code < 100), add constraint known foreign key (code) references kinds`)
    const { rejects } = await loadRows(store, {
      mode: 'REPLACE',
      schema,
      rows: [row(1, 'ok'), { values: [2, null] }, row(300, 'large'), row(50, 'unknown'), row(null, 'none')],
    })
    assert.deepEqual(
      rejects.map(({ row: number, field }) => [number, field]),
      [
        [2, 'name'],
        [3, 'code'],
        [4, 'code'],
      ],
    )
    assert.match(rejects[1]?.reason ?? '', /"small"/)
    assert.match(rejects[2]?.reason ?? '', /"known"/)
    assert.deepEqual(await names(), ['ok', 'none'])
  }))

it('replaces rows that others refer to when the new ones have the same keys, and fails whole when not', () =>
  withTable(async ({ store, sql, names }) => {
    await sql(`alter table layer add unique (code); create table notes (code int references layer (code));
      insert into notes values (2)`)
    await replace(store, [row(2, 'new'), row(9, 'z')])
    assert.deepEqual(await names(), ['new', 'z'])
    await assert.rejects(replace(store, [row(9, 'only')]), { kind: 'conflict', code: 'constraint-violated' })
    assert.deepEqual(await names(), ['new', 'z'])
  }))

it('refuses to replace rows whose going would delete rows of other tables', () =>
  withTable(async ({ store, sql, names }) => {
    await sql(`alter table layer add unique (code);
      create table notes (code int references layer (code) on delete cascade)`)
    await assert.rejects(replace(store, [row(1, 'x')]), { code: 'table-referenced', message: /notes/ })
    assert.deepEqual(await names(), ['a', 'b'])
  }))

it('fills columns of other types, leaves generated ones and defaults to the server', () =>
  withTable(async ({ store, sql }) => {
    await sql(`create type mood as enum ('glad', 'sad');
      create table odd (id serial primary key, mood mood, data jsonb, net inet, code char(3), n numeric(5, 2),
        at timestamp, twice int generated always as (length(data::text)) stored, kind text default 'new',
        location geography(Point, 4326))`)
    const columns = {
      MOOD: 'text',
      data: 'text',
      net: 'text',
      code: 'text',
      n: 'float64',
      at: 'timestamp',
    } as const
    const { result, rejects } = await loadRows(store, {
      table: 'odd',
      mode: 'APPEND',
      schema: schemaOf(columns, 'Point'),
      rows: [
        { geometry: wkb('Point', [8, 47]), values: ['glad', '{"a": 1}', '10.0.0.1', 'ab', 1.5, 0n] },
        { values: ['angry', '{}', null, null, null, null] },
        { values: ['sad', '{', null, null, null, null] },
        { values: [null, null, null, 'abcd', null, null] },
        { values: [null, null, null, null, 1.005, null] },
        { values: [null, null, null, null, 1000, null] },
      ],
    })
    assert.deepEqual([result.rowsLoaded, rejects.length], [1, 5])
    assert.deepEqual(rejects.map(({ row: number, field }) => [number, field]).sort(), [
      [2, 'mood'],
      [3, 'data'],
      [4, 'code'],
      [5, 'n'],
      [6, 'n'],
    ])
    assert.deepEqual(
      await sql(`select mood::text, data->>'a' as a, net::text, code, n::text, at::text, twice, kind,
        ST_AsText(location) as location from odd`),
      [
        {
          mood: 'glad',
          a: '1',
          net: '10.0.0.1/32',
          code: 'ab ',
          n: '1.50',
          at: '1970-01-01 00:00:00',
          twice: 8,
          kind: 'new',
          location: 'POINT(8 47)',
        },
      ],
    )
    const found = await store.findTable('odd')
    assert.deepEqual(
      found?.schema.attributes.map(({ name }) => name),
      ['mood', 'data', 'net', 'code', 'n', 'at', 'twice', 'kind'],
    )
    const [read] = await readRows(store, { table: 'odd' })
    assert.deepEqual(read?.values, ['glad', '{"a": 1}', '10.0.0.1/32', 'ab', '1.50', 0n, 8, 'new'])
    assert.equal(read?.id, '1')
  }))

it('loads given values of a numbered column, and numbers later rows behind them', () =>
  withTable(async ({ store, sql }) => {
    await loadRows(store, {
      mode: 'APPEND',
      schema: schemaOf({ FID: 'int64', name: 'text' }, 'Point'),
      rows: [{ values: [100n, 'given'] }, { values: [1n, 'taken'] }],
    })
    assert.deepEqual(await sql(`insert into layer (name) values ('next') returning fid::int`), [{ fid: 101 }])
  }))

it('names a column that needs a value the data do not have', () =>
  withTable(async ({ store, sql, names }) => {
    await sql(
      `alter table layer add owner text not null default 'me'; alter table layer alter owner drop default`,
    )
    await assert.rejects(replace(store, [row(1, 'x')]), { code: 'column-required', message: /"owner"/ })
    assert.deepEqual(await names(), ['a', 'b'])
  }))

it('refuses to load into a view', () =>
  withTable(async ({ store, sql }) => {
    await sql('create view copy as select * from layer')
    await assert.rejects(loadRows(store, { table: 'copy', mode: 'REPLACE', schema }), { code: 'not-a-table' })
    await assert.rejects(loadRows(store, { table: 'copy', schema }), { code: 'table-exists' })
    assert.equal((await store.findTable('copy'))?.featureCount, 2)
    assert.deepEqual((await readRows(store, { table: 'copy' })).length, 2)
  }))

it('refuses a name that another session takes at the same moment', () =>
  withTable(async ({ url, store, sql }) => {
    const { Client } = await import('pg')
    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query(`begin; create table replace_${count}.twin (code int)`)
    const loading = loadRows(store, { table: 'twin', schema, rows: [row(1, 'a')] })
    const refused = assert.rejects(loading, { code: 'table-exists' })
    await until(async () => (await sql(waitingSql)).length > 0)
    await other.query('commit')
    await other.end()
    await refused
  }))

it('waits for a reader that holds the old table, and for nobody before that', () =>
  withTable(async ({ url, store, names, sql }) => {
    const { Client } = await import('pg')
    const reader = new Client({ connectionString: url })
    await reader.connect()
    await reader.query(`begin; select from replace_${count}.layer`)
    let isDone = false
    const loading = replace(store, [row(3, 'c')]).then(() => {
      isDone = true
    })
    await until(async () => (await sql(waitingSql)).length > 0)
    assert.equal(isDone, false)
    assert.deepEqual((await reader.query(`select name from replace_${count}.layer order by fid`)).rows, [
      { name: 'a' },
      { name: 'b' },
    ])
    await reader.query('commit')
    await loading
    await reader.end()
    assert.deepEqual(await names(), ['c'])
  }))
