import { defaultLabel, metricNamed } from '../src/monitoring/metrics/metrics.ts'
import { eventTypeId } from '../src/monitoring/model/event-types.ts'
import { QuantileSketch } from '../src/monitoring/series/quantile-sketch.ts'
import type { Resolution } from '../src/monitoring/series/schema.ts'
import { tableOf } from '../src/monitoring/series/schema.ts'
import type { SeriesDatabase } from '../src/monitoring/series/series-database.ts'
import { seededRandom } from './random.ts'

const daySeconds = 86_400
/** Number of labels and resources of the service. */
export interface YearSize {
  labels: number
  resources: number
}

const fullYear: YearSize = { labels: 100, resources: 50 }
/** Labels that a resource has; two of them in each minute. */
const labelsOfResource = 10
const ownTypes = ['OWS:WMS', 'OWS:WFS', 'OWS:WCS', 'OWS:WMTS'] as const
const sketchCount = 32

/** Noon of the last day, whose rows are not rolled up yet. */
export const yearEnd = Date.parse('2026-01-01T12:00:00Z') / 1000
const lastMidnight = yearEnd - daySeconds / 2
export const yearStart = lastMidnight - 365 * daySeconds

/** Start of each table with the default retention. */
const begins: Record<Resolution, number> = {
  60: lastMidnight - 7 * daySeconds,
  3600: lastMidnight - 90 * daySeconds,
  86400: yearStart,
}
const ends: Record<Resolution, number> = { 60: yearEnd, 3600: lastMidnight, 86400: lastMidnight }

interface SeriesRows {
  metric: string
  eventType: Parameters<typeof eventTypeId>[0]
  resourceId: number
  /** Number of labels per row; 0 for a metric without labels. */
  labels: number
  /** Index of the first label of these rows in the list of all labels. */
  firstLabel: number
}

/**
 * Writes a year of one service as roll-up and retention leave it: a metric with labels (`request.path`), a
 * count, and a mean with sketches, by event type and resource. Returns the number of rows.
 */
export async function fillYear(database: SeriesDatabase, size: YearSize = fullYear): Promise<number> {
  await fillNames(database, size)
  let rows = 0
  let id = 0
  for (const series of listSeries(size)) {
    id += 1
    await insertSeries(database, id, series, false)
    rows += await insertRows(database, id, series, size.labels)
    if (series.labels === 0) continue
    id += 1
    await insertSeries(database, id, series, true)
    rows += await insertTotals(database, id, series)
  }
  if (database.kind === 'postgres') await database.run('analyze')
  return rows
}

function listSeries({ labels: labelCount, resources: resourceCount }: YearSize): SeriesRows[] {
  const series: SeriesRows[] = []
  for (const metric of ['request.path', 'request.count', 'response.time']) {
    const isLabelled = metric === 'request.path'
    const of = (eventType: SeriesRows['eventType'], resourceId: number, labels: number): void => {
      const firstLabel = resourceId > 0 ? (resourceId * 7) % labelCount : 0
      series.push({ metric, eventType, resourceId, labels: isLabelled ? labels : 0, firstLabel })
    }
    for (const type of ['all', 'OWS:ALL'] as const) of(type, 0, labelCount)
    for (const type of ownTypes) of(type, 0, Math.ceil(labelCount / ownTypes.length))
    of('all', -1, labelCount)
    for (let resource = 1; resource <= resourceCount; resource += 1)
      of('all', resource, Math.min(labelsOfResource, labelCount))
  }
  return series
}

