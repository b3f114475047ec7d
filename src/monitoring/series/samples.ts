import type { Metric } from '../metrics/metrics.ts'
import { metricNamed } from '../metrics/metrics.ts'
import type { SeriesDictionary } from './dictionary.ts'
import { dayOfMinute } from './minute-rows.ts'
import { cleanText } from './request-block.ts'
import type { Sample } from './request-event.ts'
import type { StoredRow } from './stored-row.ts'

/** Returns the minute rows of samples: counters are added up, other values are averaged. */
export function sampleRows(samples: readonly Sample[], dictionary: SeriesDictionary): StoredRow[] {
  const rows = new Map<string, StoredRow>()
  for (const { serviceId, created, metric: name, label: text, value } of samples) {
    const metric = metricNamed(name)
    const period = Math.floor(created / 60_000) * 60
    const series = dictionary.series(dictionary.hostSplit(serviceId), metric.id, false)
    if (metric.isLabelled) dictionary.series(dictionary.hostSplit(serviceId), metric.id, true)
    const label = dictionary.label(cleanText(text) ?? '', null, dayOfMinute(period))
    const key = `${serviceId} ${metric.id} ${period} ${label.text}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, minuteRow(series, label, period, value))
    else addSample(row, value, metric)
  }
  return [...rows.values()]
}

function minuteRow(
  series: StoredRow['series'],
  label: StoredRow['label'],
  period: number,
  value: number,
): StoredRow {
  const numbers = {
    sum: value,
    weighted: value,
    min: value,
    max: value,
    samples: 1,
    count: 1,
    labels: 1,
    users: 0,
  }
  return { series, label, period, ...numbers, sketch: null }
}

function addSample(row: StoredRow, value: number, { type }: Metric): void {
  const samples = row.samples + 1
  const sum = type === 'rate' ? (row.weighted + value) / samples : row.sum + value
  Object.assign(row, { sum, min: sum, max: sum, weighted: sum * samples, samples })
}
