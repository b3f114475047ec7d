import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadRows } from '../../../tests/contract/store-session.ts'
import { schemaOf, wkb } from '../../../tests/support/batches.ts'
import { until } from '../../../tests/support/until.ts'
import type { UpdateMode, VectorStore } from '../store.ts'
import { openForReading } from './connections.ts'
import { createGeoPackageStore } from './geopackage-store.ts'
import { databaseState } from './server-writes.ts'

const schema = schemaOf({ name: 'text' }, 'Point')

interface Location {
  folder: string
  store: VectorStore
  load(table: string, mode?: UpdateMode): Promise<Awaited<ReturnType<typeof loadRows>>>
  /** Returns the first column of the rows of a query, with another connection. */
  query(sql: string): unknown[]
}

function makePlace(test: TestContext, keepMs: number): Location {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
  const path = join(folder, 'x.gpkg')
  const store = createGeoPackageStore({ path }, { findDefinition: () => undefined, keepMs })
  test.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const row = { geometry: wkb('Point', [1, 2]), values: ['a'] }
  return {
    folder,
    store,
    load: (table, mode = 'CREATE') => loadRows(store, { schema, rows: [row, row], table, mode }),
    query: (sql) => {
      const db = new DatabaseSync(path)
      const values = db
        .prepare(sql)
        .all()
        .map((one) => Object.values(one)[0])
      db.close()
      return values
    },
  }
}

const longMs = 60_000
const triggersOf = (table: string): string =>
  `SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '${table}'`

describe('loads that follow one another', () => {
  it('make the tables, indexes and triggers that single loads make', async (test) => {
    const { load, query, store, folder } = makePlace(test, longMs)
    for (const table of ['a', 'b', 'c']) await load(table)
    await load('b', 'APPEND')
    await load('c', 'REPLACE')
    await load('d')
    await store.close()
    assert.deepEqual(readdirSync(folder), ['x.gpkg'])
    assert.deepEqual(query('PRAGMA integrity_check'), ['ok'])
    for (const [table, count] of Object.entries({ a: 2, b: 4, c: 2, d: 2 })) {
      assert.deepEqual(query(`SELECT count(*) FROM ${table}`), [count])
      assert.deepEqual(query(`SELECT count(*) FROM rtree_${table}_geom WHERE minx <= 1 AND maxx >= 1`), [
        count,
      ])
      assert.deepEqual(query(`SELECT rtreecheck('rtree_${table}_geom')`), ['ok'])
      assert.deepEqual(query(triggersOf(table)), [6])
    }
  })

  it('tell what a look at the table tells', async (test) => {
    const { load, store } = makePlace(test, longMs)
    for (const mode of ['CREATE', 'APPEND', 'REPLACE'] as const) {
      const { result } = await load('a', mode)
      assert.deepEqual(result.table, await store.findTable('a'))
    }
  })

  it('go on after one that fails', async (test) => {
    const { load, query, store } = makePlace(test, longMs)
    await load('a')
    await assert.rejects(load('a'), { code: 'table-exists' })
    const record = () => Promise.reject(new Error('not this one'))
    await assert.rejects(loadRows(store, { schema, rows: [], table: 'b', record }), /not this one/)
    await load('b')
    assert.deepEqual(query('SELECT table_name FROM gpkg_contents ORDER BY 1'), ['a', 'b'])
  })

  it('see what others did to the file in between, also its replacement', async (test) => {
    const { load, query, folder, store } = makePlace(test, longMs)
    await load('a')
    query('CREATE TABLE b (x)')
    await assert.rejects(load('b'), { code: 'table-exists' })
    await load('c')
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    await load('a')
    await store.close()
    assert.deepEqual(readdirSync(folder), ['x.gpkg'])
    assert.deepEqual(query('SELECT table_name FROM gpkg_contents'), ['a'])
  })

  it('leave nothing beside the file soon after the last one', async (test) => {
    const { load, folder } = makePlace(test, 20)
    await load('a')
    assert.ok(readdirSync(folder).length > 1)
    await until(() => readdirSync(folder).length === 1)
    assert.deepEqual(readdirSync(folder), ['x.gpkg'])
  })

  it('are moved into the file by the one who loads, however long others read', async (test) => {
    const { load, folder } = makePlace(test, 20)
    const path = join(folder, 'x.gpkg')
    await load('a')
    const reader = openForReading(path)
    reader.exec('BEGIN; SELECT count(*) FROM a')
    await load('b')
    const before = await databaseState(path)
    // Longer than an ending load waits for readers.
    await sleep(700)
    reader.close()
    await until(() => readdirSync(folder).length === 1)
    const { text, sameAs } = await databaseState(path)
    assert.notEqual(text, before.text)
    assert.ok(sameAs?.has(before.text))
  })

  it('refuse a table whose index would have a name that is taken', async (test) => {
    const { load, query } = makePlace(test, longMs)
    await load('a')
    query('CREATE TABLE RTREE_B_GEOM (x)')
    query('CREATE TRIGGER rtree_c_geom_insert AFTER INSERT ON RTREE_B_GEOM BEGIN SELECT 1; END')
    await assert.rejects(load('b'), { code: 'table-exists' })
    await assert.rejects(load('c'), { code: 'table-exists' })
    assert.deepEqual(query('SELECT table_name FROM gpkg_contents'), ['a'])
    assert.deepEqual(query('PRAGMA integrity_check'), ['ok'])
  })
})
