import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { never } from '../../../tests/contract/store-session.ts'
import { fileDatabase, storeParameters } from '../../../tests/support/postgis-store.ts'
import { runSql } from '../../../tests/support/postgres.ts'
import { Failure } from '../../core/errors/errors.ts'
import { parseCql2Text } from '../../filters/cql2-text.ts'
import { columnValue } from '../../geo/column.ts'
import { filterIn } from '../reading/filter-in-crs.ts'
import { toRequestFilter } from '../reading/request-filter.ts'
import type { FeatureQuery, VectorStore } from '../store.ts'
import { parseConnectionSettings } from './connection-settings.ts'
import { createPostgisStore } from './postgis-store.ts'
import { conditionsOf } from './read-conditions.ts'
import { ReadPool } from './read-pool.ts'
import type { Workers } from './reading-workers.ts'
import { workersForCount, workersForRows } from './reading-workers.ts'
import { findTableFacts } from './table-facts.ts'

const home = 'read_features'
type Shown = Record<string, unknown>

/** Returns each feature with its id and its attributes by name. */
async function read(store: VectorStore, query: Partial<FeatureQuery> = {}, signal = never): Promise<Shown[]> {
  const shown: Shown[] = []
  const whole = { table: 'things', limit: 10, offset: 0, ...query }
  for await (const { batch, ids } of store.readFeatures(whole, signal)) {
    for (let row = 0; row < batch.rowCount; row += 1) {
      const values = batch.columns.map((column, index) => [
        batch.schema.attributes[index]?.name,
        columnValue(column, row),
      ])
      shown.push({ id: ids[row], ...Object.fromEntries(values) })
    }
  }
  return shown
}

/** Changes to a table by other clients: the next page must equal that of a new reader. */
const changes: Record<string, string> = {
  'a column more': 'alter table things add extra int default 7',
  'a column less': 'alter table things drop extra',
  'a column of another type': 'alter table things alter b type text using b::text',
  'two columns that change their names': `alter table things rename a to c; alter table things rename b to a;
    alter table things rename c to b`,
  'a date that becomes a number': `alter table things alter day type int using 5`,
  'a time that gets a zone': `alter table things alter at type timestamptz using at at time zone 'Asia/Tokyo'`,
  'a key of another type': `alter table things alter key type text using 'k' || key`,
  'another key': `alter table things drop constraint things_pkey, add primary key (b)`,
  'no key': 'alter table things drop constraint things_pkey',
  'another table of the name': `drop table things;
    create table things (b text primary key, a int, key boolean, day int, at date);
    insert into things values ('x', 1, true, 2, '2024-01-01'), ('y', 2, false, 3, null)`,
  'a view of the name': `alter table things rename to stuff;
    create view things as select a as b, b as a, key from stuff`,
  'the table again': `drop view things; alter table stuff rename to things`,
  'no rows': 'truncate things; alter table things drop a',
}

