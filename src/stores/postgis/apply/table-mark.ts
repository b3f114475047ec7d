import type { ClientBase } from 'pg'
import { quoteTable } from '../../../core/postgres/quote.ts'
import type { Connection } from '../session.ts'
import type { TableFacts } from '../table-facts.ts'

/**
 * Data that show that nothing was written to a table since: possible and actual writers at the time, and the
 * row count.
 */
interface TableMark {
  columns: string
  rows: number
  own: string
  snapshot: string
}

const columnsOf = ({ columns, geometry }: TableFacts): string =>
  JSON.stringify([columns.map(({ name, sqlType }) => [name, sqlType]), geometry?.name ?? null])

/**
 * Returns the mark of a table as it will be after the open transaction, which blocks other writers, commits.
 * Counts the rows if their number is not known.
 */
export async function markTable(
  connection: Connection,
  facts: TableFacts,
  rowsNow?: number,
): Promise<string> {
  const counted = `(select count(*) from ${quoteTable(facts.schema, facts.name)})`
  const { rows } = await connection.run<Omit<TableMark, 'columns'>>(
    'marking the state of the table',
    `select pg_current_snapshot()::text as snapshot, pg_current_xact_id()::text as own,
       ${rowsNow ?? counted}::float8 as rows`,
  )
  const found = rows[0]
  if (found === undefined) throw new Error('The table cannot be marked')
  const mark: TableMark = { columns: columnsOf(facts), ...found }
  return JSON.stringify(mark)
}

/**
 * True if a table has not changed since it was marked: rows added or changed since have the id of a
 * transaction that had not ended then, and removed rows are missing in the count.
 */
export async function isUnchanged(client: ClientBase, facts: TableFacts, text: string): Promise<boolean> {
  const mark = JSON.parse(text) as TableMark
  if (mark.columns !== columnsOf(facts)) return false
  const { rows } = await client.query<{ xmin: string; n: number; now: string }>(
    `select xmin::text as xmin, count(*)::float8 as n, txid_current_snapshot()::text as now
     from ${quoteTable(facts.schema, facts.name)} group by xmin`,
  )
  const count = rows.reduce((sum, { n }) => sum + n, 0)
  return count === mark.rows && rows.every(({ xmin, now }) => isOlder(xmin, now, mark))
}

const wrap = 2n ** 32n

/** Rows contain the last 32 bits of a transaction id that is not in the future. */
function isOlder(xmin: string, now: string, { own, snapshot }: TableMark): boolean {
  const short = BigInt(xmin)
  if (short < 3n) return true
  const next = BigInt(now.split(':')[1] ?? '0')
  const whole = next - ((((next - short) % wrap) + wrap) % wrap)
  if (whole === BigInt(own)) return true
  const [, end = '0', running = ''] = snapshot.split(':')
  return whole < BigInt(end) && !running.split(',').includes(String(whole))
}
