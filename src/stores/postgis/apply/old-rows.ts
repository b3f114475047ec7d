import { invalid } from '../../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { RowChange } from '../../changes.ts'
import { changesTable } from '../compare/find-changes.ts'
import type { ChangeSource } from '../compare/read-changes.ts'
import { isGivenId } from '../held-rows.ts'
import { identitySql } from '../read-conditions.ts'
import type { Connection } from '../session.ts'
import { maxColumns } from '../target-plan.ts'
import type { AppliedRows } from './apply-changes.ts'
import { givableColumns } from './apply-changes.ts'

/** Name of the column with the kind of change, in addition to the columns of the row. */
export const changeColumn = 'terrane_change'

const doing = 'keeping the old rows'

/** Copies the rows that will be changed or removed to a new table. */
export async function saveOldRows(connection: Connection, rows: AppliedRows, create: string): Promise<void> {
  const { facts } = rows
  const list = givableColumns(facts).map((name) => `present.${quoteIdentifier(name)}`)
  if (list.length + 1 > maxColumns) {
    throw invalid(
      'too-many-columns',
      `The table "${facts.name}" has ${list.length} columns: its rows cannot be changed, since a copy of them needs one more than PostgreSQL allows. Replace the table, or drop a column`,
    )
  }
  await connection.run(
    doing,
    `${create} as select ${[`change.change as ${changeColumn}`, ...list].join(', ')} from ${changesTable} change
     join ${quoteTable(facts.schema, facts.name)} present on present.ctid = change.tid and present.tableoid = change.toid
     where change.change <> 'added'`,
  )
}

/**
 * Returns the source of changes after they were applied: rows before are in `old`; rows after are in the
 * table itself, where triggers may have changed them, and are found by the keys.
 */
export function doneSource(rows: AppliedRows, old: string, keys: readonly string[]): ChangeSource {
  const { facts, relation } = rows
  const target = quoteTable(facts.schema, facts.name)
  const byKeys = (one: string, other: string): string =>
    keys.map((key) => `${one}.${quoteIdentifier(key)} = ${other}.${quoteIdentifier(key)}`).join(' and ')
  const from = (change: RowChange['change']): string => {
    if (change === 'removed') return `from ${old} before where before.${changeColumn} = 'removed'`
    if (change === 'changed') {
      return `from ${old} before join ${target} after on ${byKeys('after', 'before')}
        where before.${changeColumn} = 'changed'`
    }
    return `from ${changesTable} change join ${relation} held on held.ctid = change.stid
      join ${target} after on ${byKeys('after', 'held')} where change.change = 'added' order by change.stid`
  }
  const hidden = facts.columns.find((column) => isGivenId(facts, column) && !keys.includes(column.name))?.name
  const identity = identitySql(facts)
  const hasKey = facts.primaryKey !== undefined
  const id = (change: RowChange['change']): string => {
    if (identity === undefined || (!hasKey && change === 'removed')) return 'null'
    return `${change === 'removed' ? 'before' : 'after'}.${identity}::text`
  }
  return {
    from,
    kinds: ['removed', 'changed', 'added'],
    facts,
    columns: givableColumns(facts).filter((name) => name !== hidden),
    keptColumns: [],
    id,
    changedOrder: 'order by before.ctid',
  }
}
