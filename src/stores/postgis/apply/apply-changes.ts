import { conflict } from '../../../lib/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../lib/postgres/quote.ts'
import type { ChangeCounts } from '../../changes.ts'
import { changesTable } from '../compare/find-changes.ts'
import type { UniqueRule } from '../constraints.ts'
import type { HeldRows } from '../held-rows.ts'
import type { Connection } from '../session.ts'
import type { TableFacts } from '../table-facts.ts'

/** How rows are written that are held beside a table. */
export interface AppliedRows extends HeldRows {
  /** Columns that a changed row takes from the one that is held; others keep their values. */
  written: string[]
  /** Unique indexes over such columns. */
  unique: UniqueRule[]
  /** Foreign keys that would empty or delete rows of other tables where a row is written anew. */
  cascades: string[]
}

const doing = 'putting the rows in place'

/** Every column of a table whose value can be given, the geometry among them. */
export function givableColumns({ columns, geometry }: TableFacts): string[] {
  const plain = columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name)
  return geometry === undefined ? plain : [...plain, geometry.name]
}

/** A changed row as it will be: what is held of it, and what it keeps. */
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
 * Writes what stands in the table of changes, under a lock that keeps others from writing. Rows go first, and rows come last,
 * in one statement, so that foreign keys of others see the end of it only. Throws `Failure` where the table's own
 * triggers or rules keep a row from being written.
 */
export async function applyChanges(
  connection: Connection,
  rows: AppliedRows,
  counts: ChangeCounts,
): Promise<void> {
  const { facts } = rows
  const reinserted = await markReinserted(connection, rows, counts)
  const parts = partsOf(rows)
  // What has nothing to do is left out: triggers of a statement would act on it.
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

/** Each waits for the one before it by counting what that has done. */
function partsOf(rows: AppliedRows): Record<'old' | 'gone' | 'moved' | 'again' | 'born', string> {
  const { facts, relation, written } = rows
  const target = quoteTable(facts.schema, facts.name)
  const held = `join ${relation} held on held.ctid = change.stid`
  const place = 'target.ctid = change.tid and target.tableoid = change.toid'
  const fixed = facts.columns.filter(({ isReadOnly }) => isReadOnly).map(({ name }) => name)
  const set = written
    .filter((name) => !fixed.includes(name))
    .map((name) => `${quoteIdentifier(name)} = held.${quoteIdentifier(name)}`)
  const all = givableColumns(facts).map(quoteIdentifier).join(', ')
  const values = written.map((name) => `held.${quoteIdentifier(name)}`).join(', ')
  return {
    old: `select ${newRowColumns(rows)} from ${changesTable} change ${held} ${present(facts)} where change.reinserts`,
    gone: `delete from ${target} target using ${changesTable} change
      where (change.change = 'removed' or (change.reinserts and (select count(*) from old) >= 0)) and ${place}
      returning 1`,
    moved: `update ${target} target set ${set.join(', ')} from ${changesTable} change ${held}
      where change.change = 'changed' and not change.reinserts and ${place} and (select count(*) from gone) >= 0
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
 * Rows whose unique value another row is about to take: these are deleted and inserted, since an update row by row would
 * meet it before it is free. Gives how many.
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
