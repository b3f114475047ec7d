import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { LoadHooks, LoadResult, NotRetained, TableDescription, TableSnapshot } from '../../store.ts'
import { changesTable } from '../compare/find-changes.ts'
import { describeTable } from '../describe-table.ts'
import { snapshotName } from '../identifiers.ts'
import { actsOnRows, hasPolicies } from '../row-check.ts'
import type { Connection } from '../session.ts'
import type { SnapshotNote } from '../snapshot-tables.ts'
import { ownRows, tableSnapshot, writeNote } from '../snapshot-tables.ts'
import type { LoadContext } from '../stage-table.ts'
import type { Keeper } from '../staging-table.ts'
import type { TableFacts } from '../table-facts.ts'
import { findTableFacts } from '../table-facts.ts'
import { maxColumns } from '../target-plan.ts'
import type { AppliedRows } from './apply-changes.ts'
import { givableColumns } from './apply-changes.ts'
import { changeColumn } from './old-rows.ts'
import { markTable } from './table-mark.ts'

const doing = 'keeping the old rows'

/**
 * Maximum number of columns that a table of differences has in addition to those of the rows: `changeColumn`
 * and the step of a restore.
 */
const differenceColumns = 2

/** True if the changes of a load can be retained by keys: otherwise a copy of the table is retained. */
export async function keepsDifferences(connection: Connection, facts: TableFacts): Promise<boolean> {
  if (givableColumns(facts).length + differenceColumns > maxColumns) return false
  return facts.primaryKey !== undefined && !(await actsOnRows(connection, facts))
}

/** Retains the ids of rows that an APPEND has added directly, which are the rows to remove for restoring. */
export async function keepAdded(
  { request: { keepAs } }: Pick<LoadContext, 'request'>,
  connection: Connection,
  facts: TableFacts,
  result: LoadResult,
): Promise<LoadResult> {
  if (keepAs === undefined) return result
  await createDifference(connection, facts, keepAs, emptyRows(facts))
  const added = `select 'added', ${quoteIdentifier(facts.primaryKey ?? '')} from ${quoteTable(facts.schema, facts.name)} where ${ownRows}`
  await addIds(connection, facts, keepAs, added)
  const table = await describeTable(connection.client, facts, { condition: `not (${ownRows})` })
  return { ...result, kept: await finishDifference(connection, facts, keepAs, { table }) }
}

/**
 * Returns the keeper for loads that place staged rows: it retains a copy before rows are exchanged, and a
 * difference if rows are added.
 */
export function keeperOf(
  context: Pick<LoadContext, 'hooks' | 'request'>,
  connection: Connection,
  facts: TableFacts,
): Keeper {
  const { keepAs, mode } = context.request
  return {
    before: async () => {
      await tellTouch(connection, facts, context.hooks)
      if (keepAs === undefined) return undefined
      const isDifference = mode === 'APPEND' && (await keepsDifferences(connection, facts))
      return isDifference ? undefined : keepCopy(connection, facts, keepAs)
    },
    after: async (result, kept) =>
      kept === undefined ? keepAdded(context, connection, facts, result) : { ...result, kept },
  }
}

/** Announces that the table itself is about to be written, within the open transaction. */
export async function tellTouch(
  connection: Connection,
  facts: TableFacts,
  { beforeTouch }: Pick<LoadHooks, 'beforeTouch'>,
  rowsNow?: number,
): Promise<void> {
  if (beforeTouch !== undefined) await beforeTouch(await markTable(connection, facts, rowsNow))
}

/**
 * Called after the rows are written, with the SELECT of change and id of added rows and the number of rows
 * now.
 */
type FinishKeeping = (added: () => string, rowsNow?: number) => Promise<TableSnapshot | NotRetained>

/** Rows to retain and their ids: the rows to be changed or removed are in `old`. */
interface SnapshotRows {
  keepAs: string | undefined
  old: string
  /** Description of the table, if known. */
  table?: TableDescription
  hooks: LoadHooks
}

/**
 * Call before rows of `old` are changed or removed: retains them, or all rows if changes cannot be identified
 * by keys.
 */
export async function beginKeeping(
  connection: Connection,
  facts: TableFacts,
  { keepAs, old, table: known, hooks }: SnapshotRows,
): Promise<FinishKeeping | undefined> {
  if (keepAs === undefined || !(await keepsDifferences(connection, facts))) {
    await tellTouch(connection, facts, hooks, known?.featureCount)
    if (keepAs === undefined) return undefined
    const kept = await keepCopy(connection, facts, keepAs)
    return async () => kept
  }
  const table = known ?? (await describeTable(connection.client, facts))
  await tellTouch(connection, facts, hooks, table.featureCount)
  await createDifference(connection, facts, keepAs, `select * from ${old}`)
  return async (added, rowsNow) => {
    await addIds(connection, facts, keepAs, added())
    return finishDifference(connection, facts, keepAs, { table, rowsNow })
  }
}

