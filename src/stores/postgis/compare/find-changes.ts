import { invalid } from '../../../lib/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../lib/postgres/quote.ts'
import type { ChangeCounts } from '../../changes.ts'
import type { ComparedColumn, HeldRows } from '../held-rows.ts'
import { comparedColumns } from '../held-rows.ts'
import type { Connection } from '../session.ts'

/**
 * What becomes of each row that does not stay as it is: `change`, the place of the row in the table (`toid`, `tid`) and
 * among those held (`stid`). It lasts as long as the transaction, and so long the places hold: nobody else may write
 * meanwhile, or the transaction sees one state only.
 */
export const changesTable = 'pg_temp.terrane_changes'

const doing = 'comparing the rows'

/** Opens the transaction's table of changes, with room to join and sort large tables in memory. */
async function beginChanges(connection: Connection): Promise<void> {
  await connection.run(doing, `set local work_mem = '128MB'; set local jit = off`)
  await connection.run(doing, `drop table if exists ${changesTable}`)
  await connection.run(
    doing,
    `create temporary table terrane_changes (change text not null, toid oid, tid tid, stid tid,
       reinserts boolean not null default false) on commit drop`,
  )
}

const equalKeys = (keys: readonly string[]): string =>
  keys.map((key) => `held.${quoteIdentifier(key)} = present.${quoteIdentifier(key)}`).join(' and ')

/** Rows matched by keys that no side has twice. Rows of the table whose key is not held are removed, or left alone. */
export async function findChangesByKeys(
  connection: Connection,
  rows: HeldRows,
  keys: readonly string[],
  { removesMissing }: { removesMissing: boolean },
): Promise<ChangeCounts & { changed: number }> {
  await beginChanges(connection)
  const target = quoteTable(rows.facts.schema, rows.facts.name)
  const differences = comparedColumns(rows, keys).map(
    ({ valueIn }) => `${valueIn('held')} is distinct from ${valueIn('present')}`,
  )
  const differs = differences.length === 0 ? 'false' : differences.join(' or ')
  await connection.run(
    doing,
    `insert into ${changesTable} (change, toid, tid, stid)
     select case when present.ctid is null then 'added' when held.ctid is null then 'removed' else 'changed' end,
       present.tableoid, present.ctid, held.ctid
     from ${rows.relation} held ${removesMissing ? 'full' : 'left'} join ${target} present on ${equalKeys(keys)}
     where present.ctid is null or held.ctid is null or ${differs}`,
  )
  const { added, changed, removed, held: count } = await countChanges(connection, rows)
  return { added, changed, removed, same: count - added - changed }
}

/** Rows compared whole, as often as each occurs. */
export async function findChangesByRows(connection: Connection, rows: HeldRows): Promise<ChangeCounts> {
  await beginChanges(connection)
  const compared = comparedColumns(rows, [])
  const target = quoteTable(rows.facts.schema, rows.facts.name)
  const values = (alias: string): string => valueList(compared, alias)
  const names = compared.map((_, number) => `v${number}`).join(', ')
  const grouping = names === '' ? '' : `group by ${names}`
  const both = `(select held.ctid as stid, null::oid as toid, null::tid as tid${values('held')} from ${rows.relation} held
    union all
    select null, present.tableoid, present.ctid${values('present')} from ${target} present) both_sides`
  await connection.run(
    doing,
    `create temporary table terrane_groups on commit drop as
     select count(stid) as held, count(tid) as present, min(stid) as stid, min(tid) as tid, min(toid) as toid
       ${names === '' ? '' : `, ${names}`}
     from ${both} ${grouping} having count(stid) <> count(tid)`,
  )
  await connection.run(
    doing,
    `insert into ${changesTable} (change, toid, tid, stid) select case when held = 1 then 'added' else 'removed' end, toid, tid, stid
     from pg_temp.terrane_groups where held + present = 1`,
  )
  await addRepeated(connection, rows, compared)
  await connection.run(doing, 'drop table pg_temp.terrane_groups')
  const { added, removed, held } = await countChanges(connection, rows)
  return { added, changed: null, removed, same: held - added }
}

