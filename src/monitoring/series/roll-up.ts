import type { Metric } from '../metrics/metrics.ts'
import { hasQuantiles, idsWhere, isHostMetric, noneLabel, tellsUsers } from '../metrics/metrics.ts'
import { OtherSketch } from './other-sketch.ts'
import type { Resolution } from './schema.ts'
import { tableOf } from './schema.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'
import type { RowSketch } from './stored-row.ts'
import { decodeSketch, mergeSketch, rowColumns } from './stored-row.ts'

const columns = rowColumns.join(', ')

/** Selects series: an SQL condition on the columns of `monitoring_series`. */
export interface SeriesFilter {
  where: string
  values: readonly SqlValue[]
}

export interface RollUp {
  from: Resolution
  to: Resolution
  series: SeriesFilter
  /** Start and end in seconds; whole periods of `to`. */
  validFrom: number
  validTo: number
}

const labelledHostIds = listIds((metric) => isHostMetric(metric) && metric.isLabelled)
const applicationIds = listIds((metric) => !isHostMetric(metric))
const userIds = listIds(tellsUsers)
const quantileIds = listIds(hasQuantiles)

function listIds(holds: (metric: Metric) => boolean): string {
  return [...idsWhere(holds)].join(', ')
}

/** Selects all collected series of a service. */
export function collectedOf(serviceId: number): SeriesFilter {
  return { where: 'load_id = 0 and service_id = ?', values: [serviceId] }
}

/** Selects series computed from the requests of a service. */
export function requestsOf(serviceId: number): SeriesFilter {
  return { where: `load_id = 0 and service_id = ? and metric_id in (${applicationIds})`, values: [serviceId] }
}

/** Recomputes coarser rows from finer ones. */
export async function rollUp(
  database: SeriesDatabase,
  { from, to, series, validFrom, validTo }: RollUp,
): Promise<void> {
  const target = tableOf[to]
  const range = { table: target, series, validFrom, validTo }
  await removeRows(database, range)
  const ids = inSeries(database, series, 'is_total = 0')
  const values = [...series.values, validFrom, validTo]
  await database.run(
    `insert into ${target} (${columns})
     select series_id, period - period % ${to}, label_id, sum(sum), sum(weighted), min(min), max(max), sum(samples),
       sum(count), max(labels), max(users), null
     from ${tableOf[from]} where ${ids} and period >= ? and period < ? and sketch is null
     group by series_id, period - period % ${to}, label_id`,
    values,
  )
  await rollSketches(database, { from, to, series, validFrom, validTo })
  await addTotals(database, range)
}

/** Selects series of samples of a service that are split by label. */
export function samplesOf(serviceId: number): SeriesFilter {
  return {
    where: `load_id = 0 and service_id = ? and metric_id in (${labelledHostIds})`,
    values: [serviceId],
  }
}

export interface RowRange {
  table: string
  series: SeriesFilter
  validFrom: number
  validTo: number
}

export async function removeRows(
  database: SeriesDatabase,
  { table, series, validFrom, validTo }: RowRange,
): Promise<void> {
  const values = [...series.values, validFrom, validTo]
  await database.run(
    `delete from ${table} where ${inSeries(database, series, 'is_total = 0')} and period >= ? and period < ?`,
    values,
  )
  await removeTotals(database, { table, series, validFrom, validTo })
}

/** Removes totals; `series` selects the rows by label. */
async function removeTotals(
  database: SeriesDatabase,
  { table, series, validFrom, validTo }: RowRange,
): Promise<void> {
  const ids = `select t.id from monitoring_series s ${totalOfSeries}
    where s.id in (select id from monitoring_series where ${series.where} and is_total = 0)`
  await database.run(`delete from ${table} where ${isOneOf(database, ids)} and period >= ? and period < ?`, [
    ...series.values,
    validFrom,
    validTo,
  ])
}

/** Recomputes the totals of rows by label. */
export async function renewTotals(database: SeriesDatabase, range: RowRange): Promise<void> {
  await removeTotals(database, range)
  await addTotals(database, range)
}

async function addTotals(database: SeriesDatabase, range: RowRange): Promise<void> {
  const { table, series, validFrom, validTo } = range
  const sums = `sum(r.sum), sum(r.weighted), min(r.min), max(r.max), sum(r.samples), sum(r.count), sum(r.labels)`
  const pair = `join monitoring_series s on s.id = r.series_id ${totalOfSeries}`
  const values = [...series.values, validFrom, validTo]
  const where = (condition: string): string =>
    `where r.${inSeries(database, series, `is_total = 0 and ${condition}`)} and r.period >= ? and r.period < ?
     group by t.id, r.period`
  await database.run(
    `insert into ${table} (${columns}) select t.id, r.period, 0, ${sums}, 0, null from ${table} r ${pair}
     ${where(`metric_id not in (${userIds})`)}`,
    values,
  )
  await database.run(
    `insert into ${table} (${columns}) select t.id, r.period, 0, ${sums}, count(distinct l.user_name), null
     from ${table} r ${pair} join monitoring_labels l on l.id = r.label_id ${where(`metric_id in (${userIds})`)}`,
    values,
  )
  await estimateTotals(database, range)
}

