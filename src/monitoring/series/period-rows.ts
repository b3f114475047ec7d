import { idsWhere, noneLabel, tellsUsers } from '../metrics/metrics.ts'
import type { LabelRef, SeriesDictionary, SeriesRef } from './dictionary.ts'
import { noLabel } from './dictionary.ts'
import { OtherSketch } from './other-sketch.ts'
import type { StoredRow } from './stored-row.ts'
import { mergeSketch } from './stored-row.ts'

const withUsers = idsWhere(tellsUsers)

/**
 * Merges rows of one service into rows of one longer period. The result does not depend on the order of the
 * rows, or on whether some were merged before. Takes ownership of added rows.
 */
export class PeriodRows {
  readonly #period: number
  readonly #rows = new Map<SeriesRef, Map<LabelRef, StoredRow>>()

  /** `period` is the start of the period, in seconds. */
  constructor(period: number) {
    this.#period = period
  }

  /** Totals are skipped: `finish` recomputes them. */
  add(rows: Iterable<StoredRow>): void {
    for (const row of rows) {
      if (row.series.isTotal === 1) continue
      let labels = this.#rows.get(row.series)
      if (labels === undefined) {
        labels = new Map()
        this.#rows.set(row.series, labels)
      }
      const found = labels.get(row.label)
      if (found === undefined) {
        row.period = this.#period
        labels.set(row.label, row)
      } else mergeRow(found, row)
    }
  }

  rows(): StoredRow[] {
    return [...this.#rows.values()].flatMap((labels) => [...labels.values()])
  }

  /** Returns the rows by label and their totals. */
  finish(dictionary: SeriesDictionary, isLabelled: (metricId: number) => boolean): StoredRow[] {
    const all: StoredRow[] = []
    for (const [series, labels] of this.#rows) {
      for (const row of labels.values()) all.push(row)
      if (isLabelled(series.metricId))
        all.push(totalOf([...labels.values()], dictionary.series(series.split, series.metricId, true)))
    }
    return all
  }
}

function mergeRow(row: StoredRow, other: StoredRow): void {
  addAmounts(row, other)
  row.users = Math.max(row.users, other.users)
  if (row.sketch === null || other.sketch === null) return
  mergeSketch(row.sketch, other.sketch)
  if (!(row.sketch instanceof OtherSketch)) return
  row.labels = row.sketch.labels.estimate()
  row.users = row.sketch.users.estimate()
}

function addAmounts(row: StoredRow, other: StoredRow): void {
  row.sum += other.sum
  row.weighted += other.weighted
  row.min = Math.min(row.min, other.min)
  row.max = Math.max(row.max, other.max)
  row.samples += other.samples
  row.count += other.count
}

function totalOf(rows: readonly StoredRow[], series: SeriesRef): StoredRow {
  return { ...sumOf(rows, series), ...distinctOf(rows, series) }
}

/** Returns the total of the rows by label of one period, without the numbers of distinct labels and users. */
export function sumOf(rows: readonly StoredRow[], series: SeriesRef): StoredRow {
  const total: StoredRow = {
    series,
    label: noLabel,
    period: rows[0]?.period ?? 0,
    sum: 0,
    weighted: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    samples: 0,
    count: 0,
    labels: 0,
    users: 0,
    sketch: null,
  }
  for (const row of rows) addAmounts(total, row)
  return total
}

/**
 * Returns the distinct counts: exact, or estimated if some labels are in `(other)`, since these may equal
 * labels with a row.
 */
function distinctOf(rows: readonly StoredRow[], series: SeriesRef): { labels: number; users: number } {
  const other = rows.find((row) => row.sketch instanceof OtherSketch)
  const users = withUsers.has(series.metricId) ? rows.map(({ label }) => label.user) : []
  const named = new Set(users.filter((user) => user !== null))
  if (!(other?.sketch instanceof OtherSketch))
    return { labels: rows.reduce((sum, { labels }) => sum + labels, 0), users: named.size }
  const all = new OtherSketch()
  all.merge(other.sketch)
  for (const row of rows) if (row !== other && row.label.text !== noneLabel) all.labels.add(row.label.text)
  for (const user of named) all.users.add(user)
  return { labels: all.labels.estimate(), users: all.users.estimate() }
}
