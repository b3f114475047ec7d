import { invalid } from '../../../core/errors/errors.ts'
import type { FormatMessage } from '../../../formats/worker.ts'
import { listNames, requireTables } from '../choose-tables.ts'
import type { DescribeOptions } from '../database.ts'
import type { TableEntry } from './catalog.ts'
import { listTableEntries, schemaExists } from './catalog.ts'
import type { ReadingSession } from './session.ts'

/** Maximum number of tables searched for a message that lists existing ones. */
const shownOthers = 1000
/** Tables of Terrane: staging tables of running loads, and retained states. */
const ownNames = /^terrane_(?:load|kept)_/

/** Returns the named tables, or every table and every view with a geometry that may be read. */
export async function findTables(
  session: ReadingSession,
  options: DescribeOptions,
): Promise<{ entries: TableEntry[]; messages: FormatMessage[] }> {
  const { schema, database } = session
  const { tables: requested, maxTables } = options
  if (!(await schemaExists(session.client, schema))) {
    throw invalid('unknown-schema', `Schema "${schema}" does not exist in database "${database}"`)
  }
  const limit = maxTables + 1
  const found = await listTableEntries(
    session.client,
    schema,
    requested === undefined ? { limit } : { requested, limit },
  )
  if (found.length > maxTables) {
    throw invalid(
      'too-many-tables',
      `Schema "${schema}" has more than ${maxTables} tables: list the tables to import`,
    )
  }
  return requested === undefined
    ? chooseTables(session, found)
    : { entries: await named(session, requested, found), messages: [] }
}

function chooseTables({ schema, database }: ReadingSession, found: TableEntry[]) {
  const entries = found.filter(
    ({ name, isPart, isView, hasGeometry }) => !isPart && (!isView || hasGeometry) && !ownNames.test(name),
  )
  const readable = entries.filter(({ canSelect }) => canSelect)
  const closed = entries.filter(({ canSelect }) => !canSelect).map(({ name }) => name)
  if (readable.length === 0) {
    const why =
      closed.length === 0 ? 'has no tables' : `has no table that this user may read: ${listNames(closed)}`
    throw invalid('no-tables', `Schema "${schema}" of database "${database}" ${why}`)
  }
  const message = `This user may not read ${listNames(closed)}`
  const messages: FormatMessage[] =
    closed.length === 0 ? [] : [{ level: 'warning', code: 'tables-skipped', message }]
  return { entries: readable, messages }
}

async function named(
  session: ReadingSession,
  requested: readonly string[],
  found: TableEntry[],
): Promise<TableEntry[]> {
  const { schema, database, client } = session
  if (found.length < requested.length) {
    const all = await listTableEntries(client, schema, { limit: shownOthers })
    const names = [...found, ...all.filter(({ isPart }) => !isPart)].map(({ name }) => name)
    requireTables(requested, names, `Schema "${schema}" of database "${database}"`)
  }
  const closed = found.filter(({ canSelect }) => !canSelect).map(({ name }) => `"${name}"`)
  if (closed.length > 0) {
    throw invalid(
      'table-permission',
      `This user may not read table ${closed.join(', ')} of schema "${schema}"`,
    )
  }
  return found
}
