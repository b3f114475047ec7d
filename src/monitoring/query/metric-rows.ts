import type { SeriesDatabase } from '../series/series-database.ts'
import { answerTooLarge } from './answer-size.ts'
import type { RowPart, RowPlan } from './row-plan.ts'
import type { RowTableColumn } from './row-table.ts'
import { RowTable } from './row-table.ts'
import type { Source } from './series-sql.ts'
import { integers, rowsSql } from './series-sql.ts'

const keyColumns = ['period', 'key', 'innerKey'] as const
const amountColumns = ['sum', 'weighted', 'min', 'max', 'samples', 'count'] as const
const stored = 'v.sum, v.weighted, v.min, v.max, v.samples, v.count'
const amounts = 'sum(r.sum) as sum, sum(r.weighted) as weighted, min(r.min) as min, max(r.max) as max'
const numbers = 'sum(r.samples) as samples, sum(r.count) as count'

/**
 * Returns the rows of the result, unordered. Throws `Failure` (`invalid`) if there are more than `maxRows`.
 */
export async function readRows(
  database: SeriesDatabase,
  plan: RowPlan,
  maxRows = Number.POSITIVE_INFINITY,
): Promise<RowTable> {
  const table = new RowTable()
  const target = { database, table, maxRows }
  for (const part of plan.parts) {
    if (part.distinct === undefined || part.countedSources !== undefined)
      for (const source of part.sources) await addRows(target, amountRows(database, plan, { part, source }))
    else await addRows(target, countedRows(database, plan, part))
    if (part.countedSources !== undefined) await setCounts(database, plan, { part, table })
  }
  return table
}

interface ReadRows {
  sql: string
  names: readonly RowTableColumn[]
  /** True if no two rows, and none of the existing ones, have the same period and keys. */
  isUnique: boolean
}

interface Target {
  database: SeriesDatabase
  table: RowTable
  maxRows: number
}

async function addRows(
  { database, table, maxRows }: Target,
  { sql, names, isUnique }: ReadRows,
): Promise<void> {
  const columns = names.map((name) => `"${name}"`)
  await database.numbers(sql, columns, (rows) => {
    table.addAll(rows, names, isUnique)
    if (table.length > maxRows) throw answerTooLarge(maxRows)
  })
}

/** Reads the amounts of one table. */
function amountRows(
  database: SeriesDatabase,
  { query, range }: RowPlan,
  { part, source }: { part: RowPart; source: Source },
): ReadRows {
  const { select, from, where } = rowsSql(database, query, source, range)
  const keys = keyColumns.slice(0, 1 + query.shape.keys.length)
  const inside = `from ${from} where ${where}`
  const { isUnique } = part
  const { value } = query.shape
  // PostgreSQL adds up rows faster than it returns them; for SQLite it is the opposite.
  if (database.kind === 'postgres' && source.resolution < range.intervalSeconds) {
    const grouped = keys.map((name) => `"${name}"`).join(', ')
    return {
      sql: `select ${grouped}, ${amounts}, ${numbers} from (select ${select}, ${stored} ${inside}) r group by ${grouped}`,
      names: [...keys, ...amountColumns],
      isUnique: part.sources.length === 1,
    }
  }
  if (isValueAlone(source) && value !== 'resources')
    return {
      sql: `select ${select}, v.sum as "sum", v.samples as "samples" ${inside}`,
      names: [...keys, 'sum', 'samples'],
      isUnique,
    }
  const extra = value === 'amount' ? '0' : value === 'resources' ? '1' : `v.${value}`
  return {
    sql: `select ${select}, ${stored}, ${extra} as extra ${inside}`,
    names: [...keys, ...amountColumns, 'extra'],
    isUnique,
  }
}

/**
 * True if the rows, of minutes and single labels, contain one value, which determines their extremes and
 * count.
 */
function isValueAlone({ resolution, isTotal, isLoaded }: Source): boolean {
  return resolution === 60 && !isTotal && !isLoaded
}

/** Reads the amounts of all tables together with the distinct count. */
function countedRows(
  database: SeriesDatabase,
  { query, range }: RowPlan,
  { sources, distinct }: RowPart,
): ReadRows {
  const isOfUsers = query.shape.keys.includes('user')
  const user = isOfUsers ? 'l.user_name' : 'null'
  const selects = sources.map((source) => {
    const { select, from, where } = rowsSql(database, query, source, range)
    return `select ${select}, ${stored}, ${distinct} as thing, ${user} as "user" from ${from} where ${where}`
  })
  const [key, group] = isOfUsers ? ['min("key")', '"user"'] : ['"key"', '"key"']
  return {
    sql: `select "period", ${key} as "key", 0 as "innerKey", ${amounts}, ${numbers}, count(distinct thing) as extra
      from (${selects.join(' union all ')}) r group by "period", ${group}`,
    names: [...keyColumns, ...amountColumns, 'extra'],
    isUnique: true,
  }
}

/** Writes distinct counts of labels or users into rows that already have their amounts. */
async function setCounts(
  database: SeriesDatabase,
  { query, range }: RowPlan,
  { part, table }: { part: RowPart; table: RowTable },
): Promise<void> {
  const isOfUsers = query.shape.value === 'users'
  // Reads rows by label, so that users are looked up once per label instead of once per row.
  const ofLabels = { ...query, shape: { ...query.shape, value: 'labels' as const } }
  const selects = (part.countedSources ?? []).map((source) => {
    const { select, from, where } = rowsSql(database, ofLabels, source, range)
    return `select ${select}, v.label_id as label from ${from} where ${where}`
  })
  const labels = `(select distinct "period", "key", label from (${selects.join(' union all ')}) q) r`
  const { uncountedIds = [] } = query
  const others = uncountedIds.length === 0 ? '' : `filter (where label not in (${integers(uncountedIds)}))`
  const counted = isOfUsers
    ? `count(distinct l.user_name) as extra from ${labels} join monitoring_labels l on l.id = r.label`
    : `count(*) ${others} as extra from ${labels}`
  const sql = `select "period", "key", ${counted} group by "period", "key"`
  await database.numbers(sql, ['"period"', '"key"', 'extra'], (rows) => {
    for (let at = 0; at < rows.length; at += 3) {
      const row = table.find(rows[at] ?? 0, rows[at + 1] ?? 0, 0)
      if (row !== undefined) table.set(row, 'extra', rows[at + 2] ?? 0)
    }
  })
}
