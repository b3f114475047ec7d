import { invalid } from '../../core/errors/errors.ts'
import { everyRequest, metricNamed } from '../metrics/metrics.ts'
import { eventTypeId } from '../model/event-types.ts'
import type { ResourceType } from '../model/resource-types.ts'
import { resourceTypeId } from '../model/resource-types.ts'
import { resolutions, tableOf } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { countAtMost } from './answer-size.ts'
import type { NamedResource } from './names.ts'
import { readLabelNames, readResources } from './names.ts'
import type { SeriesReadLimits } from './reads.ts'
import { HeavyRead } from './reads.ts'
import { readWatermarks } from './row-plan.ts'
import type { PeriodStretch } from './stretches.ts'
import { chooseStretches } from './stretches.ts'

const daySeconds = 86_400
const idsPerStatement = 5000

/** Filter of resources with values in a period; seconds since 1970, an absent end is open. */
export interface PeriodResourceQuery {
  /** Name of a metric. */
  metric?: string
  from?: number
  to?: number
}

export interface ListedLabel {
  id: number
  name: string
}

/** Ordered ids of a list whose names are read slice by slice. */
export type ListIds = Float64Array<ArrayBuffer>

/** Entries of a list, and the ids of the remaining ones. */
export interface ListSlice<T> {
  entries: T[]
  rest: ListIds
}

/**
 * Returns the ids of the labels of a list. Throws `Failure` (`invalid`) if there are more than `maxRows`, and
 * `HeavyRead`.
 */
export async function findLabelIds(
  database: SeriesDatabase,
  query: PeriodResourceQuery,
  limits: SeriesReadLimits,
): Promise<ListIds> {
  await refuseHeavy(database, { table: 'monitoring_labels', query }, limits)
  const where = await labelCondition(database, query)
  return readIds(database, `select id from monitoring_labels ${where}`, { what: 'labels', ...limits })
}

/** Reads the names of the first `count` of these labels, in the order of their ids. */
export async function nameLabels(
  database: SeriesDatabase,
  ids: ListIds,
  count: number,
): Promise<ListSlice<ListedLabel>> {
  const labels = await readLabelNames(database, [...ids.subarray(0, count)])
  const entries = [...labels].map(([id, { name }]) => ({ id, name }))
  return { entries: entries.sort((a, b) => a.id - b.id), rest: ids.slice(count) }
}

async function readIds(
  database: SeriesDatabase,
  sql: string,
  { what, maxRows }: { what: string; maxRows: number },
): Promise<ListIds> {
  const parts: ListIds[] = []
  let count = 0
  await database.numbers(`${sql} limit ${maxRows + 1}`, ['id'], (numbers) => {
    parts.push(numbers.slice())
    count += numbers.length
  })
  if (count > maxRows)
    throw invalid(
      'list-too-long',
      `There are more than ${maxRows} ${what}: narrow them by metric_name, valid_from and valid_to`,
    )
  const ids = new Float64Array(count)
  let at = 0
  for (const part of parts) {
    ids.set(part, at)
    at += part.length
  }
  return ids.sort()
}

/** Throws `HeavyRead` if a light read would read too much: entries, or the rows that select them. */
async function refuseHeavy(
  database: SeriesDatabase,
  { table, query }: { table: string; query: PeriodResourceQuery & { type?: ResourceType } },
  { isLight, rowsPerRead }: SeriesReadLimits,
): Promise<void> {
  if (!isLight) return
  const refuse = async (sql: string): Promise<void> => {
    if ((await countAtMost(database, sql, rowsPerRead)) > rowsPerRead) throw new HeavyRead()
  }
  if (query.metric === undefined && isOpen(query)) return refuse(`select 1 from ${table}`)
  const isOfLabels = table === 'monitoring_labels'
  const split = isOfLabels ? 's.resource_id = 0' : 's.resource_id > 0'
  const metric = isOfLabels ? query.metric : (query.metric ?? everyRequest.name)
  const series = `monitoring_series s where ${seriesOf(metric)} and ${split}`
  await refuse(`select 1 from ${series}`)
  if (!isOfLabels) return
  for (const { table: rows, period, loads } of await rowSources(database, query))
    await refuse(
      `select 1 from monitoring_series s cross join ${rows} v
       where ${seriesOf(metric)} and ${split} and s.load_id ${loads} and v.series_id = s.id and ${period}`,
    )
}

