import type { SeriesLimits } from '../../core/config/monitoring-settings.ts'
import { defaultLabel, otherLabel, tellsUsers } from '../metrics/metrics.ts'
import type { NumberMetric } from '../metrics/requests/request-metric.ts'
import { countedUnder, eventTypeId } from '../model/event-types.ts'
import type { SortedCells } from './cell-table.ts'
import type { LabelRef, SeriesDictionary, SplitRef } from './dictionary.ts'
import { hashText } from './distinct-sketch.ts'
import { capLabels } from './label-cap.ts'
import type { LabelCounts, MinuteCounts, NumberSums, RequestGroup } from './minute-counts.ts'
import { OtherSketch } from './other-sketch.ts'
import { sumOf } from './period-rows.ts'
import { QuantileSketch } from './quantile-sketch.ts'
import { splitOfType } from './schema.ts'
import type { StoredRow } from './stored-row.ts'

export interface MinuteOptions {
  serviceId: number
  /** Start of the minute, in seconds since 1970. */
  minute: number
  limits: SeriesLimits
  dictionary: SeriesDictionary
}

interface Split {
  ref: SplitRef
  groups: number[]
}

/**
 * Returns all rows of a service's minute. `dictionary.resolve` then assigns the ids of their series and
 * labels.
 */
export function minuteRows(counts: MinuteCounts, options: MinuteOptions): StoredRow[] {
  const rows: StoredRow[] = []
  const splits = splitsOf(counts.groups, options)
  for (const sums of counts.numbers) {
    const cells = sums.metric.hasQuantiles ? sums.buckets.sorted(counts.groups.length) : undefined
    for (const split of splits) addNumber(rows, sums, { split, cells }, options)
  }
  for (const labelled of counts.labelled) {
    const rest = new LabelRows(rows, labelled, counts.groups.length, options)
    for (const split of splits) rest.add(split)
  }
  return rows
}

/**
 * Returns the splits of each group: each event type combined with no resource, each resource and each type of
 * resource.
 */
function splitsOf(groups: readonly RequestGroup[], { serviceId, dictionary }: MinuteOptions): Split[] {
  const splits = new Map<SplitRef, Split>()
  groups.forEach(({ eventType, resources }, group) => {
    const types = new Set(resources.map(({ type }) => splitOfType(type)).filter((type) => type !== 0))
    for (const name of countedUnder(eventType)) {
      for (const resource of [0, ...types, ...resources]) {
        const ref = dictionary.split(serviceId, eventTypeId(name), resource)
        const split = splits.get(ref)
        if (split === undefined) splits.set(ref, { ref, groups: [group] })
        else if (split.groups.at(-1) !== group) split.groups.push(group)
      }
    }
  })
  return [...splits.values()]
}

/** Adds the row of a metric that is not split by label, if any request is included. */
function addNumber(
  rows: StoredRow[],
  { metric, samples, sums }: NumberSums,
  { split, cells }: { split: Split; cells: SortedCells | undefined },
  options: MinuteOptions,
): void {
  let [count, sum] = [0, 0]
  for (const group of split.groups) {
    count += samples[group] ?? 0
    sum += sums[group] ?? 0
  }
  if (count === 0) return
  const row = plainRow(
    metric,
    split,
    { value: metric.type === 'rate' ? sum / count : sum, samples: count },
    options,
  )
  if (cells !== undefined) row.sketch = sketchOf(cells, split.groups)
  rows.push(row)
}

function sketchOf(cells: SortedCells, groups: readonly number[]): QuantileSketch {
  const sketch = new QuantileSketch()
  for (const group of groups) {
    const end = cells.starts[group + 1] ?? 0
    for (let cell = cells.starts[group] ?? 0; cell < end; cell += 1)
      sketch.addToBucket(cells.labels[cell] ?? 0, cells.counts[cell] ?? 0)
  }
  return sketch
}

function plainRow(
  metric: NumberMetric,
  { ref }: Split,
  { value, samples }: { value: number; samples: number },
  { dictionary, minute }: MinuteOptions,
): StoredRow {
  return {
    series: dictionary.series(ref, metric.id, false),
    label: dictionary.label(defaultLabel(metric), null, dayOfMinute(minute)),
    period: minute,
    sum: value,
    weighted: value * samples,
    min: value,
    max: value,
    samples,
    count: 1,
    labels: 1,
    users: 0,
    sketch: null,
  }
}