describe('pages of a PostGIS table', () => {
  let url: string
  let store: VectorStore

  before(async () => {
    url = await fileDatabase()
    await runSql(
      url,
      `create schema ${home}; set search_path = ${home}, public;
       create table things (key int primary key, a int, b float8, day date, at timestamp, geom geometry(Point, 4326));
       insert into things values (1, 1, 1.5, '2024-01-02', '2024-01-02 03:04:05', 'srid=4326;point(1 2)'),
         (2, 2, 2.5, '2024-01-03', '2024-01-03 03:04:05', 'srid=4326;point(3 4)')`,
    )
    store = createPostgisStore(storeParameters(url, home))
  })
  after(() => store.close())

  const sql = (text: string) => runSql(url, `set search_path = ${home}, public; ${text}`)

  for (const [name, change] of Object.entries(changes)) {
    it(`show at once: ${name}`, async () => {
      for (let time = 0; time < 6; time += 1) await read(store)
      const [first] = await read(store)
      const key = String(first?.['id'])
      await read(store, { featureId: key })
      await sql(change)
      const fresh = createPostgisStore(storeParameters(url, home))
      try {
        const expected = await read(fresh)
        const keys = [key, ...expected.map(({ id }) => String(id))]
        for (const featureId of keys)
          assert.deepEqual(await read(store, { featureId }), await read(fresh, { featureId }), featureId)
        assert.deepEqual(await read(store), expected)
        assert.deepEqual(await read(store, { limit: Number.POSITIVE_INFINITY }), expected)
        assert.equal(await store.count({ table: 'things' }, never), expected.length)
      } finally {
        await fresh.close()
      }
    })
  }

  it('use an index of a condition beside a calculation', async () => {
    const [plans, table] = [new Client({ connectionString: url }), 'indexed']
    await sql(`create table ${table} (key int primary key, n int, kind int, geom geometry(Point, 4326));
      insert into ${table} select i, i, i % 5000, ST_SetSRID(ST_Point(i % 360 - 180, i % 90), 4326)
        from generate_series(1, 50000) i;
      create index indexed_kind on ${table} (kind); create index indexed_geom on ${table} using gist (geom);
      analyze ${table}`)
    await plans.connect()
    try {
      const facts = await findTableFacts(plans, home, table)
      assert.ok(facts)
      const schema = await store.findTable(table)
      assert.ok(schema)
      for (const [cql, index] of [
        ['n * 2 > 1000 AND kind = 7', 'indexed_kind'],
        ['kind IN (7, 8) AND (n + 1) / 2 > 7 AND NOT (n % 2 = 0)', 'indexed_kind'],
        ['n * 2 > 1000 AND S_INTERSECTS(geom, BBOX(5, 5, 6, 6))', 'indexed_geom'],
        ['n * 2 > 1000 AND S_WITHIN(geom, BBOX(5, 5, 6, 6))', 'indexed_geom'],
        ['n ^ 2 > 1000 AND S_OVERLAPS(geom, BBOX(179, 5, 181, 6))', 'indexed_geom'],
      ] as const) {
        const srs = 'EPSG:4326'
        const filter = await filterIn(toRequestFilter(parseCql2Text(cql), schema.schema, srs), srs)
        const { sql: where, values } = conditionsOf(facts, { table, filter })
        const { rows } = await plans.query(`explain select key from ${home}.${table} ${where}`, values)
        const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
        assert.match(plan, new RegExp(`Index.* ${index}\\b`), `${cql}\n${plan}`)
      }
    } finally {
      await plans.end()
    }
  })

  it('never take values for those of another type while types change', async () => {
    await sql(
      'create table turns (key int primary key, value int); insert into turns values (1, 11), (2, 22)',
    )
    let isDone = false
    const turning = (async () => {
      for (let turn = 0; turn < 15; turn += 1) {
        await sql(`alter table turns alter value type text using 'n' || value`)
        await sql('alter table turns alter value type int using substr(value, 2)::int')
      }
      isDone = true
    })()
    while (!isDone) {
      // Expects an error if the table changes on each attempt.
      const rows = await read(store, { table: 'turns' }).catch((error: unknown) => {
        if (!(error instanceof Failure && error.code === 'table-changing')) throw error
        return undefined
      })
      const values = rows?.map(({ value }) => value).join() ?? '11,22'
      assert.ok(['11,22', 'n11,n22'].includes(values), values)
    }
    await turning
    assert.deepEqual(
      (await read(store, { table: 'turns' })).map(({ value }) => value),
      [11, 22],
    )
  })

  for (const limit of [10, Number.POSITIVE_INFINITY]) {
    it(`are those of the table as it is after who reads it first has waited for a change, up to ${limit}`, async () => {
      await sql(
        'drop table if exists going; create table going (key int primary key, value int); insert into going values (1, 11)',
      )
      const holder = new Client({ connectionString: url })
      const fresh = createPostgisStore(storeParameters(url, home))
      await holder.connect()
      try {
        await holder.query(`begin; lock table ${home}.going in access exclusive mode`)
        const page = read(fresh, { table: 'going', limit })
        const waiting = () =>
          sql(
            `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%"going" as feature%'`,
          )
        while ((await waiting()).length === 0);
        await holder.query(`alter table ${home}.going drop column value; commit`)
        assert.deepEqual(await page, [{ id: '1', key: 1 }])
      } finally {
        await holder.end()
        await fresh.close()
      }
    })
  }

  it('of a box look for rows without a place only where there can be some, and see when there can', async () => {
    await sql(`create table placed (key int primary key, geom geometry(Point, 4326) not null);
      insert into placed values (1, 'srid=4326;point(1 2)'), (2, 'srid=4326;point(9 9)')`)
    const bboxes = [{ minX: 0, minY: 0, maxX: 5, maxY: 5 }]
    const client = new Client({ connectionString: url })
    await client.connect()
    const condition = async (): Promise<string> => {
      const facts = await findTableFacts(client, home, 'placed')
      assert.ok(facts)
      return conditionsOf(facts, { table: 'placed', bboxes } as FeatureQuery).sql
    }
    const keys = async (): Promise<unknown[]> =>
      (await read(store, { table: 'placed', bboxes })).map(({ key }) => key)
    try {
      assert.doesNotMatch(await condition(), /is null/)
      assert.deepEqual(await keys(), [1])
      assert.equal(await store.count({ table: 'placed', bboxes }, never), 1)
      await sql('alter table placed alter geom drop not null; insert into placed values (3, null)')
      assert.deepEqual(await keys(), [1, 3])
      assert.equal(await store.count({ table: 'placed', bboxes }, never), 2)
      assert.match(await condition(), /is null/)
    } finally {
      await client.end()
    }
  })

  it('are right with more kinds of questions than are kept prepared', async () => {
    await sql('create table many (key int primary key); insert into many select generate_series(1, 100)')
    for (let limit = 1; limit <= 100; limit += 1)
      assert.equal((await read(store, { table: 'many', limit })).length, limit)
  })

  it('end in the database when nobody wants them any more', async () => {
    await sql('create table held (key int primary key); insert into held values (1)')
    await read(store, { table: 'held' })
    const waiting = () =>
      sql(`select pid from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'terrane'
        and query like '%"held"%'`)
    const holder = new Client({ connectionString: url })
    await holder.connect()
    try {
      await holder.query(`begin; lock table ${home}.held in access exclusive mode`)
      const controller = new AbortController()
      const page = read(store, { table: 'held' }, controller.signal)
      const refused = assert.rejects(page, /gone/)
      while ((await waiting()).length === 0);
      controller.abort(new Error('gone'))
      await refused
      while ((await waiting()).length > 0);
    } finally {
      await holder.end()
    }
    assert.equal((await read(store, { table: 'held' })).length, 1)
  })
})

