import { labelMetrics, noneLabel, numberMetrics } from '../metrics/metrics.ts'
import type { LabelMetric, NumberMetric, RequestColumn } from '../metrics/requests/request-metric.ts'
import type { RequestEventType } from '../model/event-types.ts'
import { CellTable } from './cell-table.ts'
import { bucketOf } from './quantile-sketch.ts'
import type { RequestBlock } from './request-block.ts'
import type { UsedResource } from './request-event.ts'

/** Requests of one type that used the same resources. */
export interface RequestGroup {
  eventType: RequestEventType | null
  resources: UsedResource[]
  requests: number
}

/** Sums of the numbers of each group's requests. */
export class NumberSums {
  readonly metric: NumberMetric
  /** Number of included requests, and their sum, by group. */
  readonly samples: number[] = []
  readonly sums: number[] = []
  /** Counts by group and bucket of the quantile sketch, if the metric has quantiles. */
  readonly buckets = new CellTable()

  constructor(metric: NumberMetric) {
    this.metric = metric
  }

  add(block: RequestBlock, groups: Int32Array): void {
    const numbers = this.metric.number(block)
    const { hasQuantiles } = this.metric
    for (let row = 0; row < block.count; row += 1) {
      const number = numbers[row] ?? Number.NaN
      if (Number.isNaN(number)) continue
      const group = groups[row] ?? 0
      this.samples[group] = (this.samples[group] ?? 0) + 1
      this.sums[group] = (this.sums[group] ?? 0) + number
      if (hasQuantiles) this.buckets.add(group, bucketOf(number), 1)
    }
  }

  clear(): void {
    this.samples.length = 0
    this.sums.length = 0
    this.buckets.clear()
  }
}

/** Frequency of each label of a metric by group. */
export class LabelCounts {
  readonly metric: LabelMetric
  readonly cells = new CellTable()
  readonly labels: string[] = []
  /** User of each label; null if there is none. */
  readonly users: (string | null)[] = []
  readonly #numbers = new Map<string, number>()

  constructor(metric: LabelMetric) {
    this.metric = metric
  }

  number(label: string, user: string | null): number {
    const known = this.#numbers.get(label)
    if (known !== undefined) {
      if (user !== null) this.users[known] ??= user
      return known
    }
    this.#numbers.set(label, this.labels.length)
    this.users.push(user)
    return this.labels.push(label) - 1
  }

  /** Number of the label of requests without one; undefined if all have one. */
  get none(): number | undefined {
    return this.#numbers.get(noneLabel)
  }

  clear(): void {
    this.cells.clear()
    this.labels.length = 0
    this.users.length = 0
    this.#numbers.clear()
  }
}

/** Counts the requests of one service and minute, each once; `minuteRows` distributes them to series. */
export class MinuteCounts {
  readonly groups: RequestGroup[] = []
  readonly labelled = labelMetrics.map((metric) => new LabelCounts(metric))
  readonly numbers = numberMetrics.map((metric) => new NumberSums(metric))
  readonly #groupNumbers = new Map<string, number>()

  add(block: RequestBlock): void {
    const groups = this.#groupsOf(block)
    for (const counts of this.labelled) countLabels(counts, block, groups)
    for (const sums of this.numbers) sums.add(block, groups)
  }

  clear(): void {
    this.groups.length = 0
    this.#groupNumbers.clear()
    for (const counts of this.labelled) counts.clear()
    for (const sums of this.numbers) sums.clear()
  }

  /** Returns the group of each request. */
  #groupsOf({ count, eventTypes, resources }: RequestBlock): Int32Array {
    const sets = resources.values.length
    const known = new Int32Array(eventTypes.values.length * sets).fill(-1)
    const groups = new Int32Array(count)
    for (let row = 0; row < count; row += 1) {
      const type = eventTypes.indexes?.[row] ?? 0
      const set = resources.indexes?.[row] ?? 0
      const pair = type * sets + set
      let group = known[pair] ?? -1
      if (group < 0) {
        group = this.#group(eventTypes.values[type] ?? null, resources.values[set] ?? [])
        known[pair] = group
      }
      groups[row] = group
      const found = this.groups[group]
      if (found !== undefined) found.requests += 1
    }
    return groups
  }

  #group(eventType: RequestEventType | null, resources: UsedResource[]): number {
    const key = `${eventType} ${JSON.stringify(resources)}`
    const known = this.#groupNumbers.get(key)
    if (known !== undefined) return known
    this.#groupNumbers.set(key, this.groups.length)
    return this.groups.push({ eventType, resources, requests: 0 }) - 1
  }
}

function countLabels(counts: LabelCounts, block: RequestBlock, groups: Int32Array): void {
  const { metric, cells } = counts
  const labels = metric.label(block)
  const users = metric.user && usersOf(labels, metric.user(block), block.count)
  const none = metric.isPartial ? undefined : noneLabel
  const numbers = Int32Array.from(labels.values, (value, index) => {
    const label = value === null ? none : String(value)
    return label === undefined ? -1 : counts.number(label, value === null ? null : (users?.[index] ?? null))
  })
  for (let row = 0; row < block.count; row += 1) {
    const number = numbers[labels.indexes?.[row] ?? 0] ?? -1
    if (number >= 0) cells.add(groups[row] ?? 0, number, 1)
  }
}

/** Returns the user of each label. */
function usersOf(
  labels: RequestColumn<string | number | null>,
  { values, indexes }: RequestColumn<string | null>,
  count: number,
): (string | null)[] {
  const users: (string | null)[] = labels.values.map(() => null)
  for (let row = 0; row < count; row += 1) {
    const user = values[indexes?.[row] ?? 0] ?? null
    if (user !== null) users[labels.indexes?.[row] ?? 0] ??= user
  }
  return users
}
