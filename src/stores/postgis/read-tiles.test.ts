import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { never } from '../../../tests/contract/store-session.ts'
import { rowsOf } from '../../../tests/support/batches.ts'
import { fileDatabase, storeParameters } from '../../../tests/support/postgis-store.ts'
import { runSql } from '../../../tests/support/postgres.ts'
import { patience, until } from '../../../tests/support/until.ts'
import type { TileNote, TileQuery, TileReads, VectorStore } from '../store.ts'
import { tileReadingOf } from '../tile-reading.ts'
import { createPostgisStore } from './postgis-store.ts'

const home = 'read_tiles'
const box = { minX: 10, minY: 10, maxX: 30, maxY: 30 }

interface Shown {
  id: string
  values: unknown[]
  wkb: string
}

async function read(reads: TileReads, table: string, query: Partial<TileQuery> = {}): Promise<Shown[]> {
  const shown: Shown[] = []
  for await (const { batch, ids } of reads.readTile({ table, ...query }, never)) {
    rowsOf(batch).forEach(({ geometry, values }, index) => {
      shown.push({ id: ids[index] ?? '', values, wkb: Buffer.from(geometry ?? []).toString('hex') })
    })
  }
  return shown
}

/** Tables of all kinds, each with a column `n` and a geometry. */
const tables: Record<string, string> = {
  'a key': 'create table t (n int primary key, g geometry(Geometry, 4326)); create index on t using gist (g)',
  'no key and no index': 'create table t (n int, g geometry(Geometry, 4326))',
  'a key of text': 'create table t (n text primary key, g geometry(Geometry, 4326))',
  'a key of two columns':
    'create table t (n int, m int default 1, g geometry(Geometry, 4326), primary key (n, m))',
  'a key of another type': 'create table t (n numeric primary key, g geometry(Geometry, 4326))',
  'geometries of no declared type': 'create table t (n int primary key, g geometry)',
  'a geography': 'create table t (n int primary key, g geography(Geometry, 4326))',
  partitions:
    'create table t (n int primary key, g geometry(Geometry, 4326)) partition by hash (n); create table t0 partition of t for values with (modulus 2, remainder 0); create table t1 partition of t for values with (modulus 2, remainder 1)',
  'a view': 'create table u (n int, g geometry(Geometry, 4326)); create view t as select n, g from u',
  'a materialized view':
    'create table u (n int, g geometry(Geometry, 4326)); create materialized view t as select n, g from u',
}

