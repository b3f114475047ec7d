import type { Failure } from '../../core/errors/errors.ts'
import { invalid } from '../../core/errors/errors.ts'
import { isHostMetric } from '../metrics/metrics.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import type { RowPart, RowPlan } from './row-plan.ts'
import type { ResolvedQuery, Source } from './series-sql.ts'
import { rowsSql, seriesCondition } from './series-sql.ts'

/** Maximum number of totals that `countByTotals` reads, which takes a few milliseconds. */
const maxTotals = 20_000

/** Returns the number of rows of an SQL query, or `limit` + 1 if there are more than `limit`. Reads no more rows than that. */
export async function countAtMost(database: SeriesDatabase, sql: string, limit: number): Promise<number> {
  const [found] = await database.arrays(`select count(*) from (${sql} limit ${limit + 1}) q`)
  return Number(found?.[0] ?? 0)
}

/** Returns the number of series lookups of a plan. */
export async function countSeries(database: SeriesDatabase, { query, parts }: RowPlan): Promise<number> {
  const counts = new Map<string, number>()
  let all = 0
  for (const source of parts.flatMap(readSources)) {
    const condition = seriesCondition(query, source)
    const count =
      counts.get(condition) ??
      Number(
        (await database.arrays(`select count(*) from monitoring_series s where ${condition}`))[0]?.[0] ?? 0,
      )
    counts.set(condition, count)
    all += count
  }
  return all
}

/** Returns the number of stored rows that a plan reads, or a number above `limit` if there are more. */
export async function countStored(
  database: SeriesDatabase,
  { query, range, parts }: RowPlan,
  limit: number,
): Promise<number> {
  // Counts rows of all labels and users, since those of others are read too before they are skipped.
  const { labelId: _label, user: _user, ...others } = query
  const { value } = query.shape
  const shape = { ...query.shape, value: value === 'users' ? 'labels' : value, isOfUsers: false } as const
  let count = 0
  for (const source of parts.flatMap(readSources)) {
    if (count > limit) break
    const { from, where } = rowsSql(database, { ...others, shape }, source, range)
    count += await countAtMost(database, `select 1 from ${from} where ${where}`, limit - count)
  }
  return count
}

function readSources({ sources, countedSources = [] }: RowPart): Source[] {
  return [...sources, ...countedSources]
}

/**
 * Returns, within milliseconds, a lower bound of the number of rows of the result: from the totals of
 * minutes, whose `count` is the number of labels of their minute. 0 if the totals do not contain it.
 */
export async function countByTotals(
  database: SeriesDatabase,
  { query, range, parts }: RowPlan,
): Promise<number> {
  const { metric, shape, labelId, user } = query
  const hasTotals = metric.isLabelled && !isHostMetric(metric)
  if (!hasTotals || !shape.keys.includes('label') || labelId !== undefined || user !== undefined) return 0
  let rows = 0
  let left = maxTotals
  for (const part of parts) {
    // A period and its labels may have rows in several sources of one part, so only the largest source
    // counts.
    let most = 0
    for (const source of part.sources) {
      if (source.resolution !== 60 || source.isLoaded || left <= 0) continue
      const { select, from, where } = rowsSql(database, query, { ...source, isTotal: true }, range)
      const totals = `select ${select}, v.count as n from ${from} where ${where} limit ${left}`
      const [found] = await database.arrays(
        `select sum(m), sum(c) from
          (select max(n) as m, count(*) as c from (${totals}) t group by "period", "key", "innerKey") q`,
      )
      most = Math.max(most, Number(found?.[0] ?? 0))
      left -= Number(found?.[1] ?? 0)
    }
    rows += most
  }
  return rows
}

/**
 * Returns a lower bound of the number of rows of the result: exact for parts whose stored rows are result
 * rows, 0 for the others. Stops at `limit` + 1.
 */
export async function countUnique(
  database: SeriesDatabase,
  { query, range, parts }: RowPlan,
  limit: number,
): Promise<number> {
  let count = 0
  for (const { isUnique, sources } of parts) {
    for (const source of isUnique ? sources : []) {
      if (count > limit) return count
      const { from, where } = rowsSql(database, query, source, range)
      count += await countAtMost(database, `select 1 from ${from} where ${where}`, limit - count)
    }
  }
  return count
}

/** Creates the error for a result of more than `maxRows` rows; with a query it names a grouping that fits. */
export function answerTooLarge(maxRows: number, query?: ResolvedQuery): Failure {
  const grouping = query === undefined ? '' : smallGrouping(query)
  return invalid(
    'answer-too-large',
    `The answer has more than ${maxRows} rows: ask for a shorter window, a longer interval, or one service, resource or label${grouping}`,
  )
}

/** Returns a grouping with one row per period: a window has fewer periods than the smallest row limit. */
function smallGrouping({ shape }: ResolvedQuery): string {
  if (shape.keys.length === 0) return ''
  const grouping = shape.keys.includes('resource') ? 'count_on_resource' : 'label'
  return `; group_by=${grouping} fits, with one row a period`
}
