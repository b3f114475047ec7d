import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  iterateRows,
  parseDate,
  parseTimestamp,
  quoteName,
  type SqliteValue,
} from '../../../formats/geopackage/index.ts'
import type { AttributeType } from '../../../geo/schema.ts'
import type { RowChange } from '../../changes.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { plainWkb } from './canonical-geometry.ts'
import { writtenColumns } from './compared-columns.ts'
import { differencesTable } from './find-differences.ts'

type ChangedRow = NonNullable<RowChange['before']>

const pageRows = 500

/** A reported value of a row: its column and its indexes before and after. */
interface ChangedColumn {
  name: string
  type: AttributeType | 'geometry'
  before: string
  after: string
}

/** Source of the reported rows. */
export interface ChangeSource {
  plan: GeoPackageLoadPlan
  /** Relation with the previous rows, with the columns of the table. */
  before: string
  /** True if all staged rows are additions that are not listed. */
  isAddition: boolean
  /** Relation that maps ids of staged rows to the ids of the added rows, once assigned. */
  added?: string
}

/** Yields the changed rows, removed ones first, with values as stored in the table. */
export async function* readChanges(
  db: DatabaseSync,
  source: ChangeSource,
  signal: AbortSignal,
): AsyncGenerator<RowChange[]> {
  const changedColumns = reportedColumns(db, source)
  const kinds = source.isAddition ? (['added'] as const) : (['removed', 'changed', 'added'] as const)
  for (const change of kinds) {
    let page: RowChange[] = []
    for (const sides of iterateSides(db, source, change, changedColumns)) {
      page.push(toChange(change, changedColumns, sides))
      if (page.length < pageRows) continue
      signal.throwIfAborted()
      yield page
      page = []
      await nextTurn()
    }
    signal.throwIfAborted()
    if (page.length > 0) yield page
  }
}

/** Returns the columns that the load may change; for an `UPSERT` also those that it leaves unchanged. */
function reportedColumns(db: DatabaseSync, { plan }: ChangeSource): ChangedColumn[] {
  const changedColumns: ChangedColumn[] = writtenColumns(db, plan)
  if (plan.request.mode !== 'UPSERT') return changedColumns
  const { geometry, attributes } = plan.existing?.schema ?? {}
  const all = [
    ...(geometry === undefined ? [] : [{ name: geometry.name, type: 'geometry' as const }]),
    ...(attributes ?? []),
  ]
  for (const { name, type } of all) {
    if (changedColumns.some((column) => column.name === name)) continue
    changedColumns.push({ name, type, before: `x.${quoteName(name)}`, after: `x.${quoteName(name)}` })
  }
  return changedColumns
}

/**
 * A row before and after, each with the id before its values; absent if it did not exist, or no longer
 * exists.
 */
interface Sides {
  before?: SqliteValue[] | undefined
  after?: SqliteValue[] | undefined
}

/**
 * Reads both sides with one statement each, in the same order: a joined statement would have twice the
 * columns of the table, and SQLite allows 2,000.
 */
function* iterateSides(
  db: DatabaseSync,
  source: ChangeSource,
  change: RowChange['change'],
  changedColumns: ChangedColumn[],
): Generator<Sides> {
  const rowsOf = (side: 'before' | 'after'): Iterable<SqliteValue[]> =>
    iterateRows(db.prepare(selectChanges(source, change, sideList(changedColumns, change, side))))
  if (change !== 'changed') {
    const side = change === 'removed' ? 'before' : 'after'
    for (const values of rowsOf(side)) yield { [side]: values }
    return
  }
  const afters = rowsOf('after')[Symbol.iterator]()
  try {
    for (const before of rowsOf('before'))
      yield { before, after: afters.next().value as SqliteValue[] | undefined }
  } finally {
    afters.return?.()
  }
}

function sideList(
  changedColumns: ChangedColumn[],
  change: RowChange['change'],
  side: 'before' | 'after',
): string[] {
  const isKnown = (sql: string): boolean => change !== 'added' || !sql.startsWith('x.')
  return changedColumns.map((column) => (isKnown(column[side]) ? column[side] : 'NULL'))
}

function selectChanges(
  { plan, before, isAddition, added }: ChangeSource,
  change: RowChange['change'],
  list: string[],
): string {
  if (isAddition) return `SELECT ${['NULL', ...list].join(', ')} FROM side.t s ORDER BY s.id`
  const old = `CROSS JOIN ${before} x ON x.${quoteName(plan.id)} = d.target`
  const staged = 'CROSS JOIN side.t s ON s.id = d.staged'
  const newId = added === undefined ? '' : `CROSS JOIN ${added} a ON a.staged = d.staged`
  const joins = { removed: old, changed: `${old} ${staged}`, added: `${staged} ${newId}` }
  const conditions = {
    removed: 'd.staged IS NULL ORDER BY d.target',
    changed: 'd.staged IS NOT NULL AND d.target IS NOT NULL ORDER BY d.target',
    added: 'd.target IS NULL ORDER BY d.staged',
  }
  const id = change === 'added' && added !== undefined ? 'a.id' : 'd.target'
  return `SELECT ${[id, ...list].join(', ')}
    FROM ${differencesTable} d ${joins[change]} WHERE ${conditions[change]}`
}

function toChange(
  change: RowChange['change'],
  changedColumns: ChangedColumn[],
  { before, after }: Sides,
): RowChange {
  const [id] = before ?? after ?? []
  return {
    change,
    featureId: id === null || id === undefined ? undefined : String(id),
    before: before === undefined ? undefined : toRow(changedColumns, before),
    after: after === undefined ? undefined : toRow(changedColumns, after),
  }
}

/** The id precedes the values. */
function toRow(changedColumns: ChangedColumn[], values: SqliteValue[]): ChangedRow {
  const row: ChangedRow = { values: {} }
  changedColumns.forEach(({ name, type }, index) => {
    const value = values[index + 1] ?? null
    if (type !== 'geometry') row.values[name] = plainValue(type, value)
    else {
      const geometry = plainWkb(value)
      if (geometry !== undefined) row.geometry = geometry
    }
  })
  return row
}

/**
 * Returns a value as features contain it; a value that does not match its column type is returned as stored
 * in SQLite.
 */
function plainValue(type: AttributeType, value: SqliteValue): unknown {
  if (typeof value === 'string') {
    if (type === 'date') return parseDate(value) ?? value
    return type === 'timestamp' ? (parseTimestamp(value) ?? value) : value
  }
  if (typeof value === 'number') return type === 'float32' ? Math.fround(value) : value
  if (typeof value !== 'bigint' || type === 'int64') return value
  if (type === 'boolean') return value === 0n || value === 1n ? value === 1n : value
  return type === 'text' || type === 'decimal' ? String(value) : Number(value)
}
