import { quoteIdentifier, quoteTable, quoteText } from '../../../core/postgres/quote.ts'
import type { ChangeCounts } from '../../changes.ts'
import type { Missing } from '../../spared-texts.ts'
import type { ComparedColumn, HeldRows } from '../held-rows.ts'
import { comparedColumns } from '../held-rows.ts'
import type { Connection } from '../session.ts'

/**
 * Table of changed rows: `change`, the location of the row in the table (`toid`, `tid`) and in the staged
 * rows (`stid`). It exists for the transaction, during which the locations are stable: no other client may
 * write, or the transaction sees one snapshot.
 */
export const changesTable = 'pg_temp.terrane_changes'

const doing = 'comparing the rows'

/** Sets the memory for joining and sorting large tables. Disables JIT, since each comparison runs once. */
export async function resizeColumn(connection: Connection): Promise<void> {
  await connection.run(doing, `set work_mem = '128MB'; set jit = off`)
}

/**
 * Creates the table of changes of the transaction from `select`: the change, and the locations of the row.
 */
async function beginChanges(connection: Connection, select: string): Promise<void> {
  await connection.run(doing, `drop table if exists ${changesTable}`)
  await connection.run(doing, `create temporary table terrane_changes on commit drop as ${select}`)
  await connection.run(
    doing,
    `alter table ${changesTable} add column reinserts boolean not null default false, alter column change set not null`,
  )
}

/** Creates an empty table of changes. */
export async function beginWithout(connection: Connection): Promise<void> {
  await resizeColumn(connection)
  await beginChanges(
    connection,
    'select null::text as change, null::oid as toid, null::tid as tid, null::tid as stid where false',
  )
}

/**
 * Allows parallel workers for joining large tables, as far as the server settings do: the planner expects as
 * many result rows as the table has, but few differ. Each worker has the same amount of memory.
 */
const sharing = `set local parallel_setup_cost = 100; set local parallel_tuple_cost = 0; set local work_mem = '64MB'`
const sharingNoMore = `set local parallel_setup_cost to default; set local parallel_tuple_cost to default`

/** Returns a condition: the rows `held` and `present` have different values. */
export function differsIn(compared: ComparedColumn[]): string {
  const differences = compared.map(
    ({ valueIn }) => `${valueIn('held')} is distinct from ${valueIn('present')}`,
  )
  return differences.length === 0 ? 'false' : differences.join(' or ')
}

const equalKeys = (keys: readonly string[]): string =>
  keys.map((key) => `held.${quoteIdentifier(key)} = present.${quoteIdentifier(key)}`).join(' and ')

/**
 * Compares rows matched by keys that are unique on both sides. Table rows whose key is not staged are
 * removed, or left unchanged.
 */
export async function findChangesByKeys(
  connection: Connection,
  rows: HeldRows,
  keys: readonly string[],
  missing: Missing,
): Promise<ChangeCounts & { changed: number }> {
  const target = quoteTable(rows.facts.schema, rows.facts.name)
  const differs = differsIn(comparedColumns(rows, keys))
  await connection.run(doing, `${sharing}; set local jit = off`)
  const isSpared = await sparedSql(connection, keys, missing)
  await beginChanges(
    connection,
    `select case when present.ctid is null then 'added' when held.ctid is null then 'removed' else 'changed' end as change,
       present.tableoid as toid, present.ctid as tid, held.ctid as stid
     from ${rows.relation} held ${missing === 'none' ? 'left' : 'full'} join ${target} present on ${equalKeys(keys)}
     where ${isSpared === undefined ? '' : `not (held.ctid is null and ${isSpared}) and `}(present.ctid is null or held.ctid is null or ${differs})`,
  )
  await connection.run(doing, sharingNoMore)
  await resizeColumn(connection)
  const { added, changed, removed, held: count } = await countChanges(connection, rows)
  return { added, changed, removed, same: count - added - changed }
}

/** Returns a condition: a table row has a spared key. */
async function sparedSql(
  connection: Connection,
  keys: readonly string[],
  missing: Missing,
): Promise<string | undefined> {
  if (missing === 'none' || missing.spared.length === 0) return undefined
  const columns = keys.map((_key, at) => `value->>${at} as k${at}`).join(', ')
  // No text in the database can contain these characters.
  const spared = missing.spared.filter((key) =>
    key.every((text) => text.isWellFormed() && !text.includes('\0')),
  )
  await connection.run(doing, 'drop table if exists pg_temp.terrane_spared')
  await connection.run(
    doing,
    `create temporary table terrane_spared on commit drop as select ${columns}
     from jsonb_array_elements(${quoteText(JSON.stringify(spared))}::jsonb)`,
  )
  const same = keys.map((key, at) => `spared.k${at} = present.${quoteIdentifier(key)}::text collate "C"`)
  return `exists (select from pg_temp.terrane_spared spared where ${same.join(' and ')})`
}

interface Counted {
  added: number
  changed: number
  removed: number
  held: number
}

export async function countChanges(
  connection: Connection,
  { relation, rowCount }: HeldRows,
): Promise<Counted> {
  await connection.run(doing, `analyze ${changesTable}`)
  const held = rowCount === undefined ? `(select count(*) from ${relation})` : String(rowCount)
  const { rows } = await connection.run<Counted>(
    doing,
    `select count(*) filter (where change = 'added')::float8 as added,
       count(*) filter (where change = 'changed')::float8 as changed,
       count(*) filter (where change = 'removed')::float8 as removed,
       ${held}::float8 as held from ${changesTable}`,
  )
  return rows[0] ?? { added: 0, changed: 0, removed: 0, held: 0 }
}