/** Creates the rows of a metric that is split by label. */
class LabelRows {
  readonly #rows: StoredRow[]
  readonly #counts: LabelCounts
  readonly #options: MinuteOptions
  readonly #cells: SortedCells
  readonly #cap: number
  /** Frequency of each label in the current split. */
  readonly #occurrences: Int32Array
  readonly #refs: (LabelRef | undefined)[] = []
  readonly #hasUsers: boolean

  constructor(rows: StoredRow[], counts: LabelCounts, groups: number, options: MinuteOptions) {
    this.#rows = rows
    this.#counts = counts
    this.#options = options
    this.#cells = counts.cells.sorted(groups)
    this.#hasUsers = tellsUsers(counts.metric)
    this.#cap = this.#hasUsers ? options.limits.visitors : options.limits.labels
    this.#occurrences = new Int32Array(counts.labels.length)
  }

  add({ ref, groups }: Split): void {
    const labels = this.#count(groups)
    if (labels.length === 0) return
    const { dictionary } = this.#options
    const { none } = this.#counts
    const named = none === undefined ? labels : labels.filter((label) => label !== none)
    const { kept, rest } = capLabels(named, {
      counts: this.#occurrences,
      names: this.#counts.labels,
      cap: this.#cap,
      alwaysRest: otherLabel,
    })
    const series = dictionary.series(ref, this.#counts.metric.id, false)
    const own = kept.map((label) => this.#row(series, label))
    if (rest.length > 0) own.push(this.#otherRow(series, rest))
    if (none !== undefined && named.length < labels.length) own.push(this.#noneRow(series, none))
    for (const row of own) this.#rows.push(row)
    const total = sumOf(own, dictionary.series(ref, this.#counts.metric.id, true))
    this.#rows.push({ ...total, labels: named.length, users: this.#countUsers(named) })
    for (const label of labels) this.#occurrences[label] = 0
  }

  #count(groups: number[]): number[] {
    const labels: number[] = []
    for (const group of groups) {
      const end = this.#cells.starts[group + 1] ?? 0
      for (let cell = this.#cells.starts[group] ?? 0; cell < end; cell += 1) {
        const label = this.#cells.labels[cell] ?? 0
        const before = this.#occurrences[label] ?? 0
        if (before === 0) labels.push(label)
        this.#occurrences[label] = before + (this.#cells.counts[cell] ?? 0)
      }
    }
    return labels
  }

  #row(series: StoredRow['series'], label: number): StoredRow {
    const value = this.#occurrences[label] ?? 0
    const users = this.#counts.users[label] == null ? 0 : 1
    return countRow(series, this.#ref(label), this.#options.minute, value, users)
  }

  /** Returns the row of requests without a label, which is neither limited nor counted as a label. */
  #noneRow(series: StoredRow['series'], none: number): StoredRow {
    const row = countRow(series, this.#ref(none), this.#options.minute, this.#occurrences[none] ?? 0, 0)
    row.labels = 0
    return row
  }

  #ref(label: number): LabelRef {
    let ref = this.#refs[label]
    if (ref === undefined) {
      const { dictionary, minute } = this.#options
      ref = dictionary.label(
        this.#counts.labels[label] ?? '',
        this.#counts.users[label] ?? null,
        dayOfMinute(minute),
      )
      this.#refs[label] = ref
    }
    return ref
  }

  #otherRow(series: StoredRow['series'], rest: number[]): StoredRow {
    const { dictionary, minute } = this.#options
    const sketch = new OtherSketch()
    let value = 0
    for (const label of rest) {
      value += this.#occurrences[label] ?? 0
      sketch.labels.addHash(hashText(this.#counts.labels[label] ?? ''))
      const user = this.#counts.users[label] ?? null
      if (user !== null) sketch.users.add(user)
    }
    const ref = dictionary.label(otherLabel, null, dayOfMinute(minute))
    const row = countRow(series, ref, minute, value, this.#countUsers(rest))
    row.labels = rest.length
    row.sketch = sketch
    return row
  }

  #countUsers(labels: number[]): number {
    if (!this.#hasUsers) return 0
    const users = new Set<string>()
    for (const label of labels) {
      const user = this.#counts.users[label] ?? null
      if (user !== null) users.add(user)
    }
    return users.size
  }
}

function countRow(
  series: StoredRow['series'],
  label: LabelRef,
  period: number,
  value: number,
  users: number,
): StoredRow {
  return {
    series,
    label,
    period,
    sum: value,
    weighted: value * value,
    min: value,
    max: value,
    samples: value,
    count: 1,
    labels: 1,
    users,
    sketch: null,
  }
}

/** Returns the preceding midnight, in seconds. */
export function dayOfMinute(period: number): number {
  return period - (period % 86_400)
}
