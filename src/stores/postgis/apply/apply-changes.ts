import { conflict } from '../../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { ChangeCounts } from '../../changes.ts'
import { changesTable } from '../compare/find-changes.ts'
import type { UniqueRule } from '../constraints.ts'
import type { HeldRows } from '../held-rows.ts'
import type { Connection } from '../session.ts'
import type { TableFacts } from '../table-facts.ts'

/** Rows that are stored next to a table, and how to write them. */
export interface AppliedRows extends HeldRows {
  /** Columns that a changed row takes from the stored row; others retain their values. */
  written: string[]
  /** Unique indexes on such columns. */
  unique: UniqueRule[]
  /**
   * Foreign keys that would set null in, or delete, rows of other tables when a row is deleted and inserted
   * again.
   */
  cascades: string[]
}

const doing = 'putting the rows in place'

/** Returns every column of a table whose value can be set, including the geometry. */
export function givableColumns({ columns, geometry }: TableFacts): string[] {
  const plain = columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name)
  return geometry === undefined ? plain : [...plain, geometry.name]
}

/** Returns the columns of a changed row: new values, and those that are retained. */
export function newRowColumns(rows: Pick<AppliedRows, 'facts' | 'written'>): string {
  return givableColumns(rows.facts)
    .map((name) => {
      const column = quoteIdentifier(name)
      return `${rows.written.includes(name) ? 'held' : 'present'}.${column} as ${column}`
    })
    .join(', ')
}

const present = (facts: TableFacts): string =>
  `join ${quoteTable(facts.schema, facts.name)} present on present.ctid = change.tid and present.tableoid = change.toid`

/**
 * Applies the table of changes, under a lock that blocks other writers. One statement deletes rows first and
 * inserts rows last, so that foreign keys of other tables see only the result. Throws `Failure` if triggers
 * or rules of the table prevent a row from being written.
 */
export async function applyChanges(
  connection: Connection,
  rows: AppliedRows,
  counts: ChangeCounts,
): Promise<void> {
  const { facts } = rows
  const reinserted = await markReinserted(connection, rows, counts)
  const parts = partsOf(rows)
  // Parts without rows are omitted: statement triggers would react to them.
  const none = 'select 1 where false'
  const { rows: done } = await connection.run<{ gone: number; moved: number; born: number; again: number }>(
    doing,
    `with old as materialized (${parts.old}),
      gone as (${counts.removed + reinserted > 0 ? parts.gone : none}),
      moved as (${(counts.changed ?? 0) > reinserted ? parts.moved : none}),
      again as (${reinserted > 0 ? parts.again : none}),
      born as (${counts.added > 0 ? parts.born : none})
    select (select count(*) from gone)::float8 as gone, (select count(*) from moved)::float8 as moved,
      (select count(*) from again)::float8 as again, (select count(*) from born)::float8 as born`,
  )
  const found = done[0] ?? { gone: 0, moved: 0, born: 0, again: 0 }
  requireWritten(facts.name, 'deleted', found.gone, counts.removed + reinserted)
  requireWritten(facts.name, 'changed', found.moved + found.again, counts.changed ?? 0)
  requireWritten(facts.name, 'added', found.born, counts.added)
  await connection.run(doing, 'set constraints all immediate')
}

/** Each part waits for the previous one by counting its rows. */
function partsOf(rows: AppliedRows): Record<'old' | 'gone' | 'moved' | 'again' | 'born', string> {
  const { facts, relation, written } = rows
  const target = quoteTable(facts.schema, facts.name)
  const held = `join ${relation} held on held.ctid = change.stid`
  const isSameRow = 'target.ctid = change.tid and target.tableoid = change.toid'
  const fixed = facts.columns.filter(({ isReadOnly }) => isReadOnly).map(({ name }) => name)
  const set = written
    .filter((name) => !fixed.includes(name))
    .map((name) => `${quoteIdentifier(name)} = held.${quoteIdentifier(name)}`)
  const all = givableColumns(facts).map(quoteIdentifier).join(', ')
  const values = written.map((name) => `held.${quoteIdentifier(name)}`).join(', ')
  return {
    old: `select ${newRowColumns(rows)} from ${changesTable} change ${held} ${present(facts)} where change.reinserts`,
    gone: `delete from ${target} target using ${changesTable} change
      where (change.change = 'removed' or (change.reinserts and (select count(*) from old) >= 0)) and ${isSameRow}
      returning 1`,
    moved: `update ${target} target set ${set.join(', ')} from ${changesTable} change ${held}
      where change.change = 'changed' and not change.reinserts and ${isSameRow} and (select count(*) from gone) >= 0
      returning 1`,
    again: `insert into ${target} (${all}) overriding system value
      select ${all} from old where (select count(*) from moved) >= 0
      returning 1`,
    born: `insert into ${target} (${written.map(quoteIdentifier).join(', ')}) overriding system value
      select ${values} from ${changesTable} change ${held}
      where change.change = 'added' and (select count(*) from again) >= 0 order by change.stid
      returning 1`,
  }
}

function requireWritten(table: string, what: string, found: number, expected: number): void {
  if (found === expected) return
  throw conflict(
    'rows-lost',
    `Of ${expected} rows of "${table}" ${found} were ${what}: its triggers or rules keep the others from it`,
  )
}

/**
 * Marks rows whose unique value another row will take: these are deleted and inserted, since updating row by
 * row would violate the constraint. Returns their number.
 */
async function markReinserted(
  connection: Connection,
  rows: AppliedRows,
  counts: ChangeCounts,
): Promise<number> {
  const { facts, relation, unique, cascades } = rows
  if (!counts.changed) return 0
  const held = `join ${relation} held on held.ctid = change.stid`
  for (const { keys, predicate } of unique) {
    const values = keys.map((key, n) => `(${key}) as k${n}`).join(', ')
    const where = predicate === null ? '' : `where ${predicate}`
    const equal = keys.map((_, n) => `fresh.k${n} = old.k${n}`).join(' and ')
    await connection.run(
      doing,
      `with fresh as (select terrane_stid, ${values} from (
          select change.stid as terrane_stid, ${newRowColumns(rows)} from ${changesTable} change ${held}
          left ${present(facts)} where change.change <> 'removed') row ${where}),
        old as (select terrane_stid, ${values} from (
          select change.stid as terrane_stid, present.* from ${changesTable} change ${present(facts)}
          where change.change = 'changed') row ${where})
       update ${changesTable} set reinserts = true where change = 'changed' and stid in (
         select old.terrane_stid from old join fresh on ${equal} and fresh.terrane_stid <> old.terrane_stid)`,
    )
  }
  const { rows: found } = await connection.run<{ n: number }>(
    doing,
    `select count(*)::float8 as n from ${changesTable} where reinserts`,
  )
  const count = found[0]?.n ?? 0
  if (count > 0 && cascades.length > 0) {
    throw conflict(
      'table-referenced',
      `Rows of "${facts.name}" exchange unique values: they would have to be deleted for a moment, and rows of other tables with them: foreign key ${cascades.join(', ')}`,
    )
  }
  return count
}