async function fillNames(
  database: SeriesDatabase,
  { labels: labelCount, resources: resourceCount }: YearSize,
): Promise<void> {
  const labels = Array.from({ length: labelCount }, (_, index) => [
    index + 1,
    `/layers/some/path/${index}`,
    null,
  ])
  const defaults = ['request.count', 'response.time'].map((name, index) => [
    labelCount + 1 + index,
    defaultLabel(metricNamed(name)),
    null,
  ])
  await database.insert('monitoring_labels', ['id', 'name', 'user_name'], [...labels, ...defaults])
  const resources = Array.from({ length: resourceCount }, (_, index) => [index + 1, 1, `ws:layer_${index}`])
  await database.insert('monitoring_resources', ['id', 'type', 'name'], resources)
  const marks = {
    hours_rolled_before: lastMidnight,
    days_rolled_before: lastMidnight,
    minutes_kept_from: begins[60],
    hours_kept_from: begins[3600],
  }
  for (const [name, value] of Object.entries(marks))
    await database.run('insert into monitoring_state (name, value) values (?, ?)', [name, value])
  await database.run('create table bench_numbers (i bigint primary key)')
  const numbers = Array.from({ length: 20_000 }, (_, index) => [index])
  await database.insert('bench_numbers', ['i'], numbers)
  await database.run(
    `create table bench_sketches (i bigint primary key, sketch ${database.kind === 'sqlite' ? 'blob' : 'bytea'})`,
  )
  const draw = seededRandom(7)
  const sketches = Array.from({ length: sketchCount }, (_, index) => {
    const sketch = new QuantileSketch()
    for (let value = 0; value < 60; value += 1) sketch.add(5 - 100 * Math.log(1 - draw()))
    return [index, sketch.encode()]
  })
  await database.insert('bench_sketches', ['i', 'sketch'], sketches)
}

async function insertSeries(
  database: SeriesDatabase,
  id: number,
  { metric, eventType, resourceId }: SeriesRows,
  isTotal: boolean,
): Promise<void> {
  await database.insert(
    'monitoring_series',
    ['id', 'service_id', 'metric_id', 'event_type', 'resource_id', 'is_total', 'load_id'],
    [[id, 1, metricNamed(metric).id, eventTypeId(eventType), resourceId, isTotal ? 1 : 0, 0]],
  )
}

const columns = 'series_id, period, label_id, sum, weighted, min, max, samples, count, labels, users, sketch'

async function insertRows(
  database: SeriesDatabase,
  id: number,
  series: SeriesRows,
  labelCount: number,
): Promise<number> {
  const { metric, labels, firstLabel, resourceId } = series
  let rows = 0
  for (const resolution of [60, 3600, 86_400] as const) {
    const minutes = resolution / 60
    const value = `cast(((p.i * 7919 + l.i * 104729) % 50 + 1) * ${minutes} as double precision)`
    const label =
      labels === 0
        ? `${labelCount + (metric === 'request.count' ? 1 : 2)}`
        : `(l.i + ${firstLabel}) % ${labelCount} + 1`
    // In one minute a resource has two of its labels.
    const inMinute = resourceId > 0 && labels > 0 && resolution === 60 ? 'and (l.i + p.i) % 5 = 0' : ''
    const hasSketch = metric === 'response.time'
    rows += await database.run(
      `insert into ${tableOf[resolution]} (${columns})
       select ${id}, ${begins[resolution]} + p.i * ${resolution}, ${label}, ${value}, ${value} * ${value}, 1, 50,
         cast(${value} as bigint), ${minutes}, 1, 0, ${hasSketch ? 's.sketch' : 'null'}
       from bench_numbers p cross join bench_numbers l ${hasSketch ? 'cross join bench_sketches s' : ''}
       where p.i < ${(ends[resolution] - begins[resolution]) / resolution} and l.i < ${Math.max(labels, 1)} ${inMinute}
         ${hasSketch ? `and s.i = p.i % ${sketchCount}` : ''}`,
    )
  }
  return rows
}

async function insertTotals(
  database: SeriesDatabase,
  id: number,
  { labels, resourceId }: SeriesRows,
): Promise<number> {
  let rows = 0
  for (const resolution of [60, 3600, 86_400] as const) {
    const inPeriod = resourceId > 0 && resolution === 60 ? 2 : labels
    const minutes = resolution / 60
    rows += await database.run(
      `insert into ${tableOf[resolution]} (${columns})
       select ${id}, ${begins[resolution]} + p.i * ${resolution}, 0, 2500 * ${minutes}, 2500, 1, 50, 2500 * ${minutes},
         ${inPeriod * minutes}, ${inPeriod}, 0, null
       from bench_numbers p where p.i < ${(ends[resolution] - begins[resolution]) / resolution}`,
    )
  }
  return rows
}

/** Bytes on disk. */
export async function sizeOf(database: SeriesDatabase): Promise<number> {
  const sql =
    database.kind === 'sqlite'
      ? 'select page_count * page_size from pragma_page_count(), pragma_page_size()'
      : `select ${Object.values(tableOf)
          .map((table) => `pg_total_relation_size('${table}')`)
          .join(' + ')}`
  return Number((await database.arrays(sql))[0]?.[0])
}
