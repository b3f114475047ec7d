import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ReadRow } from '../../../../tests/contract/store-session.ts'
import { loadRows, never, readRows } from '../../../../tests/contract/store-session.ts'
import type { Row } from '../../../../tests/support/batches.ts'
import { rowsOf, schemaOf, wkb } from '../../../../tests/support/batches.ts'
import { fileDatabase, storeParameters } from '../../../../tests/support/postgis-store.ts'
import { runSql } from '../../../../tests/support/postgres.ts'
import { commitLoad } from '../../commit-load.ts'
import type { KeptState, LoadResult, StatePath, TableStates, VectorStore } from '../../store.ts'
import { createPostgisStore } from '../postgis-store.ts'

const schema = schemaOf({ code: 'int32', name: 'text' }, 'Point')
const row = (code: number, name: string): Row => ({ geometry: wkb('Point', [code, 2]), values: [code, name] })

interface Bench {
  store: VectorStore
  states: TableStates
  home: string
  sql(text: string): Promise<Record<string, unknown>[]>
  /** What stands in the catalogue of PostgreSQL about the table: keys, indexes, sequences, privileges, comment. */
  facts(): Promise<Record<string, unknown>[]>
}

const factsSql = `select relkind, relacl::text, relowner::int8::text as owner, obj_description(oid) as comment,
  (select array_agg(pg_get_indexdef(indexrelid) order by 1) from pg_index where indrelid = c.oid) as indexes,
  (select array_agg(conname || pg_get_constraintdef(k.oid) order by 1) from pg_constraint k where conrelid = c.oid) as constraints,
  pg_get_serial_sequence('layer', 'fid') as sequence, (select last_value from layer_fid_seq)::text as next
  from pg_class c where oid = 'layer'::regclass`

let count = 0

async function withTable(work: (bench: Bench) => Promise<void>): Promise<void> {
  const url = await fileDatabase()
  count += 1
  const home = `states_${count}`
  await runSql(url, `create schema ${home}`)
  const store = createPostgisStore(storeParameters(url, home))
  const sql = (text: string): Promise<Record<string, unknown>[]> =>
    runSql(url, `set search_path = ${home}, public; ${text}`)
  try {
    await loadRows(store, { schema, indexes: ['name'], rows: [row(1, 'a'), row(2, 'b')] })
    assert.ok(store.states !== undefined)
    await work({ store, states: store.states, home, sql, facts: () => sql(factsSql) })
  } finally {
    await store.close()
  }
}

function keptOf(result: LoadResult): KeptState {
  assert.ok(result.kept !== undefined && 'id' in result.kept, 'the state is kept')
  return result.kept
}

async function restore(states: TableStates, path: StatePath, keepAs?: string): Promise<LoadResult> {
  const request = {
    loadId: `restore${Math.random()}`,
    table: 'layer',
    path,
    ...(keepAs === undefined ? {} : { keepAs }),
  }
  return commitLoad(
    await states.stageRestore(request, { signal: never, onMessage: () => {}, onReject: () => {} }),
    async () => {},
  )
}

async function readState(states: TableStates, path: StatePath): Promise<ReadRow[]> {
  const rows: ReadRow[] = []
  for await (const { batch, ids } of states.read('layer', path, never)) {
    rows.push(...rowsOf(batch).map((one, index) => ({ ...one, id: ids[index] ?? '' })))
  }
  return rows
}

it('keeps the replaced table whole and brings it back with all that is on it, the present one kept in turn', () =>
  withTable(async ({ store, states, facts, sql }) => {
    const [first, told] = [await readRows(store), await facts()]
    const { result } = await loadRows(store, {
      mode: 'REPLACE',
      schema,
      rows: [row(9, 'z')],
      keepAs: 'Version 1/ä',
    })
    const kept = keptOf(result)
    assert.deepEqual([kept.id, kept.form, kept.table.featureCount], ['Version 1/ä', 'whole', 2])
    assert.ok(kept.sizeBytes > 0)
    const [second, toldNow] = [await readRows(store), await facts()]
    assert.deepEqual(await states.list(), ['Version 1/ä'])
    assert.deepEqual(await store.listTables(), ['layer'])
    assert.deepEqual(await readState(states, [kept]), first)
    const back = await restore(states, [kept], 'two')
    assert.deepEqual([back.rowsLoaded, back.envelope], [2, kept.table.envelope])
    assert.deepEqual([await readRows(store), await facts()], [first, told])
    assert.deepEqual(await states.list(), ['two'])
    await loadRows(store, { mode: 'APPEND', schema, rows: [row(3, 'c')] })
    assert.equal((await readRows(store)).at(-1)?.id, '3')
    await restore(states, [keptOf(back)])
    assert.deepEqual([await readRows(store), await facts()], [second, toldNow])
    assert.deepEqual(await states.list(), [])
    assert.deepEqual(
      await sql(
        `select relname from pg_class where relname like 'terrane%' and relnamespace = 'states_1'::regnamespace`,
      ),
      [],
    )
  }))

it('puts a table aside with its privileges and comment, and brings it back', () =>
  withTable(async ({ store, states, facts, sql }) => {
    await sql(`grant select on layer to public; comment on table layer is 'mine'`)
    const [rows, told] = [await readRows(store), await facts()]
    const kept = await states.putAside('layer', 'gone')
    assert.ok('id' in kept)
    assert.equal(await store.findTable('layer'), undefined)
    assert.deepEqual(await store.listTables(), [])
    assert.deepEqual(await readState(states, [kept]), rows)
    await restore(states, [kept])
    assert.deepEqual([await readRows(store), await facts()], [rows, told])
    assert.deepEqual(await states.putAside('no_such', 'x'), { reason: '"no_such" is no ordinary table' })
    await sql('create view names as select name from layer')
    await assert.rejects(states.putAside('layer', 'x'), { kind: 'conflict', code: 'table-referenced' })
    assert.deepEqual(await states.list(), [])
    await states.drop({ id: 'nothing' })
  }))

it('drops what is kept, and says that a state is gone', () =>
  withTable(async ({ store, states }) => {
    const { result } = await loadRows(store, { mode: 'REPLACE', schema, rows: [row(9, 'z')], keepAs: 'one' })
    await states.drop(keptOf(result))
    assert.deepEqual(await states.list(), [])
    await assert.rejects(restore(states, [keptOf(result)]), { kind: 'conflict', code: 'not-restorable' })
    assert.deepEqual(
      (await readRows(store)).map(({ values }) => values[1]),
      ['z'],
    )
  }))
