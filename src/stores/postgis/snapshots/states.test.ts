import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ReadRow } from '../../../../tests/contract/store-session.ts'
import { loadRows, never, readRows } from '../../../../tests/contract/store-session.ts'
import type { Row } from '../../../../tests/support/batches.ts'
import { rowsOf, schemaOf, wkb } from '../../../../tests/support/batches.ts'
import { fileDatabase, storeParameters } from '../../../../tests/support/postgis-store.ts'
import { runSql } from '../../../../tests/support/postgres.ts'
import { commitLoad } from '../../commit-load.ts'
import type { LoadResult, StatePath, TableSnapshot, TableStates, VectorStore } from '../../store.ts'
import { createPostgisStore } from '../postgis-store.ts'

const schema = schemaOf({ code: 'int32', name: 'text' }, 'Point')
const row = (code: number, name: string): Row => ({ geometry: wkb('Point', [code, 2]), values: [code, name] })

interface Bench {
  store: VectorStore
  states: TableStates
  home: string
  sql(text: string): Promise<Record<string, unknown>[]>
  /** Returns catalogue data about the table: keys, indexes, sequences, privileges, comment. */
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

function keptOf(result: LoadResult): TableSnapshot {
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
    const [first, reported] = [await readRows(store), await facts()]
    const { result } = await loadRows(store, {
      mode: 'REPLACE',
      schema,
      rows: [row(9, 'z')],
      keepAs: 'Version 1/ä',
    })
    const kept = keptOf(result)
    assert.deepEqual([kept.id, kept.form, kept.table.featureCount], ['Version 1/ä', 'whole', 2])
    assert.ok(kept.sizeBytes > 0)
    const [second, reportedNow] = [await readRows(store), await facts()]
    assert.deepEqual(await states.list(), ['Version 1/ä'])
    assert.deepEqual(await store.listTables(), ['layer'])
    assert.deepEqual(await readState(states, [kept]), first)
    const back = await restore(states, [kept], 'two')
    assert.deepEqual([back.rowsLoaded, back.envelope], [2, kept.table.envelope])
    assert.deepEqual([await readRows(store), await facts()], [first, reported])
    assert.deepEqual(await states.list(), ['two'])
    await loadRows(store, { mode: 'APPEND', schema, rows: [row(3, 'c')] })
    assert.equal((await readRows(store)).at(-1)?.id, '3')
    await restore(states, [keptOf(back)])
    assert.deepEqual([await readRows(store), await facts()], [second, reportedNow])
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
    const [rows, reported] = [await readRows(store), await facts()]
    const kept = await states.putAside('layer', 'gone')
    assert.ok('id' in kept)
    assert.equal(await store.findTable('layer'), undefined)
    assert.deepEqual(await store.listTables(), [])
    assert.deepEqual(await readState(states, [kept]), rows)
    await restore(states, [kept])
    assert.deepEqual([await readRows(store), await facts()], [rows, reported])
    assert.deepEqual(await states.putAside('no_such', 'x'), { reason: '"no_such" is not an ordinary table' })
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

it('keeps what APPEND and UPSERT change as differences, reads each state and brings it back', () =>
  withTable(async ({ store, states, sql }) => {
    for (const dependent of [
      '',
      'create view names as select name from layer',
      'create unique index one_code on layer (code)',
    ]) {
      await sql(dependent)
      const upsert = { keys: ['code'], deletesMissing: true }
      const looks = [await readRows(store)]
      const kept: TableSnapshot[] = []
      const loads = [
        { mode: 'APPEND', rows: [row(3, 'c'), row(4, 'd')] },
        { mode: 'UPSERT', upsert, rows: [row(1, 'A'), row(4, 'd'), row(5, 'e')] },
        { mode: 'APPEND', rows: [row(6, 'f')] },
        { mode: 'REPLACE', rows: [row(7, 'g'), row(1, 'z')] },
        { mode: 'UPSERT', upsert, rows: [row(8, 'h')] },
      ] as const
      for (const [number, load] of loads.entries()) {
        const { result } = await loadRows(store, { schema, ...load, keepAs: `${dependent}${number}` })
        kept.push(keptOf(result))
        looks.push(await readRows(store))
      }
      assert.deepEqual(
        kept.map(({ form }) => form),
        ['difference', 'difference', 'difference', 'whole', 'difference'],
      )
      assert.deepEqual(
        kept.map(({ table }) => table.featureCount),
        looks.slice(0, -1).map(({ length }) => length),
      )
      const path = (to: number): TableSnapshot[] =>
        (to === 4 ? [kept[4]] : [kept[3], ...kept.slice(to, 3).reverse()]) as TableSnapshot[]
      for (const to of [4, 3, 2, 1, 0])
        assert.deepEqual(await readState(states, path(to)), looks[to], `state ${to}`)
      const back = await restore(states, path(0), 'present')
      assert.deepEqual(await readRows(store), looks[0])
      await assert.rejects(restore(states, path(4)), { kind: 'conflict', code: 'not-restorable' })
      await assert.rejects(readState(states, path(4)), { kind: 'conflict', code: 'not-restorable' })
      await restore(states, [keptOf(back)])
      assert.deepEqual(await readRows(store), looks[5])
      const now = keptOf(
        (await loadRows(store, { schema, mode: 'APPEND', rows: [row(50, 'x')], keepAs: 'again' })).result,
      )
      await restore(states, [now])
      assert.deepEqual(await readRows(store), looks[5])
      for (const id of await states.list()) await states.drop({ id })
      await loadRows(store, { mode: 'REPLACE', schema, rows: [row(1, 'a'), row(2, 'b')] })
    }
  }))

it('brings several differences back at once, and refuses where others wrote since, whatever they did', () =>
  withTable(async ({ store, states, sql }) => {
    const first = await readRows(store)
    const load = async (rows: Row[], keepAs: string): Promise<TableSnapshot> =>
      keptOf(
        (
          await loadRows(store, {
            schema,
            mode: 'UPSERT',
            upsert: { keys: ['code'], deletesMissing: false },
            rows,
            keepAs,
          })
        ).result,
      )
    const one = await load([row(1, 'A'), row(3, 'c')], 'one')
    const two = await load([row(1, 'AA'), row(3, 'C'), row(4, 'd')], 'two')
    const now = await readRows(store)
    for (const change of [
      `update layer set name = 'theirs' where code = 2`,
      'delete from layer where code = 4',
      `insert into layer (code) values (9)`,
    ]) {
      await sql(`begin; create table before as table layer; ${change}; commit`)
      await assert.rejects(restore(states, [two, one]), { kind: 'conflict', code: 'not-restorable' }, change)
      await sql(
        'truncate layer; insert into layer overriding system value select * from before; drop table before',
      )
      assert.deepEqual(await readRows(store), now)
    }
    await sql(`create table saved as table layer`)
    await assert.rejects(restore(states, [two]), { code: 'not-restorable' })
    const three = await load([row(5, 'e')], 'three')
    const back = await restore(states, [three, two, one], 'four')
    assert.deepEqual(await readRows(store), first)
    await restore(states, [keptOf(back)])
    assert.equal((await readRows(store)).length, 5)
  }))

it('copies tables with triggers or without a key, and closes what it keeps to others', () =>
  withTable(async ({ store, states, sql, home }) => {
    await sql(`alter default privileges in schema ${home} grant select on tables to public;
      create function touch() returns trigger language plpgsql as $$ begin update ${home}.layer set name = name || '!' where code = 2 and pg_trigger_depth() = 1; return null; end $$;
      create trigger touch after insert on layer for each statement execute function touch()`)
    const first = await readRows(store)
    const kept = keptOf(
      (await loadRows(store, { schema, mode: 'APPEND', rows: [row(3, 'c')], keepAs: 'one' })).result,
    )
    assert.equal(kept.form, 'whole')
    assert.deepEqual(
      await sql(`select has_table_privilege('public', 'terrane_kept_one', 'select') as open`),
      [{ open: false }],
    )
    await restore(states, [kept])
    assert.deepEqual(await readRows(store), first)
    await sql(
      'drop trigger touch on layer; alter table layer drop column fid; create view names as select name from layer',
    )
    const rows = (await readRows(store)).map(({ values }) => values).sort()
    const without = keptOf(
      (await loadRows(store, { schema, mode: 'APPEND', rows: [row(1, 'a'), row(9, 'z')], keepAs: 'two' }))
        .result,
    )
    assert.equal(without.form, 'whole')
    await restore(states, [without])
    assert.deepEqual((await readRows(store)).map(({ values }) => values).sort(), rows)
  }))