const kinds: Record<string, string> = {
  'a key of numbers': 'create table many (key bigint primary key, a int, b text, geom geometry(Point, 4326))',
  'a key of texts':
    'create table many (key text collate "und-x-icu" primary key, a int, b text, geom geometry(Point, 4326))',
  'no key': 'create table many (key bigint, a int, b text, geom geometry(Point, 4326))',
  'two columns as key':
    'create table many (key bigint, a int, b text, geom geometry(Point, 4326), unique (key, a))',
  parts: `create table many (key bigint, a int, b text, geom geometry(Point, 4326), primary key (key)) partition by hash (key);
    create table many_0 partition of many for values with (modulus 2, remainder 0);
    create table many_1 partition of many for values with (modulus 2, remainder 1)`,
}
const fillMany = `insert into many select n * 7 % 1009, case when n % 5 = 0 then null else n % 13 end, 't' || n % 3,
  case when n % 11 = 0 then null else st_setsrid(st_point(n % 90, n % 45), 4326) end from generate_series(1, 1008) n`

describe('pages of a PostGIS table behind an offset', () => {
  const orders: NonNullable<FeatureQuery['sort']>[] = [
    [],
    [{ attribute: 'a', isDescending: false }],
    [{ attribute: 'a', isDescending: true }],
    [
      { attribute: 'b', isDescending: true },
      { attribute: 'a', isDescending: false },
    ],
  ]
  const requests: Partial<FeatureQuery>[] = [
    {},
    { bboxes: [{ minX: 10, minY: 5, maxX: 40, maxY: 30 }] },
    { filter: { kind: 'numbers', op: '>', left: { attribute: 'a' }, right: { digits: '6' } } },
  ]
  for (const [kind, create] of Object.entries(kinds))
    it(`are as those of the whole, with ${kind}`, async () => {
      const url = await fileDatabase()
      await runSql(
        url,
        `create schema if not exists ${home}; set search_path = ${home}, public; drop table if exists many cascade; ${create}; ${fillMany}`,
      )
      const store = createPostgisStore(storeParameters(url, home))
      try {
        for (const sort of orders)
          for (const request of requests) {
            const query = { table: 'many', sort, ...request }
            const whole = await read(store, { ...query, limit: 5000 })
            assert.ok(whole.length > 100)
            for (const offset of [1, 7, 99, whole.length - 3, whole.length, 4000])
              for (const limit of [1, 5, 2000, Number.POSITIVE_INFINITY])
                assert.deepEqual(
                  await read(store, { ...query, offset, limit }),
                  whole.slice(offset, offset + limit),
                  JSON.stringify({ sort, request, offset, limit }),
                )
          }
      } finally {
        await store.close()
      }
    })
})

