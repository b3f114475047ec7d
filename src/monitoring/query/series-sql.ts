import { Buffer } from 'node:buffer'
import type { Metric } from '../metrics/metrics.ts'
import { isHostMetric } from '../metrics/metrics.ts'
import { eventTypeId } from '../model/event-types.ts'
import { resourceTypeId } from '../model/resource-types.ts'
import { pagesOffset } from '../model/service-types.ts'
import { splitOfType, tableOf } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import type { GroupingShape } from './grouping.ts'
import type { MetricDataQuery } from './metric-data-query.ts'
import type { PeriodStretch } from './stretches.ts'

/** A query with ids instead of names. */
export interface ResolvedQuery
  extends Pick<MetricDataQuery, 'serviceIds' | 'eventType' | 'resourceType' | 'user'> {
  metric: Metric
  shape: GroupingShape
  labelId?: number
  resourceId?: number
  /** Id of the label `(other)`; undefined if the limit was never exceeded. */
  otherId?: number
  /** Ids of `(other)` and `(none)`, which do not count as labels. */
  uncountedIds?: readonly number[]
}

/** Rows of one table, collected or imported, by label or as totals. */
export interface Source extends PeriodStretch {
  isLoaded: boolean
  isTotal: boolean
}

/**
 * SQL for rows `v` of series `s`; labels are `l`. Numbers are literals, since PostgreSQL's COPY has no
 * parameters.
 */
export interface RowsSql {
  select: string
  from: string
  where: string
}

/** Returns the condition on `s` that selects the series of a query. */
export function seriesCondition(
  query: ResolvedQuery,
  { isLoaded, isTotal }: Pick<Source, 'isLoaded' | 'isTotal'>,
): string {
  const { metric, serviceIds } = query
  const conditions = [
    `s.metric_id = ${metric.id} and s.is_total = ${isTotal ? 1 : 0}`,
    ...eventTypeCondition(query),
    splitCondition(query),
    serviceIds === undefined ? `s.service_id < ${pagesOffset}` : `s.service_id in (${integers(serviceIds)})`,
    isLoaded ? 's.load_id > 0 and s.service_id > 0' : 's.load_id = 0',
  ]
  return conditions.join(' and ')
}

function eventTypeCondition({ metric, eventType, shape }: ResolvedQuery): string[] {
  if (eventType === undefined && shape.keys.includes('event_type')) return []
  const type = isHostMetric(metric) ? 'all' : (eventType ?? 'all')
  return [`s.event_type = ${eventTypeId(type)}`]
}

function splitCondition({ shape, resourceId, resourceType }: ResolvedQuery): string {
  if (resourceId !== undefined) return `s.resource_id = ${integer(resourceId)}`
  const isByResource = shape.keys.includes('resource') || shape.value === 'resources'
  if (!isByResource) return `s.resource_id = ${resourceType === undefined ? 0 : splitOfType(resourceType)}`
  if (resourceType === undefined) return 's.resource_id > 0'
  const ids = `select id from monitoring_resources where type = ${resourceTypeId(resourceType)}`
  return `s.resource_id > 0 and s.resource_id in (${ids})`
}

/**
 * Returns the SQL of a source. `range` has the start of the first period and the period length, in seconds.
 */
export function rowsSql(
  database: SeriesDatabase,
  query: ResolvedQuery,
  source: Source,
  range: { from: number; intervalSeconds: number },
): RowsSql {
  const { shape, labelId, user } = query
  const isOfLabels = !source.isTotal && (user !== undefined || shape.isOfUsers || shape.value === 'users')
  const conditions = [
    seriesCondition(query, source),
    `v.series_id = s.id and v.period >= ${integer(source.from)} and v.period < ${integer(source.to)}`,
    ...(isOfLabels ? ['l.id = v.label_id'] : []),
    ...(labelId === undefined ? [] : [`v.label_id = ${integer(labelId)}`]),
    ...(user === undefined ? [] : [`l.user_name = ${textLiteral(database.kind, user)}`]),
    ...(shape.isOfUsers ? [userCondition(query, source)] : []),
  ]
  const [key = '0', innerKey = '0'] = shape.keys.map((name) => keySql[name])
  const period = `(v.period - ${integer(range.from)}) / ${integer(range.intervalSeconds)}`
  return {
    select: `${period} as "period", ${key} as "key", ${innerKey} as "innerKey"`,
    // The cross join makes SQLite read the few series first, then their rows by key.
    from: `monitoring_series s cross join ${tableOf[source.resolution]} v${isOfLabels ? ' cross join monitoring_labels l' : ''}`,
    where: conditions.join(' and '),
  }
}

const keySql = {
  label: 'v.label_id',
  resource: 's.resource_id',
  event_type: 's.event_type',
  user: 'v.label_id',
}

/**
 * Returns the condition for rows with a user. Users beyond the limit have no label; the row of `(other)`
 * contains them.
 */
function userCondition({ shape, otherId }: ResolvedQuery, { isTotal }: Source): string {
  if (isTotal) return 'v.users > 0'
  if (shape.keys.includes('user') || otherId === undefined) return 'l.user_name is not null'
  return `(l.user_name is not null or (v.label_id = ${integer(otherId)} and v.users > 0))`
}

export function integers(values: readonly number[]): string {
  return values.length === 0 ? 'null' : values.map(integer).join(',')
}

function integer(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number`)
  return String(value)
}

/** Returns a text as SQL of hexadecimal digits, which need no quoting. */
function textLiteral(kind: SeriesDatabase['kind'], text: string): string {
  const digits = Buffer.from(text).toString('hex')
  return kind === 'sqlite' ? `cast(x'${digits}' as text)` : `convert_from(decode('${digits}', 'hex'), 'UTF8')`
}
