import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Client } from 'pg'
import { loadRows, readColumn } from '../../../tests/contract/store-session.ts'
import type { Row } from '../../../tests/support/batches.ts'
import { batchesOf, schemaOf, wkb } from '../../../tests/support/batches.ts'
import { fileDatabase, makePostgisStore } from '../../../tests/support/postgis-store.ts'
import { runSql } from '../../../tests/support/postgres.ts'
import { until } from '../../../tests/support/until.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { VectorStore } from '../store.ts'
import { updateModes } from '../store.ts'

const schema = schemaOf({ n: 'int32' }, 'Point')
const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ geometry: wkb('Point', [i, i]), values: [i] }))
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Yields some batches, then the rest after `before`. */
async function* interrupted(before: () => Promise<void>): AsyncGenerator<FeatureBatch> {
  yield* batchesOf(schema, rows(3000))
  await before()
  yield* batchesOf(schema, rows(20_000))
}

async function endBackends(loadId: string): Promise<void> {
  const ended = await runSql(
    await fileDatabase(),
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
    [`terrane_load_${loadId}`],
  )
  assert.ok(ended.length > 0)
}

async function withStore(work: (store: VectorStore, schemaName: string) => Promise<void>): Promise<void> {
  const { store, schemaName, dispose } = await makePostgisStore()
  try {
    await loadRows(store, { schema, rows: rows(3) })
    await work(store, schemaName)
    assert.deepEqual(await readColumn(store, 'n'), [0, 1, 2])
    assert.deepEqual(await store.listTables(), ['layer'])
  } finally {
    await store.close()
    await dispose()
  }
}

const tableFor = (mode: string): string => (mode === 'CREATE' ? 'fresh' : 'layer')

for (const mode of updateModes) {
  it(`${mode}: a connection that the server ends leaves the old state and says so`, () =>
    withStore(async (store) => {
      const loadId = `lost_${mode}`
      const batches = interrupted(() => endBackends(loadId))
      await assert.rejects(loadRows(store, { loadId, mode, table: tableFor(mode), schema, batches }), {
        kind: 'unavailable',
        code: 'store-lost',
      })
    }))

  it(`${mode}: a connection that ends before the commit leaves the old state, and the token says so`, () =>
    withStore(async (store) => {
      const loadId = `late_${mode}`
      let given = ''
      const record = async (token: string): Promise<void> => {
        given = token
        await endBackends(loadId)
      }
      await assert.rejects(
        loadRows(store, { loadId, mode, table: tableFor(mode), schema, rows: rows(9), record }),
        { kind: 'unavailable' },
      )
      assert.equal(await store.outcome(given), 'absent')
    }))

  it(`${mode}: an abort stops the load while the source is silent`, () =>
    withStore(async (store) => {
      const controller = new AbortController()
      const reason = new Error('stop now')
      const silent = interrupted(() => new Promise(() => {}))
      const loading = loadRows(store, {
        loadId: `silent_${mode}`,
        mode,
        table: tableFor(mode),
        schema,
        batches: silent,
        hooks: { signal: controller.signal },
      })
      const outcome = loading.catch((error) => error)
      await sleep(300)
      controller.abort(reason)
      assert.equal(await outcome, reason)
    }))
}

it('an abort ends a statement that waits for a lock of others', () =>
  withStore(async (store, schemaName) => {
    const holder = new Client({ connectionString: await fileDatabase() })
    await holder.connect()
    await holder.query(`begin; lock table "${schemaName}".layer in share mode`)
    const controller = new AbortController()
    const reason = new Error('stop now')
    const loading = loadRows(store, {
      loadId: 'busy',
      mode: 'REPLACE',
      schema,
      rows: rows(9),
      hooks: { signal: controller.signal },
      record: async () => {
        setTimeout(() => controller.abort(reason), 300)
      },
    })
    const outcome = await loading.catch((error) => error)
    assert.equal(outcome, reason)
    const left = `select query from pg_stat_activity where application_name = 'terrane_load_busy'`
    await until(async () => (await holder.query(left)).rows.length === 0)
    await holder.end()
  }))

it('an outcome is absent for a token that never was one', () =>
  withStore(async (store) => {
    for (const token of ['', 'x', '99999999999', '-1', "1' or true"]) {
      assert.equal(await store.outcome(token), 'absent', token)
    }
  }))

it('sweep removes what a killed process left, and ends what it still had running', () =>
  withStore(async (store) => {
    const url = await fileDatabase()
    const loading = loadRows(store, {
      loadId: 'orphan',
      table: 'fresh',
      schema,
      batches: interrupted(async () => {
        await store.sweep('orphan')
      }),
    })
    await assert.rejects(loading, { kind: 'unavailable' })
    const left = await runSql(url, `select relname from pg_class where relname like 'terrane_load_%'`)
    assert.deepEqual(left, [])
  }))
