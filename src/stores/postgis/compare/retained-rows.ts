import { Failure } from '../../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { LoadRequest } from '../../store.ts'
import type { FinalSteps } from '../commit.ts'
import { stagingName, suffixedIdentifier } from '../identifiers.ts'
import type { SentRows } from '../send-rows.ts'
import type { Connection } from '../session.ts'

/** Description of retained staged rows. */
interface RetainedRows {
  loadId: string
  asked: string
  form: string
  rows: number
  envelope: Envelope | null
  /** Digest of the target; empty if there is none. */
  target: string
}

/** Query of all properties by which a table rejects or changes rows, independent of its name and oid. */
const targetSql = `
select md5(concat_ws(' ', c.relkind, c.relrowsecurity,
  (select string_agg(concat_ws(',', a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
     a.attgenerated, pg_get_expr(d.adbin, d.adrelid)), ' ' order by a.attnum)
   from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
  (select string_agg(pg_get_constraintdef(k.oid), ' ' order by k.conname) from pg_constraint k
   where c.oid in (k.conrelid, k.confrelid)),
  (select string_agg(pg_get_indexdef(i.indexrelid), ' ' order by x.relname)
   from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid))) as target
from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2`

/** Returns a text that stays equal while a table accepts the same rows; empty if there is no such table. */
async function describeTarget(connection: Connection, schema: string, table: string): Promise<string> {
  const { rows } = await connection.run<{ target: string }>('reading the table', targetSql, [schema, table])
  return rows[0]?.target ?? ''
}

async function countStaged(connection: Connection, relation: string): Promise<number> {
  const { rows } = await connection.run<{ n: number }>(
    'counting the staged rows',
    `select count(*)::float8 as n from ${relation}`,
  )
  return rows[0]?.n ?? 0
}

/** Ends the transaction of a comparison and returns the text for `findRetainedRows`. */
export async function retainRows(schema: string, request: LoadRequest, steps: FinalSteps): Promise<string> {
  const { connection, staged, form, result } = steps
  if (staged === undefined || form === undefined) throw new Error('Only the data of dry runs are retained')
  await connection.run('ending the comparison', 'rollback')
  const retainedRows: RetainedRows = {
    loadId: request.loadId,
    asked: requestedFor(request),
    form,
    rows: result.rowsLoaded,
    envelope: result.envelope ?? null,
    target: await describeTarget(connection, schema, request.table),
  }
  return JSON.stringify(retainedRows)
}

/**
 * Returns the staged rows of a dry run, renamed for the load that continues with them. Throws `Failure` if
 * they are gone, such as after a crash of the server, or if the table now requires other rows.
 */
export async function findRetainedRows(
  connection: Connection,
  schema: string,
  request: LoadRequest,
  text: string,
): Promise<SentRows & { form: string }> {
  const { loadId, asked: requested, form, rows, envelope, target } = parseRetainedRows(text)
  const [from, to] = [stagingName(loadId), stagingName(request.loadId)]
  const { rows: found } = await connection.run<{ found: boolean }>(
    'looking for the staged rows',
    'select to_regclass($1) is not null as found',
    [quoteTable(schema, from)],
  )
  if (found[0]?.found !== true) throw stagedGone('they no longer exist')
  if ((await countStaged(connection, quoteTable(schema, from))) !== rows) {
    throw stagedGone('the database has lost them')
  }
  const isSame =
    requested === requestedFor(request) &&
    (await describeTarget(connection, schema, request.table)) === target
  if (!isSame) throw stagedGone(`"${request.table}" is not what they were staged for`)
  if (from !== to) await renameStaged(connection, schema, from, to)
  return { rowsSent: rows, envelope: envelope ?? undefined, hasUniqueIds: false, form }
}

function requestedFor({ mode, table, indexes, upsert }: LoadRequest): string {
  return JSON.stringify([mode, table, indexes, upsert ?? null])
}

/** Renames the table and its indexes, which are numbered after its name. */
async function renameStaged(connection: Connection, schema: string, from: string, to: string): Promise<void> {
  const doing = 'taking up the staged rows'
  const { rows } = await connection.run<{ name: string }>(
    doing,
    'select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = $1::regclass',
    [quoteTable(schema, from)],
  )
  await connection.run(doing, 'begin')
  for (const { name } of rows) {
    const suffix = /_\d+$/.exec(name)?.[0] ?? ''
    await connection.run(
      doing,
      `alter index ${quoteTable(schema, name)} rename to ${quoteIdentifier(suffixedIdentifier(to, suffix))}`,
    )
  }
  await connection.run(doing, `alter table ${quoteTable(schema, from)} rename to ${quoteIdentifier(to)}`)
  await connection.run(doing, 'commit')
}

export function stagedGone(why: string): Failure {
  return new Failure('conflict', 'staged-gone', `The staged rows cannot be reused: ${why}`)
}

function parseRetainedRows(text: string): RetainedRows {
  try {
    return JSON.parse(text) as RetainedRows
  } catch {
    throw stagedGone('nobody knows what they are')
  }
}
