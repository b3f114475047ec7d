import type { DatabaseSync } from 'node:sqlite'
import { nameForm, quoteName, quoteText } from '../../../formats/geopackage/index.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { insertRows, lastId, requireRows } from '../move-staged-rows.ts'
import type { Refusal } from '../record-encoder.ts'
import type { StagedRows } from '../stage-rows.ts'
import { tryUpsert } from '../upsert/place-upsert.ts'

type OnRefused = (stagedId: number, refusal: Refusal) => void

/** Constraints of a table, and the columns that checking them reads from existing rows. */
interface TableRules {
  sql: string
  uniqueIndexes: string[]
  copied: string[]
}

interface ColumnInfo {
  name: string
  isRequired: boolean
  isId: boolean
  isGenerated: boolean
}

const tableForm = new RegExp(`^CREATE\\s+TABLE\\s+${nameForm}`, 'is')
const indexForm = new RegExp(`^CREATE\\s+UNIQUE\\s+INDEX\\s+${nameForm}\\s+ON\\s*${nameForm}`, 'is')

/**
 * Returns the ids of staged rows that the constraints of their table would reject (unique columns, NOT NULL,
 * checks). Inserts them into a temporary table with the same definition, together with the parts of the
 * present rows that the constraints need; does not write to the file itself.
 */
export function tryRules(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  staged: StagedRows,
  onRefused: OnRefused,
): number[] {
  const rules = plan.existing === undefined ? undefined : findRules(db, plan)
  if (rules === undefined) return []
  const into = `temp.${quoteName(plan.table)}`
  const refused: number[] = []
  const take: OnRefused = (id, refusal) => {
    refused.push(id)
    onRefused(id, refusal)
  }
  try {
    makeDryRun(db, plan, rules, into)
    if (plan.request.mode === 'UPSERT') tryUpsert(db, plan, staged, { into, onRefused: take })
    else tryInserts(db, plan, staged, { into, onRefused: take })
    return refused
  } finally {
    db.exec(`DROP TABLE IF EXISTS ${into}`)
  }
}

function tryInserts(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  staged: StagedRows,
  { into, onRefused }: { into: string; onRefused: OnRefused },
): void {
  const base = plan.request.mode === 'APPEND' ? lastId(db, plan) : 0
  const count = (): number => Number(db.prepare(`SELECT count(*) AS n FROM ${into}`).get()?.['n'])
  const before = count()
  const refused = insertRows(db, plan, staged, { base, onRefused, into })
  requireRows(plan.table, count() - before, staged.rowCount - refused.length)
}

/** Returns undefined if no constraint can reject a row. */
function findRules(db: DatabaseSync, plan: GeoPackageLoadPlan): TableRules | undefined {
  const name = quoteText(plan.table)
  const sql = statementOf(db, 'table', plan.table)
  const columns = columnsOf(db, plan)
  const unique = db
    .prepare(`SELECT name, partial FROM pragma_index_list(${name}) WHERE "unique" = 1 AND origin <> 'pk'`)
    .all()
  const hasChecks = /\b(?:check\s*\(|strict\b)/i.test(sql)
  const hasRequired = columns.some(({ isRequired }) => isRequired)
  if (unique.length === 0 && !hasChecks && !hasRequired) return undefined
  const requested = unique.flatMap((index) =>
    requestedColumns(db, String(index['name']), index['partial'] === 1),
  )
  const isWhole = hasChecks || requested.includes(null)
  const copied = columns.filter(
    (column) =>
      !column.isGenerated && (column.isId || column.isRequired || isWhole || requested.includes(column.name)),
  )
  return {
    sql,
    uniqueIndexes: unique
      .map((index) => statementOf(db, 'index', String(index['name'])))
      .filter((one) => one !== ''),
    copied: copied.map((column) => column.name),
  }
}

/** Returns the columns of an index; null for expressions and other parts that are not plain columns. */
function requestedColumns(db: DatabaseSync, index: string, isPartial: boolean): (string | null)[] {
  const rows = db.prepare(`PRAGMA main.index_info(${quoteText(index)})`).all()
  const names = rows.map(({ name }) => (name === null ? null : String(name)))
  return isPartial ? [null, ...names] : names
}

function columnsOf(db: DatabaseSync, { table, id }: GeoPackageLoadPlan): ColumnInfo[] {
  return db
    .prepare(`PRAGMA main.table_xinfo(${quoteText(table)})`)
    .all()
    .map(({ name, notnull, hidden }) => ({
      name: String(name),
      isId: name === id,
      isRequired: Number(notnull) === 1 && name !== id,
      isGenerated: Number(hidden) > 0,
    }))
}

/** Returns the CREATE statement of a table or index; empty for an automatic index. */
function statementOf(db: DatabaseSync, type: 'table' | 'index', name: string): string {
  const row = db
    .prepare('SELECT sql FROM main.sqlite_schema WHERE type = ? AND lower(name) = lower(?)')
    .get(type, name)
  return typeof row?.['sql'] === 'string' ? row['sql'] : ''
}

/**
 * Creates the table that the rows are inserted into: for `UPSERT` and `APPEND` with the existing rows, for
 * `REPLACE` empty.
 */
function makeDryRun(db: DatabaseSync, plan: GeoPackageLoadPlan, rules: TableRules, into: string): void {
  const table = quoteName(plan.table)
  db.exec(rules.sql.replace(tableForm, () => `CREATE TABLE ${into}`))
  for (const [number, sql] of rules.uniqueIndexes.entries())
    db.exec(sql.replace(indexForm, () => `CREATE UNIQUE INDEX temp.trial_${number} ON ${table}`))
  if (plan.request.mode === 'REPLACE') return
  const list = rules.copied.map(quoteName).join(', ')
  db.exec('PRAGMA ignore_check_constraints = ON')
  try {
    db.exec(`INSERT INTO ${into} (${list}) SELECT ${list} FROM main.${table}`)
  } finally {
    db.exec('PRAGMA ignore_check_constraints = OFF')
  }
}
