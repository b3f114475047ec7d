import { quoteIdentifier, quoteTable, quoteText } from '../../core/postgres/quote.ts'
import type { TableDescription, TableSnapshot } from '../store.ts'
import { findFreeNames } from './free-names.ts'
import { snapshotName, suffixedIdentifier } from './identifiers.ts'
import type { Connection } from './session.ts'

/** Contents of the comment on a retained table: its state, and the objects whose names must be restored. */
export interface SnapshotNote {
  id: string
  /** `moved`: the table itself; `copy`: its rows; `difference`: the changes to undo. */
  kind: 'moved' | 'copy' | 'difference'
  table: string
  comment: string | null
  indexes: string[]
  sequences: string[]
  /** For a difference: mark that shows whether other clients have written since. */
  mark?: string
}

const doing = 'keeping the table'

const partsSql = `
select c.relname as name, c.relkind = 'S' as is_sequence from pg_class c
where c.oid in (select indexrelid from pg_index where indrelid = $1)
  or (c.relkind = 'S' and c.oid in (select d.objid from pg_depend d where d.classid = 'pg_class'::regclass
    and d.refclassid = 'pg_class'::regclass and d.refobjid = $1 and d.deptype in ('i', 'a')))
order by c.relname`

/** Condition for rows written by the open transaction. */
export const ownRows = 'xmin = pg_current_xact_id()::xid'

/** Renames a table with its indexes and sequences, within the open transaction, to free the names. */
export async function moveTableAside(
  connection: Connection,
  { oid, schema, name }: { oid: number; schema: string; name: string },
  id: string,
): Promise<void> {
  const kept = snapshotName(id)
  const { rows } = await connection.run<{ name: string; is_sequence: boolean }>(doing, partsSql, [oid])
  const indexes = rows.filter(({ is_sequence }) => !is_sequence).map((row) => row.name)
  const sequences = rows.filter(({ is_sequence }) => is_sequence).map((row) => row.name)
  const described = await connection.run<{ comment: string | null }>(
    doing,
    `select obj_description($1::oid, 'pg_class') as comment`,
    [oid],
  )
  await renameParts(connection, 'index', schema, indexes, (number) => suffixedIdentifier(kept, `_i${number}`))
  await renameParts(connection, 'sequence', schema, sequences, (number) =>
    suffixedIdentifier(kept, `_s${number}`),
  )
  await connection.run(doing, `alter table ${quoteTable(schema, name)} rename to ${quoteIdentifier(kept)}`)
  const comment = described.rows[0]?.comment ?? null
  await writeNote(connection, schema, { id, kind: 'moved', table: name, comment, indexes, sequences })
}

/** Restores the names of a renamed table, or uses others if the names are taken. */
export async function restoreTable(
  connection: Connection,
  schema: string,
  note: SnapshotNote,
  table: string,
): Promise<void> {
  const kept = snapshotName(note.id)
  const free = await findFreeNames(connection, doing, { schema, table })
  for (const [kind, names, letter] of [
    ['index', note.indexes, 'i'],
    ['sequence', note.sequences, 's'],
  ] as const) {
    const own = names.map((_, number) => suffixedIdentifier(kept, `_${letter}${number}`))
    await renameParts(connection, kind, schema, own, (number) => free(names[number] ?? ''))
  }
  const named = quoteTable(schema, kept)
  const comment = note.comment === null ? 'null' : quoteText(note.comment)
  await connection.run(doing, `comment on table ${named} is ${comment}`)
  await connection.run(doing, `alter table ${named} rename to ${quoteIdentifier(table)}`)
}

async function renameParts(
  connection: Connection,
  kind: 'index' | 'sequence',
  schema: string,
  names: readonly string[],
  newName: (number: number) => string,
): Promise<void> {
  for (const [number, name] of names.entries()) {
    const to = quoteIdentifier(newName(number))
    await connection.run(doing, `alter ${kind} if exists ${quoteTable(schema, name)} rename to ${to}`)
  }
}

export async function writeNote(connection: Connection, schema: string, note: SnapshotNote): Promise<void> {
  const text = quoteText(JSON.stringify(note))
  await connection.run(doing, `comment on table ${quoteTable(schema, snapshotName(note.id))} is ${text}`)
}

const notesSql = `
select obj_description(c.oid, 'pg_class') as note from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind in ('r', 'p') and starts_with(c.relname, $2)`

/** Returns the notes of retained tables in a schema whose names start with `prefix`. */
export async function findNotes(
  client: Pick<Connection['client'], 'query'>,
  schema: string,
  prefix: string,
): Promise<SnapshotNote[]> {
  const { rows } = await client.query<{ note: string | null }>(notesSql, [schema, prefix])
  return rows.flatMap(({ note }) => parseNote(note) ?? [])
}

export async function findNote(
  client: Pick<Connection['client'], 'query'>,
  schema: string,
  id: string,
): Promise<SnapshotNote | undefined> {
  const notes = await findNotes(client, schema, snapshotName(id))
  return notes.find((note) => note.id === id)
}

function parseNote(text: string | null): SnapshotNote | undefined {
  try {
    const note: unknown = JSON.parse(text ?? 'null')
    return typeof note === 'object' && note !== null && 'id' in note ? (note as SnapshotNote) : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the description of a state of `table` that is retained, or about to be, in the relation with this
 * oid.
 */
export async function tableSnapshot(
  connection: Connection,
  id: string,
  form: TableSnapshot['form'],
  { table, oid }: { table: TableDescription; oid: number },
): Promise<TableSnapshot> {
  const { rows } = await connection.run<{ size: number }>(
    doing,
    'select pg_total_relation_size($1::oid)::float8 as size',
    [oid],
  )
  return { id, form, table, sizeBytes: rows[0]?.size ?? 0, detail: {} }
}