/** Returns SQL for the ids of rows that an upsert has added. */
export function addedByKeys({ facts, relation }: AppliedRows, keys: readonly string[]): string {
  const equal = keys
    .map((key) => `after.${quoteIdentifier(key)} = held.${quoteIdentifier(key)}`)
    .join(' and ')
  return `select 'added', after.${quoteIdentifier(facts.primaryKey ?? '')} from ${changesTable} change
    join ${relation} held on held.ctid = change.stid
    join ${quoteTable(facts.schema, facts.name)} after on ${equal} where change.change = 'added'`
}

export function emptyRows(facts: TableFacts): string {
  const list = [`'added'::text as ${changeColumn}`, ...givableColumns(facts).map(quoteIdentifier)]
  return `select ${list.join(', ')} from ${quoteTable(facts.schema, facts.name)} where false`
}

export async function createDifference(
  connection: Connection,
  { schema }: TableFacts,
  id: string,
  rows: string,
): Promise<void> {
  const kept = quoteTable(schema, snapshotName(id))
  await connection.run(doing, `create table ${kept} as ${rows}`)
  await closeToOthers(connection, kept)
}

async function addIds(connection: Connection, facts: TableFacts, id: string, added: string): Promise<void> {
  const kept = quoteTable(facts.schema, snapshotName(id))
  const key = quoteIdentifier(facts.primaryKey ?? '')
  await connection.run(doing, `insert into ${kept} (${changeColumn}, ${key}) ${added}`)
}

async function finishDifference(
  connection: Connection,
  facts: TableFacts,
  id: string,
  { table, rowsNow }: { table: TableDescription; rowsNow?: number | undefined },
): Promise<TableSnapshot> {
  const mark = await markTable(connection, facts, rowsNow)
  await writeNote(connection, facts.schema, { ...noteOf(facts, id), kind: 'difference', mark })
  return tableSnapshot(connection, id, 'difference', { table, oid: await oidOf(connection, facts, id) })
}

const noteOf = ({ name }: TableFacts, id: string): Omit<SnapshotNote, 'kind'> => ({
  id,
  table: name,
  comment: null,
  indexes: [],
  sequences: [],
})

async function oidOf(connection: Connection, { schema }: TableFacts, id: string): Promise<number> {
  const kept = await findTableFacts(connection.client, schema, snapshotName(id))
  return kept?.oid ?? 0
}

/**
 * Copies all rows of a table with their ids to another one; no copy if some rows are hidden by row-level
 * security.
 */
export async function keepCopy(
  connection: Connection,
  facts: TableFacts,
  id: string,
): Promise<TableSnapshot | NotRetained> {
  if (await hasPolicies(connection, facts))
    return { reason: `Row security hides rows of "${facts.name}" from the user of its store` }
  const kept = quoteTable(facts.schema, snapshotName(id))
  const target = quoteTable(facts.schema, facts.name)
  const table = await describeTable(connection.client, facts)
  await connection.run(doing, `create table ${kept} as select * from ${target}`)
  const key = facts.columns.find(({ name }) => name === facts.primaryKey)
  if (key !== undefined) {
    const name = quoteIdentifier(key.name)
    await connection.run(doing, `alter table ${kept} add primary key (${name})`)
    if (key.isNumbered) {
      await connection.run(doing, `alter table ${kept} alter ${name} add generated by default as identity`)
    }
  }
  await closeToOthers(connection, kept)
  await writeNote(connection, facts.schema, { ...noteOf(facts, id), kind: 'copy' })
  return tableSnapshot(connection, id, 'whole', { table, oid: await oidOf(connection, facts, id) })
}

/** Revokes what default privileges have granted. */
async function closeToOthers(connection: Connection, table: string): Promise<void> {
  const { rows } = await connection.run<{ grantee: string | null }>(
    doing,
    `select distinct r.rolname as grantee from pg_class c, aclexplode(c.relacl) acl left join pg_roles r on r.oid = acl.grantee
     where c.oid = $1::regclass and acl.grantee <> c.relowner`,
    [table],
  )
  for (const { grantee } of rows) {
    const from = grantee === null ? 'public' : quoteIdentifier(grantee)
    await connection.run(doing, `revoke all on ${table} from ${from}`)
  }
}
