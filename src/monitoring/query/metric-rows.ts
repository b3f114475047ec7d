import { invalid } from '../../lib/errors.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import type { RowPlan } from './row-plan.ts'
import type { Column } from './row-table.ts'
import { columns, maxRows, RowTable } from './row-table.ts'
import type { Source } from './series-sql.ts'
import { rowsSql } from './series-sql.ts'

const keyColumns = ['period', 'key', 'innerKey'] as const
const stored = 'v.sum, v.weighted, v.min, v.max, v.samples, v.count'
const amounts = 'sum(r.sum) as sum, sum(r.weighted) as weighted, min(r.min) as min, max(r.max) as max'
const numbers = 'sum(r.samples) as samples, sum(r.count) as count'

/** The rows of the answer, in no order. Throws `Failure` (`invalid`) where there are too many. */
export async function readRows(database: SeriesDatabase, plan: RowPlan): Promise<RowTable> {
  const table = new RowTable()
  if (plan.sources.length === 0) return table
  const parts = plan.distinct === undefined ? plan.sources.map(amountPart) : [countedPart]
  for (const part of parts) {
    const { sql, names } = part(database, plan)
    const found = await database.numbers(
      `${sql} limit ${maxRows + 1}`,
      names.map((name) => `"${name}"`),
    )
    refuseTooMany(found.length / names.length)
    table.addAll(found, names, plan.isUnique || plan.distinct !== undefined)
    refuseTooMany(table.length)
  }
  return table
}

interface Part {
  sql: string
  names: readonly Column[]
}

/** Amounts of one table; rows of a period are added up where there are several. */
function amountPart(source: Source): (database: SeriesDatabase, plan: RowPlan) => Part {
  return (database, { query, range }) => {
    const { select, from, where } = rowsSql(database, query, source, range)
    const inside = `from ${from} where ${where}`
    if (source.resolution < range.intervalSeconds)
      return {
        sql: `select "period", "key", "innerKey", ${amounts}, ${numbers} from (select ${select}, ${stored} ${inside}) r
          group by "period", "key", "innerKey"`,
        names: columns.slice(0, -1),
      }
    if (isValueAlone(source))
      return {
        sql: `select ${select}, v.sum, v.samples ${inside}`,
        names: [...keyColumns, 'sum', 'samples'],
      }
    const { value } = query.shape
    const extra = value === 'labels' || value === 'users' ? `v.${value}` : '0'
    return { sql: `select ${select}, ${stored}, ${extra} as extra ${inside}`, names: columns }
  }
}

/** Rows of minutes and single labels hold one value: their extremes and their count follow. */
function isValueAlone({ resolution, isTotal, isLoaded }: Source): boolean {
  return resolution === 60 && !isTotal && !isLoaded
}

/** Amounts of all tables together with the number of different things. */
function countedPart(database: SeriesDatabase, { query, range, sources, distinct }: RowPlan): Part {
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
    names: columns,
  }
}

function refuseTooMany(rows: number): void {
  if (rows <= maxRows) return
  throw invalid(
    'answer-too-large',
    `The answer has more than ${maxRows} rows: ask for a shorter window, a longer interval, or one service, resource or label`,
  )
}
