import { conflict } from '../../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { ChangeCounts } from '../../changes.ts'
import type { LoadHooks, LoadResult, RestoreRequest } from '../../store.ts'
import { analyzeTable } from '../after-load.ts'
import type { AppliedRows } from '../apply/apply-changes.ts'
import { applyChanges, givableColumns } from '../apply/apply-changes.ts'
import { addedByKeys, beginKeeping } from '../apply/keep-rows.ts'
import { changeColumn, saveOldRows } from '../apply/old-rows.ts'
import { markTable } from '../apply/table-mark.ts'
import type { FinalSteps } from '../commit.ts'
import { lockTable } from '../commit.ts'
import { changesTable, findChangesByKeys } from '../compare/find-changes.ts'
import { findChangesByRows } from '../compare/find-changes-by-rows.ts'
import type { ConnectionSettings } from '../connection-settings.ts'
import { findTableRules } from '../constraints.ts'
import { actsOnRows, hasPolicies } from '../row-check.ts'
import type { Connection, PostgisSession } from '../session.ts'
import { findNote, writeNote } from '../snapshot-tables.ts'
import { refuseCascades, refuseUnsafe } from '../staging-table.ts'
import { findExtent } from '../table-extent.ts'
import type { TableFacts } from '../table-facts.ts'
import type { SnapshotPath } from './state-rows.ts'
import { differencesOf, requireSameColumns, requireUnchanged, stateSql } from './state-rows.ts'

const doing = 'restoring the rows'
const state = 'pg_temp.terrane_state'
const touched = 'pg_temp.terrane_touched'
const old = 'pg_temp.terrane_old'

/**
 * Restores the rows of a table that must remain because other objects depend on it: writes only the
 * differences.
 */
export async function restoreRows(
  context: RestoreContext,
  connection: Connection,
  facts: TableFacts,
  path: SnapshotPath & { first: { kind: string } },
): Promise<FinalSteps> {
  const { request, hooks } = context
  const columns = givableColumns(facts)
  const keys = facts.primaryKey === undefined ? [] : [facts.primaryKey]
  requireSameColumns(facts, path.whole)
  const rules = await findTableRules(connection, facts, columns, keys)
  // Rows named by a difference were visible when they were changed; a whole state does not show whether rows
  // are hidden.
  if (path.whole !== undefined) await refuseUnsafe(connection, facts, { ...rules, cascades: [] }, true)
  const { unique, cascades } = rules
  const rows: AppliedRows = { relation: state, facts, columns, written: columns, unique, cascades }
  const result: LoadResult = { rowsLoaded: request.path.at(-1)?.table.featureCount ?? 0, renamed: {} }
  return {
    connection,
    result,
    place: async () => {
      await lockTable(connection, quoteTable(facts.schema, facts.name), 'share row exclusive', hooks.signal)
      const [first] = path.notes
      if (first !== undefined) await requireUnchanged(connection.client, facts, first)
      const changes = await findDifference(connection, rows, keys, path)
      if (changes.removed > 0) refuseCascades(facts, rules)
      await saveOldRows(connection, rows, 'create temporary table terrane_old on commit drop')
      const keeping = await beginKeeping(connection, facts, { keepAs: request.keepAs, old, hooks })
      await applyChanges(connection, rows, changes)
      const kept = await keeping?.(() => addedByKeys(rows, keys))
      const mayDiffer = (await actsOnRows(connection, facts)) || (await hasPolicies(connection, facts))
      if (mayDiffer) await requireRestored(connection, rows, keys, path)
      await markFollowers(connection, facts, request.followers)
      const envelope = await findExtent(connection, facts)
      return { ...result, envelope: envelope ?? result.envelope, kept: kept ?? result.kept, changes }
    },
    finish: () => analyzeTable(connection, facts, hooks),
  }
}

/** Restored rows have other marks than before: differences to this state apply to it nevertheless. */
async function markFollowers(
  connection: Connection,
  facts: TableFacts,
  followers: readonly string[] = [],
): Promise<void> {
  let mark: string | undefined
  for (const id of followers) {
    const note = await findNote(connection.client, facts.schema, id)
    if (note?.kind !== 'difference') continue
    mark ??= await markTable(connection, facts)
    await writeNote(connection, facts.schema, { ...note, mark })
  }
}

async function findDifference(
  connection: Connection,
  rows: AppliedRows,
  keys: string[],
  path: SnapshotPath,
): Promise<ChangeCounts> {
  const { facts } = rows
  if (path.whole === undefined) return findTouched(connection, rows, keys, path)
  await connection.run(
    doing,
    `create temporary table terrane_state on commit drop as ${stateSql(facts, path)}`,
  )
  await connection.run(doing, `analyze ${state}`)
  return keys.length === 0
    ? findChangesByRows(connection, rows)
    : findChangesByKeys(connection, rows, keys, { spared: [] })
}

/** Only rows named by a difference can differ: the last difference that names a row has its value. */
async function findTouched(
  connection: Connection,
  rows: AppliedRows,
  keys: string[],
  { notes }: SnapshotPath,
): Promise<ChangeCounts> {
  const { facts } = rows
  const list = givableColumns(facts).map(quoteIdentifier).join(', ')
  const key = keys.map(quoteIdentifier).join(', ')
  const steps = differencesOf(facts.schema, notes).map(
    (kept, step) => `select ${step} as terrane_step, ${changeColumn}, ${list} from ${kept}`,
  )
  await connection.run(
    doing,
    `create temporary table terrane_touched on commit drop as
     select distinct on (${key}) * from (${steps.join(' union all ')}) steps order by ${key}, terrane_step desc`,
  )
  await connection.run(
    doing,
    `create temporary table terrane_state on commit drop as select ${list} from ${touched} where ${changeColumn} <> 'added'`,
  )
  await connection.run(doing, `analyze ${touched} (${key}); analyze ${state} (${key})`)
  const changes = await findChangesByKeys(connection, rows, keys, 'none')
  const { rowCount } = await connection.run(
    doing,
    `insert into ${changesTable} (change, toid, tid)
     select 'removed', present.tableoid, present.ctid from ${quoteTable(facts.schema, facts.name)} present
     join ${touched} touched on present.${key} = touched.${key} where touched.${changeColumn} = 'added'`,
  )
  return { ...changes, removed: rowCount ?? 0 }
}

/** Triggers of the table may have changed the rows. */
async function requireRestored(
  connection: Connection,
  rows: AppliedRows,
  keys: string[],
  path: SnapshotPath,
): Promise<void> {
  await connection.run(doing, `drop table ${state}; drop table if exists ${touched}`)
  const { added, changed, removed } = await findDifference(connection, rows, keys, path)
  if (added + (changed ?? 0) + removed === 0) return
  throw conflict(
    'rows-lost',
    `The triggers or policies of "${rows.facts.name}" change the rows that are restored`,
  )
}

/** Dependencies of restoring a state. */
export interface RestoreContext {
  settings: ConnectionSettings
  session: PostgisSession
  request: RestoreRequest
  hooks: LoadHooks
}
