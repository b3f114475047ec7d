import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadRows } from '../../tests/contract/store-session.ts'
import { schemaOf } from '../../tests/support/batches.ts'
import { temporaryFolder } from '../../tests/support/temporary-files.ts'
import { checkFilter } from '../filters/check-filter.ts'
import { parseCql2Text } from '../filters/cql2-text.ts'
import { endOfPrefix, likePrefix } from '../filters/texts.ts'
import { findTable } from '../formats/geopackage/tables.ts'
import { createGeoPackageStore } from './geopackage/geopackage-store.ts'
import { defineFunctions } from './geopackage/reading/conditions.ts'
import { filterCondition } from './geopackage/reading/filter-sql.ts'
import { explainSlowness } from './too-slow.ts'

const schema = schemaOf({ name: 'text', n: 'int32' })

describe('questions that take long', () => {
  it('name what has no index', async (t) => {
    const path = join(temporaryFolder(t), 'some.gpkg')
    const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
    await loadRows(store, { schema, rows: [{ geometry: null, values: ['a', 1] }], indexes: ['n'] })
    assert.deepEqual(await store.indexedColumns?.('layer'), ['n'])
    const filter = checkFilter(parseCql2Text(`n = 1 AND CASEI(name) = 'a'`), schema)
    const { code, kind, message } = await explainSlowness(store, {
      table: 'layer',
      limit: 1,
      offset: 0,
      filter,
    })
    assert.deepEqual([code, kind], ['too-slow', 'unavailable'])
    assert.match(message, /"layer": there is no index of "name" that/)
  })

  it('end when nobody waits for them any more', async (t) => {
    const path = join(temporaryFolder(t), 'some.gpkg')
    const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
    await loadRows(store, { schema, rows: [{ geometry: null, values: ['a', 1] }] })
    const db = new DatabaseSync(path)
    db.exec(`INSERT INTO layer (name, n) WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 300000)
      SELECT 'Ulm ' || i || 'abcabcabcabc', i FROM c`)
    db.close()
    const filter = checkFilter(parseCql2Text(`CASEI(name) LIKE '%z%y%x%'`), schema)
    const gone = new AbortController()
    const counted = store.count({ table: 'layer', filter }, gone.signal)
    const ended = counted.then(
      () => 'counted',
      (error: unknown) => error,
    )
    await sleep(20)
    gone.abort(new Error('gone'))
    assert.equal(String(await ended), 'Error: gone')
    await store.close()
  })

  it('are few where a pattern begins with what an index finds', async (t) => {
    const path = join(temporaryFolder(t), 'some.gpkg')
    const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
    await loadRows(store, { schema, rows: [{ geometry: null, values: ['a', 1] }], indexes: ['name'] })
    const db = new DatabaseSync(path)
    t.after(() => db.close())
    defineFunctions(db)
    const table = findTable(db, 'layer')
    assert.ok(table)
    const planOf = (cql: string): string => {
      const { sql, bound } = filterCondition(checkFilter(parseCql2Text(cql), schema), table, false)
      const plan = db.prepare(`EXPLAIN QUERY PLAN SELECT fid FROM layer WHERE ${sql}`).all(...bound)
      return plan.map(({ detail }) => String(detail)).join(' ')
    }
    assert.match(planOf(`name LIKE 'Ul%'`), /^SEARCH .*name>\? AND name<\?/)
    assert.match(planOf(`name LIKE '%l%'`), /^SCAN/)
  })

  it('are few where a condition beside a calculation has an index', async (t) => {
    const path = join(temporaryFolder(t), 'some.gpkg')
    const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
    await loadRows(store, { schema, rows: [{ geometry: null, values: ['a', 1] }], indexes: ['name'] })
    const db = new DatabaseSync(path)
    t.after(() => db.close())
    defineFunctions(db)
    const table = findTable(db, 'layer')
    assert.ok(table)
    const planOf = (cql: string): string => {
      const { sql, bound } = filterCondition(checkFilter(parseCql2Text(cql), schema), table, false)
      const plan = db.prepare(`EXPLAIN QUERY PLAN SELECT fid FROM layer WHERE ${sql}`).all(...bound)
      return plan.map(({ detail }) => String(detail)).join(' ')
    }
    for (const cql of [
      `n * 2 > 1000 AND name = 'a'`,
      `name > 'a' AND (n + 1) / 2 < 7 AND LENGTH(name) > 3`,
      `NOT (n % 2 = 0) AND (name LIKE 'Ul%' AND ABS(n) <> 4)`,
    ])
      assert.match(planOf(cql), /^SEARCH .*name[=>]/, cql)
    assert.match(planOf('n * 2 > 1000'), /^SCAN/)
  })

  it('know what all texts that match begin with', () => {
    assert.deepEqual(['Ulm%', 'a\\_b_c', '50\\% %', '%', '', '𝕬b%'].map(likePrefix), [
      'Ulm',
      'a_b',
      '50% ',
      '',
      '',
      '𝕬b',
    ])
    assert.deepEqual(['Ulm', '\ud7ff', '\u{10ffff}', 'a\u{10ffff}', '𝕬'].map(endOfPrefix), [
      'Uln',
      '\ue000',
      undefined,
      'b',
      '𝕭',
    ])
  })
})