/** Returns an SQL condition for rows of the series. */
export function inSeries(database: SeriesDatabase, { where }: SeriesFilter, more = 'true'): string {
  return isOneOf(database, `select id from monitoring_series where ${where} and ${more}`)
}

function isOneOf({ kind }: SeriesDatabase, ids: string): string {
  // PostgreSQL uses the index for each id only if the ids are an array.
  return kind === 'postgres' ? `series_id = any(array(${ids}))` : `series_id in (${ids})`
}

/** Joins to series `s` of labels the series `t` of their totals. */
const totalOfSeries = `join monitoring_series t on t.service_id = s.service_id and t.metric_id = s.metric_id
  and t.event_type = s.event_type and t.resource_id = s.resource_id and t.is_total = 1 and t.load_id = s.load_id`

interface Rolled {
  key: SqlValue[]
  metric: number
  numbers: number[]
  sketch: RowSketch
}

async function rollSketches(
  database: SeriesDatabase,
  { from, to, series, validFrom, validTo }: RollUp,
): Promise<void> {
  const rows = await database.arrays(
    `select r.series_id, r.period, r.label_id, s.metric_id, r.sum, r.weighted, r.min, r.max, r.samples, r.count, r.sketch
     from ${tableOf[from]} r join monitoring_series s on s.id = r.series_id
     where r.${inSeries(database, series, 'is_total = 0')} and r.period >= ? and r.period < ? and r.sketch is not null`,
    [...series.values, validFrom, validTo],
  )
  const rolled = new Map<string, Rolled>()
  for (const row of rows) mergeRow(rolled, row, to)
  await database.insert(tableOf[to], rowColumns, [...rolled.values()].map(valuesOf))
}

function mergeRow(rolled: Map<string, Rolled>, row: SqlValue[], to: Resolution): void {
  const [series, period, label, metric, ...rest] = row
  const bytes = rest.pop()
  const sketch = decodeSketch(Number(metric), bytes instanceof Uint8Array ? bytes : new Uint8Array())
  const start = Number(period) - (Number(period) % to)
  const key = `${series} ${start} ${label}`
  const numbers = rest.map(Number)
  const found = rolled.get(key)
  if (found === undefined) {
    rolled.set(key, { key: [series ?? 0, start, label ?? 0], metric: Number(metric), numbers, sketch })
    return
  }
  found.numbers = mergeNumbers(found.numbers, numbers)
  mergeSketch(found.sketch, sketch)
}

function mergeNumbers(a: number[], b: number[]): number[] {
  const [sum = 0, weighted = 0, min = 0, max = 0, samples = 0, count = 0] = a
  const [sumB = 0, weightedB = 0, minB = 0, maxB = 0, samplesB = 0, countB = 0] = b
  const extremes = [Math.min(min, minB), Math.max(max, maxB)]
  return [sum + sumB, weighted + weightedB, ...extremes, samples + samplesB, count + countB]
}

function valuesOf({ key, numbers, sketch }: Rolled): SqlValue[] {
  const distinct =
    sketch instanceof OtherSketch ? [sketch.labels.estimate(), sketch.users.estimate()] : [1, 0]
  return [...key, ...numbers, ...distinct, sketch.encode()]
}

/**
 * Estimates distinct counts of periods with labels in `(other)`, which may equal labels with rows of their
 * own.
 */
async function estimateTotals(
  database: SeriesDatabase,
  { table, series, validFrom, validTo }: RowRange,
): Promise<void> {
  const others = await database.arrays(
    `select r.series_id, r.period, r.sketch, t.id from ${table} r
     join monitoring_series s on s.id = r.series_id ${totalOfSeries}
     where r.${inSeries(database, series, `is_total = 0 and metric_id not in (${quantileIds})`)}
       and r.period >= ? and r.period < ? and r.sketch is not null`,
    [...series.values, validFrom, validTo],
  )
  for (const [id, period, bytes, total] of others) {
    const sketch = OtherSketch.decode(bytes instanceof Uint8Array ? bytes : new Uint8Array())
    const labels = await database.arrays(
      `select l.name, l.user_name from ${table} r join monitoring_labels l on l.id = r.label_id
       where r.series_id = ? and r.period = ? and r.sketch is null`,
      [id ?? 0, period ?? 0],
    )
    for (const [name, user] of labels) {
      if (name !== noneLabel) sketch.labels.add(String(name))
      if (user !== null) sketch.users.add(String(user))
    }
    await database.run(`update ${table} set labels = ?, users = ? where series_id = ? and period = ?`, [
      sketch.labels.estimate(),
      sketch.users.estimate(),
      total ?? 0,
      period ?? 0,
    ])
  }
}
