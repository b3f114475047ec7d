import type { Message } from '../../../formats/format.ts'
import { invalid } from '../../../lib/errors.ts'
import type { DescribeOptions } from '../database.ts'
import type { TableEntry } from './catalog.ts'
import { listTableEntries, schemaExists } from './catalog.ts'
import type { ReadingSession } from './session.ts'

const shownTables = 20
/** What a load of Terrane's own leaves for the time that it takes. */
const stagingPrefix = 'terrane_load_'

function listed(names: string[]): string {
  const rest = names.length - shownTables
  return names.slice(0, shownTables).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/** The tables named, or every table and every view with a geometry that may be read. */
export async function findTables(
  session: ReadingSession,
  options: DescribeOptions,
): Promise<{ entries: TableEntry[]; messages: Message[] }> {
  const { schema, database } = session
  const { tables: wanted, maxTables } = options
  if (!(await schemaExists(session.client, schema))) {
    throw invalid('unknown-schema', `Schema "${schema}" does not exist in database "${database}"`)
  }
  const limit = maxTables + 1
  const found = await listTableEntries(
    session.client,
    schema,
    wanted === undefined ? { limit } : { wanted, limit },
  )
  if (found.length > maxTables) {
    throw invalid('too-many-tables', `Schema "${schema}" has more than ${maxTables} tables: name some`)
  }
  return wanted === undefined
    ? chooseTables(session, found)
    : { entries: await named(session, wanted, found), messages: [] }
}

function chooseTables({ schema, database }: ReadingSession, found: TableEntry[]) {
  const entries = found.filter(
    ({ name, isPart, isView, hasGeometry }) =>
      !isPart && (!isView || hasGeometry) && !name.startsWith(stagingPrefix),
  )
  const readable = entries.filter(({ canSelect }) => canSelect)
  const closed = entries.filter(({ canSelect }) => !canSelect).map(({ name }) => name)
  if (readable.length === 0) {
    const why =
      closed.length === 0 ? 'has no tables' : `has no table that this user may read: ${listed(closed)}`
    throw invalid('no-tables', `Schema "${schema}" of database "${database}" ${why}`)
  }
  const message = `This user may not read ${listed(closed)}`
  const messages: Message[] =
    closed.length === 0 ? [] : [{ level: 'warning', code: 'tables-skipped', message }]
  return { entries: readable, messages }
}

async function named(
  session: ReadingSession,
  wanted: readonly string[],
  found: TableEntry[],
): Promise<TableEntry[]> {
  const { schema, database, client } = session
  const missing = wanted.filter((name) => !found.some((entry) => entry.name === name))
  if (missing.length > 0) {
    const others = await listTableEntries(client, schema, { limit: 1000 })
    const names = others.filter(({ isPart }) => !isPart).map(({ name }) => name)
    const there = names.length === 0 ? 'it has none' : `there are ${listed(names)}`
    const what = missing.map((name) => `"${name}"`).join(', ')
    throw invalid(
      'unknown-table',
      `Schema "${schema}" of database "${database}" has no table ${what}: ${there}`,
    )
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
