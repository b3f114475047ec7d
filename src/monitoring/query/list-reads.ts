import { invalid } from '../../lib/errors.ts'
import { everyRequest, metricNamed } from '../metrics/metrics.ts'
import { eventTypeId } from '../model/event-types.ts'
import type { ResourceType } from '../model/resource-types.ts'
import { resourceTypeId, resourceTypeOfId } from '../model/resource-types.ts'
import { resolutions, tableOf } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import type { NamedResource } from './names.ts'
import { readWatermarks } from './row-plan.ts'
import type { Stretch } from './stretches.ts'
import { chooseStretches } from './stretches.ts'

/** So many entries a list has at most. */
const maxListed = 200_000

const daySeconds = 86_400

/** What has a value in a time; seconds since 1970, an open end where one is absent. */
export interface ListQuery {
  /** Name of a metric. */
  metric?: string
  from?: number
  to?: number
}

export interface ListedLabel {
  id: number
  name: string
}

/** In the order of their ids. Throws `Failure` (`invalid`) where there are too many. */
export async function listLabels(database: SeriesDatabase, query: ListQuery): Promise<ListedLabel[]> {
  const rows = await database.arrays(
    `select id, name from monitoring_labels ${await labelCondition(database, query)} order by id limit ${maxListed + 1}`,
  )
  refuseTooMany(rows.length, 'labels')
  return rows.map(([id, name]) => ({ id: Number(id), name: String(name) }))
}

async function labelCondition(database: SeriesDatabase, query: ListQuery): Promise<string> {
  if (query.metric === undefined && isOpen(query)) return ''
  const selects = (await rowSources(database, query)).map(
    ({ table, period, loads }) =>
      `select v.label_id from monitoring_series s cross join ${table} v
       where ${seriesOf(query.metric)} and s.resource_id = 0 and s.load_id ${loads} and v.series_id = s.id and ${period}`,
  )
  return `where id in (${selects.join(' union ')})`
}

export interface ResourceListQuery extends ListQuery {
  type?: ResourceType
}

/** In the order of their ids. Throws `Failure` (`invalid`) where there are too many. */
export async function listResources(
  database: SeriesDatabase,
  query: ResourceListQuery,
): Promise<NamedResource[]> {
  const conditions = [
    ...(query.type === undefined ? [] : [`type = ${resourceTypeId(query.type)}`]),
    ...(await resourceCondition(database, query)),
  ]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const rows = await database.arrays(
    `select id, type, name from monitoring_resources ${where} order by id limit ${maxListed + 1}`,
  )
  refuseTooMany(rows.length, 'resources')
  return rows.map(([id, type, name]) => ({
    id: Number(id),
    type: resourceTypeOfId(Number(type)) ?? 'other',
    name: String(name),
  }))
}

/** Whoever uses a resource makes a request: without a metric their number tells. */
async function resourceCondition(database: SeriesDatabase, query: ListQuery): Promise<string[]> {
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

function isOpen({ from, to }: ListQuery): boolean {
  return from === undefined && to === undefined
}

function seriesOf(metric: string | undefined): string {
  const isAsked = metric === undefined ? 'true' : `s.metric_id = ${metricNamed(metric).id}`
  return `${isAsked} and s.is_total = 0 and s.event_type = ${eventTypeId('all')}`
}

interface RowSource {
  table: string
  /** Condition on the period of rows `v`. */
  period: string
  /** Of the series' loads. */
  loads: string
}

async function rowSources(database: SeriesDatabase, query: ListQuery): Promise<RowSource[]> {
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

/** Seconds since 1970: the year 9999. */
const farFuture = Math.floor(253_402_214_400 / daySeconds) * daySeconds

/** Whole days of the window from the tables of days where they are rolled up, its edges from finer ones. */
function stretchesOf(from: number, to: number, marks: Parameters<typeof chooseStretches>[1]): Stretch[] {
  if (to <= from) return [{ resolution: 60, from, to: from }]
  const firstDay = Math.min(Math.ceil(from / daySeconds) * daySeconds, to)
  const lastDay = Math.max(Math.floor(to / daySeconds) * daySeconds, firstDay)
  return [
    { from, to: firstDay, intervalSeconds: 60 },
    { from: firstDay, to: lastDay, intervalSeconds: daySeconds },
    { from: lastDay, to, intervalSeconds: 60 },
  ].flatMap((range) => chooseStretches(range, marks))
}

function refuseTooMany(count: number, what: string): void {
  if (count <= maxListed) return
  throw invalid(
    'list-too-long',
    `There are more than ${maxListed} ${what}: narrow them by metric_name, valid_from and valid_to`,
  )
}