const valueList = (compared: ComparedColumn[], alias: string): string =>
  compared.map(({ valueIn }, number) => `, ${valueIn(alias)} as v${number}`).join('')

/** Of values that a side has several times, as many rows as there are too many. */
async function addRepeated(
  connection: Connection,
  rows: HeldRows,
  compared: ComparedColumn[],
): Promise<void> {
  const found = await connection.run<{ found: boolean }>(
    doing,
    'select exists (select from pg_temp.terrane_groups where held + present > 1) as found',
  )
  if (found.rows[0]?.found !== true) return
  await connection.run(
    doing,
    `create temporary table terrane_repeated on commit drop as
     select *, row_number() over () as number, hash_record(row(${compared.map((_, n) => `v${n}`).join(', ')})) as hash
     from pg_temp.terrane_groups where held + present > 1; analyze pg_temp.terrane_repeated (hash)`,
  )
  const same = compared.map((_, n) => ` and many.v${n} is not distinct from one.v${n}`).join('')
  const target = quoteTable(rows.facts.schema, rows.facts.name)
  const places = {
    added: 'null::oid as toid, null::tid as tid, one.stid',
    removed: 'one.toid, one.tid, null::tid',
  }
  for (const [change, relation, own, other] of [
    ['added', rows.relation, 'held', 'present'],
    ['removed', target, 'present', 'held'],
  ] as const) {
    const place = change === 'added' ? 'one.ctid as stid' : 'one.ctid as tid, one.tableoid as toid'
    await connection.run(
      doing,
      `insert into ${changesTable} (change, toid, tid, stid)
       select '${change}', ${places[change]} from (
         select one.*, many.${own} - many.${other} as surplus,
           row_number() over (partition by many.number order by ${change === 'added' ? 'one.stid desc' : 'one.toid, one.tid'}) as occurrence
         from (select ${place}${valueList(compared, 'one')},
             hash_record(row(${compared.map(({ valueIn }) => valueIn('one')).join(', ')})) as hash from ${relation} one) one
         join pg_temp.terrane_repeated many on many.hash = one.hash${same}
         where many.${own} > many.${other}) one
       where occurrence <= surplus`,
    )
  }
  await connection.run(doing, 'drop table pg_temp.terrane_repeated')
}

interface Counted {
  added: number
  changed: number
  removed: number
  held: number
}

async function countChanges(connection: Connection, { relation }: HeldRows): Promise<Counted> {
  await connection.run(doing, `analyze ${changesTable}`)
  const { rows } = await connection.run<Counted>(
    doing,
    `select count(*) filter (where change = 'added')::float8 as added,
       count(*) filter (where change = 'changed')::float8 as changed,
       count(*) filter (where change = 'removed')::float8 as removed,
       (select count(*) from ${relation})::float8 as held from ${changesTable}`,
  )
  return rows[0] ?? { added: 0, changed: 0, removed: 0, held: 0 }
}

/** Whether each row of a table has a key of its own, without null. */
export async function areKeysUnique(
  connection: Connection,
  relation: string,
  keys: readonly string[],
): Promise<boolean> {
  const list = keys.map(quoteIdentifier)
  const isNull = list.map((key) => `${key} is null`).join(' or ')
  try {
    const { rows } = await connection.client.query<{ found: boolean }>(
      `select exists (select from ${relation} where ${isNull})
         or exists (select from ${relation} group by ${list.join(', ')} having count(*) > 1) as found`,
    )
    return rows[0]?.found !== true
  } catch (error) {
    throw hasNoEquality(error) ? keysWithoutEquality(keys) : error
  }
}

/** PostgreSQL's word for types that it cannot compare, such as `json` and `xml`. */
function hasNoEquality(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42883'
}

function keysWithoutEquality(keys: readonly string[]): Error {
  return invalid('invalid-keys', `PostgreSQL cannot compare values of the keys ${keys.join(', ')}`)
}