describe('rows for tiles from PostGIS', () => {
  let url: string
  let store: VectorStore

  before(async () => {
    url = await fileDatabase()
    store = createPostgisStore(storeParameters(url, home))
    await runSql(url, `create schema ${home}`)
  })
  after(() => store.close())

  const sql = (text: string) => runSql(url, `set search_path = ${home}, public; ${text}`)
  const renew = async (text: string, filled: string): Promise<void> => {
    await runSql(url, `drop schema ${home} cascade; create schema ${home}`)
    await sql(text)
    await sql(
      `insert into ${filled} (n, g) select i, st_geomfromtext('linestring(' || i || ' 1,' || i || ' ' || (i % 40) || ')', 4326)
       from generate_series(1, 60) i;
       insert into ${filled} (n, g) values (100, null), (101, 'srid=4326;point empty'),
         (102, 'srid=4326;circularstring(12 12, 13 13, 14 12)')`,
    )
  }

  for (const [name, text] of Object.entries(tables)) {
    it(`are the same from a table with ${name} as SQL gives`, async (t) => {
      if (name === 'a geography') t.diagnostic('curves and empty points are no geographies: lines alone')
      const isView = text.includes('create table u')
      if (name === 'a geography') {
        await runSql(url, `drop schema ${home} cascade; create schema ${home}`)
        await sql(text)
        await sql(
          `insert into t select i, st_geomfromtext('linestring(' || i || ' 1,' || i || ' ' || (i % 40) || ')', 4326) from generate_series(1, 60) i`,
        )
      } else await renew(text, isView ? 'u' : 't')
      if (text.includes('materialized')) await sql('refresh materialized view t')
      const expected = (await sql(
        `select n::text as n, encode(st_asbinary(st_curvetoline(g::geometry), 'NDR'), 'hex') as wkb from t
         where g::geometry && st_makeenvelope(10, 10, 30, 30, 4326)`,
      )) as { n: string; wkb: string }[]
      const reading = tileReadingOf(store)
      const shown = await read(reading, 't', { boxes: [box] })
      const plain = (one: { n: string; wkb: string }[]): string[] =>
        one.map(({ n, wkb }) => `${n} ${wkb}`).sort()
      assert.equal(expected.length, name === 'a geography' ? 21 : 22)
      // A key is the first attribute, unless the server assigns it.
      assert.deepEqual(
        plain(shown.map(({ values, wkb }) => ({ n: String(values[0]), wkb }))),
        plain(expected),
      )
      const other = createPostgisStore(storeParameters(url, home))
      const again = await read(tileReadingOf(other), 't', { boxes: [box] })
      await other.close()
      assert.deepEqual(again, shown)
      await reading.atOneState(
        't',
        async (reads) => {
          const ids: string[] = []
          for await (const page of reads.readEnvelopes({ table: 't', boxes: [box] }, never))
            ids.push(...page.ids)
          assert.deepEqual(
            ids,
            shown.map(({ id }) => id),
          )
          const some = ids.filter((_, index) => index % 2 === 0)
          const few = await read(reads, 't', { boxes: [box], ids: some })
          assert.deepEqual(
            few.map(({ id }) => id),
            some,
          )
        },
        never,
      )
    })
  }

  it('follow every change of the table at once', async () => {
    await renew(tables['a key'] ?? '', 't')
    const reading = tileReadingOf(store)
    const changes = [
      'alter table t add extra int default 7',
      'alter table t alter n type text',
      'alter table t rename n to k',
      'alter table t drop k; alter table t add k serial primary key',
      'alter table t rename to s; create table t (n int primary key, g geometry(Geometry, 4326)); insert into t select 5, g from s limit 1',
      'truncate t',
    ]
    for (const change of changes) {
      await read(reading, 't')
      await sql(change)
      const fresh = createPostgisStore(storeParameters(url, home))
      try {
        assert.deepEqual(await read(reading, 't'), await read(tileReadingOf(fresh), 't'), change)
        const atOnce = await reading.atOneState('t', (reads) => read(reads, 't'), never)
        assert.deepEqual(atOnce, await read(reading, 't'), change)
      } finally {
        await fresh.close()
      }
    }
  })

  it('come with the state that the store tells of a plain table, and with none of others', async () => {
    const seen = async (): Promise<string | undefined> => {
      const note: TileNote = {}
      const pages = tileReadingOf(store).readTile({ table: 't', boxes: [box] }, never, note)
      for await (const page of pages) assert.ok(page.ids.length > 0)
      return note.seen
    }
    /** After a write to the table, its writer counts for a moment as possibly still writing. */
    const settled = async (): Promise<string> => {
      for (const hasTime = patience(); hasTime(); ) {
        const found = await seen()
        if (found !== undefined) return found
        await sleep(25)
      }
      throw new Error('No state was told')
    }
    await renew(tables['a key'] ?? '', 't')
    const first = await settled()
    assert.equal(first, (await store.state('t', never))?.text)
    await sql("insert into t (n, g) values (500, 'srid=4326;point(20 20)')")
    const second = await settled()
    assert.notEqual(second, first)
    assert.equal(second, (await store.state('t', never))?.text)
    await sql('create table s () inherits (t)')
    await store.state('t', never)
    assert.equal(await seen(), undefined)
    for (const kind of ['partitions', 'a view']) {
      await renew(tables[kind] ?? '', kind === 'a view' ? 'u' : 't')
      await sleep(50)
      assert.equal(await seen(), undefined, kind)
    }
  })

  it('end what runs in the database when they are given up', async () => {
    await renew(
      'create table u (n int, g geometry(Geometry, 4326)); create view t as select n, g from u, pg_sleep(100000)',
      'u',
    )
    const controller = new AbortController()
    const reading = read(
      {
        ...tileReadingOf(store),
        readTile: (query) => tileReadingOf(store).readTile(query, controller.signal),
      },
      't',
    )
    const running = async (): Promise<number> => {
      const rows = (await sql(
        `select count(*)::int as n from pg_stat_activity where state = 'active' and query like 'copy (%'`,
      )) as { n: number }[]
      return rows[0]?.n ?? 0
    }
    reading.catch(() => undefined)
    while ((await running()) === 0) await sleep(10)
    controller.abort(new Error('given up'))
    await assert.rejects(reading, /given up/)
    await until(async () => (await running()) === 0)
  })

  it('are served on by the same store when one was left or given up', async () => {
    await renew(tables['a key'] ?? '', 't')
    for (let time = 0; time < 12; time += 1) {
      const controller = new AbortController()
      const pages = tileReadingOf(store).readTile({ table: 't' }, controller.signal)
      if (time % 3 === 0) for await (const _page of pages) break
      else if (time % 3 === 1) controller.abort(new Error('given up'))
      else await pages[Symbol.asyncIterator]().return?.()
      await pages[Symbol.asyncIterator]()
        .next()
        .catch(() => undefined)
      assert.equal((await read(tileReadingOf(store), 't')).length, 61)
    }
  })
})