describe('estimates of rows of a PostGIS table', () => {
  it('come from the planner, also for boxes and views, and are 0 where there is no table', async () => {
    const url = await fileDatabase()
    await runSql(
      url,
      `create schema estimates; create table estimates.points as
         select n as fid, ST_SetSRID(ST_MakePoint(n / 1000.0, n % 100), 4326)::geometry(Point, 4326) as geom
         from generate_series(1, 100000) n;
       create index on estimates.points using gist (geom);
       create view estimates.few as select * from estimates.points limit 10;
       analyze estimates.points`,
    )
    const store = createPostgisStore(storeParameters(url, 'estimates'))
    const estimate = async (table: string, maxX?: number): Promise<number> => {
      const boxes = maxX === undefined ? undefined : [{ minX: 0, minY: 0, maxX, maxY: 100 }]
      return (await store.estimateRows?.(table, boxes, never)) ?? Number.NaN
    }
    try {
      assert.equal(await estimate('points'), 100_000)
      assert.equal(await estimate('few'), 10)
      assert.equal(await estimate('none'), 0)
      const near = await estimate('points', 1)
      assert.ok(near > 100 && near < 10_000, String(near))
    } finally {
      await store.close()
    }
  })
})

describe('connections that read PostGIS', () => {
  it('leave the workers to the database but near a place, where they are not worth their start', async () => {
    const url = await fileDatabase()
    const pool = new ReadPool(parseConnectionSettings(storeParameters(url, home)), { maxConnections: 1 })
    const settings = async (workers?: Workers): Promise<string> => {
      const { client, release } = await pool.lease(never, workers)
      try {
        const most = await client.query('show max_parallel_workers_per_gather')
        const cost = await client.query('show parallel_setup_cost')
        return `${most.rows[0]?.max_parallel_workers_per_gather} ${cost.rows[0]?.parallel_setup_cost}`
      } finally {
        release()
      }
    }
    try {
      const usual = await settings()
      const [most, cost] = usual.split(' ')
      assert.notEqual(most, '0')
      const selected: Workers[] = ['one', 'one', 'usual', 'forMuch', 'one', 'forMuch', 'usual', 'usual']
      const seen = []
      for (const workers of selected) seen.push(await settings(workers))
      const expected = { usual, one: `0 ${cost}`, forMuch: `${most} 500000` }
      assert.deepEqual(
        seen,
        selected.map((workers) => expected[workers]),
      )
      assert.equal(await settings(), usual)
    } finally {
      await pool.close()
    }
    const bboxes = [{ minX: 0, minY: 0, maxX: 1, maxY: 1 }]
    const page = { table: 'many', limit: 10, offset: 0 }
    const queries: FeatureQuery[] = [
      { ...page, bboxes },
      page,
      { ...page, bboxes, sort: [{ attribute: 'a', isDescending: false }] },
      { ...page, bboxes, limit: Number.POSITIVE_INFINITY },
    ]
    assert.deepEqual(queries.map(workersForRows), ['one', 'usual', 'usual', 'usual'])
    assert.deepEqual(queries.map(workersForCount), ['forMuch', 'usual', 'forMuch', 'forMuch'])
  })
})