async function labelCondition(database: SeriesDatabase, query: PeriodResourceQuery): Promise<string> {
  if (query.metric === undefined && isOpen(query)) return ''
  const selects = (await rowSources(database, query)).map(
    ({ table, period, loads }) =>
      `select v.label_id from monitoring_series s cross join ${table} v
       where ${seriesOf(query.metric)} and s.resource_id = 0 and s.load_id ${loads} and v.series_id = s.id and ${period}`,
  )
  return `where id in (${selects.join(' union ')})`
}

export interface ResourceListQuery extends PeriodResourceQuery {
  type?: ResourceType
}

/** Returns the ids of the resources of a list. Throws like `findLabelIds`. */
export async function findResourceIds(
  database: SeriesDatabase,
  query: ResourceListQuery,
  limits: SeriesReadLimits,
): Promise<ListIds> {
  await refuseHeavy(database, { table: 'monitoring_resources', query }, limits)
  const conditions = [
    ...(query.type === undefined ? [] : [`type = ${resourceTypeId(query.type)}`]),
    ...(await resourceCondition(database, query)),
  ]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  return readIds(database, `select id from monitoring_resources ${where}`, { what: 'resources', ...limits })
}

/** Reads the names of the first `count` of these resources, in the order of their ids. */
export async function nameResources(
  database: SeriesDatabase,
  ids: ListIds,
  count: number,
): Promise<ListSlice<NamedResource>> {
  const entries: NamedResource[] = []
  for (let start = 0; start < Math.min(ids.length, count); start += idsPerStatement) {
    const some = [...ids.subarray(start, Math.min(start + idsPerStatement, count))]
    entries.push(...(await readResources(database, some)).values())
  }
  return { entries: entries.sort((a, b) => a.id - b.id), rest: ids.slice(count) }
}

/** Returns the condition on series. Without a metric a resource counts as used if it has requests. */
async function resourceCondition(database: SeriesDatabase, query: PeriodResourceQuery): Promise<string[]> {
  if (query.metric === undefined && isOpen(query)) return []
  const series = `${seriesOf(query.metric ?? everyRequest.name)} and s.resource_id > 0`
  const exists = (await rowSources(database, query)).map(
    ({ table, period, loads }) =>
      `s.load_id ${loads} and exists (select 1 from ${table} v where v.series_id = s.id and ${period})`,
  )
  return [
    `id in (select s.resource_id from monitoring_series s where ${series} and (${exists.map((one) => `(${one})`).join(' or ')}))`,
  ]
}

function isOpen({ from, to }: PeriodResourceQuery): boolean {
  return from === undefined && to === undefined
}

function seriesOf(metric: string | undefined): string {
  const isRequested = metric === undefined ? 'true' : `s.metric_id = ${metricNamed(metric).id}`
  return `${isRequested} and s.is_total = 0 and s.event_type = ${eventTypeId('all')}`
}

interface RowSource {
  table: string
  /** Condition on the period of rows `v`. */
  period: string
  /** Condition on the series' loads. */
  loads: string
}

async function rowSources(database: SeriesDatabase, query: PeriodResourceQuery): Promise<RowSource[]> {
  const from = Math.ceil(query.from ?? 0)
  const to = query.to === undefined ? undefined : Math.floor(query.to / 60) * 60
  const own = stretchesOf(from, to ?? farFuture, await readWatermarks(database))
  return [
    ...own.map((one) => ({
      table: tableOf[one.resolution],
      period: `v.period >= ${one.from} and v.period < ${one.to}`,
      loads: '= 0',
    })),
    ...resolutions.map((resolution) => ({
      table: tableOf[resolution],
      period: `v.period >= ${from} and v.period <= ${(to ?? farFuture) - resolution}`,
      loads: '> 0',
    })),
  ]
}

/** A time in the year 9999, in seconds since 1970. */
const farFuture = Math.floor(253_402_214_400 / daySeconds) * daySeconds

/** Returns the rolled-up days of the window from the tables of days, and its edges from finer tables. */
function stretchesOf(
  from: number,
  to: number,
  marks: Parameters<typeof chooseStretches>[1],
): PeriodStretch[] {
  if (to <= from) return [{ resolution: 60, from, to: from }]
  const firstDay = Math.min(Math.ceil(from / daySeconds) * daySeconds, to)
  const lastDay = Math.max(Math.floor(to / daySeconds) * daySeconds, firstDay)
  return [
    { from, to: firstDay, intervalSeconds: 60 },
    { from: firstDay, to: lastDay, intervalSeconds: daySeconds },
    { from: lastDay, to, intervalSeconds: 60 },
  ].flatMap((range) => chooseStretches(range, marks))
}
