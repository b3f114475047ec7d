import type { ClientBase } from 'pg'
import { conflict } from '../../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { StatePath } from '../../store.ts'
import { givableColumns } from '../apply/apply-changes.ts'
import { changeColumn } from '../apply/old-rows.ts'
import { isUnchanged } from '../apply/table-mark.ts'
import { snapshotName } from '../identifiers.ts'
import type { SnapshotNote } from '../snapshot-tables.ts'
import { findNote } from '../snapshot-tables.ts'
import type { TableFacts } from '../table-facts.ts'
import { findTableFacts } from '../table-facts.ts'

/** A complete path to a state. */
export interface SnapshotPath {
  notes: SnapshotNote[]
  /** The retained table of the first step, if it is whole. */
  whole: TableFacts | undefined
}

/** Throws `Failure` if a step is missing. */
export async function findPath(
  client: ClientBase,
  schema: string,
  table: string,
  path: StatePath,
): Promise<SnapshotPath & { first: SnapshotNote }> {
  const notes: SnapshotNote[] = []
  for (const { id } of path) {
    const note = await findNote(client, schema, id)
    if (note === undefined) throw stateGone(table)
    notes.push(note)
  }
  const [first] = notes
  if (first === undefined || notes.slice(1).some(({ kind }) => kind !== 'difference')) throw stateGone(table)
  const whole =
    first.kind === 'difference' ? undefined : await findTableFacts(client, schema, snapshotName(first.id))
  return { first, notes, whole }
}

export function stateGone(table: string): Error {
  return conflict('not-restorable', `The state of "${table}" that is asked for is not kept any more`)
}

/**
 * Throws `Failure` if another client has written to the table since its previous state was retained as a
 * difference.
 */
export async function requireUnchanged(
  client: ClientBase,
  facts: TableFacts,
  { kind, mark }: SnapshotNote,
): Promise<void> {
  if (kind !== 'difference' || (mark !== undefined && (await isUnchanged(client, facts, mark)))) return
  throw conflict(
    'not-restorable',
    `Somebody else has written to "${facts.name}" since: what it was before cannot be told any more`,
  )
}

/** Throws `Failure` if a retained table has other columns than the table to restore. */
export function requireSameColumns(facts: TableFacts, whole: TableFacts | undefined): void {
  if (whole === undefined) return
  const missing = givableColumns(facts).find((name) => !givableColumns(whole).includes(name))
  if (missing === undefined && givableColumns(facts).length <= givableColumns(whole).length) return
  throw conflict(
    'not-restorable',
    `The state that is kept of "${facts.name}" has other columns than the table`,
  )
}

/** Selects the rows of a state: those of the base, minus and plus the rows of each difference. */
export function stateSql(facts: TableFacts, { notes, whole }: SnapshotPath): string {
  const list = givableColumns(facts).map(quoteIdentifier).join(', ')
  const key = quoteIdentifier(facts.primaryKey ?? '')
  const base = `select ${list} from ${quoteTable(facts.schema, whole?.name ?? facts.name)}`
  return differencesOf(facts.schema, notes).reduce(
    (sql, kept) => `select ${list} from (${sql}) state
        where not exists (select from ${kept} undone where undone.${key} = state.${key})
      union all select ${list} from ${kept} where ${changeColumn} <> 'added'`,
    base,
  )
}

export function differencesOf(schema: string, notes: readonly SnapshotNote[]): string[] {
  return notes
    .filter(({ kind }) => kind === 'difference')
    .map(({ id }) => quoteTable(schema, snapshotName(id)))
}
