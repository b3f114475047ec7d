import { conflict } from '../../../core/errors/errors.ts'
import { quoteTable } from '../../../core/postgres/quote.ts'
import type { LoadHooks, LoadResult, RestoreRequest } from '../../store.ts'
import type { FinalSteps } from '../commit.ts'
import { lockTable } from '../commit.ts'
import { isStandalone } from '../dependents.ts'
import { describeTable } from '../describe-table.ts'
import { snapshotName } from '../identifiers.ts'
import type { Connection } from '../session.ts'
import type { SnapshotNote } from '../snapshot-tables.ts'
import { moveTableAside, restoreTable, tableSnapshot } from '../snapshot-tables.ts'
import type { TableFacts } from '../table-facts.ts'
import { findTableFacts } from '../table-facts.ts'
import type { RestoreContext } from './restore-rows.ts'
import { restoreRows } from './restore-rows.ts'
import { findPath, stateGone } from './state-rows.ts'

/** Restores a table to a retained state. */
export async function stageRestore(context: RestoreContext): Promise<FinalSteps> {
  const { session, settings, request } = context
  const connection = await session.connect()
  const path = await findPath(connection.client, settings.schema, request.table, request.path)
  const { first, notes } = path
  const current = await findTableFacts(connection.client, settings.schema, request.table)
  const isWhole = first.kind !== 'difference' && notes.length === 1
  if (current === undefined) {
    if (isWhole) return swapBack(context, connection, first, undefined)
    throw stateGone(request.table)
  }
  const canSwap = first.kind === 'moved' && isWhole && (await isStandalone(connection, current.oid))
  return canSwap
    ? swapBack(context, connection, first, current)
    : restoreRows(context, connection, current, path)
}

/** Exchanges the retained table with the present one, which is retained in turn. */
async function swapBack(
  { settings: { schema }, request, hooks }: RestoreContext,
  connection: Connection,
  note: SnapshotNote,
  current: TableFacts | undefined,
): Promise<FinalSteps> {
  const { table, keepAs, path } = request
  const named = quoteTable(schema, table)
  const tableDescription = path[0]?.table
  const result: LoadResult = {
    rowsLoaded: tableDescription?.featureCount ?? 0,
    renamed: {},
    envelope: tableDescription?.envelope === undefined ? undefined : tableDescription.envelope,
    table: tableDescription === undefined ? undefined : { ...tableDescription, name: table },
  }
  return {
    connection,
    result,
    place: async () => {
      if (keepAs === undefined || current === undefined) return result
      await lockTable(connection, named, 'share row exclusive', hooks.signal)
      const present = await describeTable(connection.client, current)
      return {
        ...result,
        kept: await tableSnapshot(connection, keepAs, 'whole', { table: present, oid: current.oid }),
      }
    },
    publish: async () => {
      const kept = quoteTable(schema, snapshotName(note.id))
      await lockTable(connection, kept, 'access exclusive', hooks.signal)
      if (current !== undefined) await removePresent(connection, current, request, hooks)
      await restoreTable(connection, schema, note, table)
    },
  }
}

async function removePresent(
  connection: Connection,
  current: TableFacts,
  { keepAs }: RestoreRequest,
  { signal }: LoadHooks,
): Promise<void> {
  const named = quoteTable(current.schema, current.name)
  await lockTable(connection, named, 'access exclusive', signal)
  if (!(await isStandalone(connection, current.oid))) {
    throw conflict('table-changed', `Something came to depend on table "${current.name}": restore it again`)
  }
  if (keepAs === undefined) await connection.run('removing the table', `drop table ${named}`)
  else await moveTableAside(connection, current, keepAs)
}
