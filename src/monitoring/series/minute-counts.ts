import { ownValue } from '../../lib/own-value.ts'
import { applicationMetrics, metricNamed, noneLabel } from '../metrics/metrics.ts'
import type { OwnEventType } from '../model/event-types.ts'
import { CellTable } from './cell-table.ts'
import { bucketOf } from './quantile-sketch.ts'
import type { Column, RequestBlock } from './request-block.ts'
import type { UsedResource } from './request-event.ts'

type Texts = RequestBlock['texts']

const textOf: Record<string, keyof Texts> = {
  'request.users': 'visitor',
  'request.ip': 'clientIp',
  'request.ua': 'userAgent',
  'request.ua.family': 'userAgentFamily',
  'request.path': 'path',
  'request.method': 'method',
  'request.country': 'country',
  'request.region': 'region',
  'request.city': 'city',
  'response.error.types': 'errorType',
}

/** Requests of one type that used the same resources. */
export interface RequestGroup {
  eventType: OwnEventType | null
  resources: UsedResource[]
  requests: number
  errors: number
  bytes: number
  /** Requests whose time is known. */
  timed: number
  milliseconds: number
}

/** How often each group has each label of a metric. */
export class LabelCounts {
  readonly metric
  readonly cells = new CellTable()
  readonly labels: string[] = []
  /** Of request.users: the user of each label, null where there is none. */
  readonly users: (string | null)[] = []
  readonly #numbers = new Map<string, number>()

  constructor(metricName: string) {
    this.metric = metricNamed(metricName)
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

  /** The number of the label of requests without one; undefined where all have one. */
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

/** Counts the requests of one service and minute, each once; what they count under is for `minuteRows` to make of it. */
export class MinuteCounts {
  readonly groups: RequestGroup[] = []
  readonly labelled = applicationMetrics
    .filter((metric) => metric.isLabelled)
    .map((one) => new LabelCounts(one.name))
  /** Response times by bucket of the quantile sketch. */
  readonly times = new CellTable()
  readonly #numbers = new Map<string, number>()

  add(block: RequestBlock): void {
    const groups = this.#groupsOf(block)
    for (const counts of this.labelled) {
      const name = ownValue(textOf, counts.metric.name)
      if (name === undefined) countStatuses(counts, block, groups)
      else countTexts(counts, block, name, groups)
    }
    this.#addNumbers(block, groups)
  }

  clear(): void {
    this.groups.length = 0
    this.#numbers.clear()
    this.times.clear()
    for (const counts of this.labelled) counts.clear()
  }

  /** The group of each request. */
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
    }
    return groups
  }

  #group(eventType: OwnEventType | null, resources: UsedResource[]): number {
    const key = `${eventType} ${JSON.stringify(resources)}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.groups.length)
    const zero = { requests: 0, errors: 0, bytes: 0, timed: 0, milliseconds: 0 }
    return this.groups.push({ eventType, resources, ...zero }) - 1
  }

  #addNumbers({ count, sizes, milliseconds, texts }: RequestBlock, groups: Int32Array): void {
    const { values: errors, indexes: errorIndexes } = texts.errorType
    for (let row = 0; row < count; row += 1) {
      const number = groups[row] ?? 0
      const group = this.groups[number]
      if (group === undefined) continue
      group.requests += 1
      group.bytes += sizes[row] ?? 0
      if (errors[errorIndexes?.[row] ?? 0] !== null) group.errors += 1
      const time = milliseconds[row] ?? Number.NaN
      if (Number.isNaN(time)) continue
      group.timed += 1
      group.milliseconds += time
      this.times.add(number, bucketOf(time), 1)
    }
  }
}

function countStatuses(counts: LabelCounts, { count, statuses }: RequestBlock, groups: Int32Array): void {
  const numbers = Int32Array.from(statuses.values, (status) => counts.number(String(status), null))
  countColumn(counts, count, statuses, numbers, groups)
}

function countTexts(counts: LabelCounts, block: RequestBlock, name: keyof Texts, groups: Int32Array): void {
  const column = block.texts[name]
  const users = name === 'visitor' ? usersOf(block) : undefined
  // A request without a type of error has not failed, and has no part in their metric.
  const none = name === 'errorType' ? undefined : noneLabel
  const numbers = Int32Array.from(column.values, (text, index) => {
    const label = text ?? none
    return label === undefined ? -1 : counts.number(label, text === null ? null : (users?.[index] ?? null))
  })
  countColumn(counts, block.count, column, numbers, groups)
}

function countColumn(
  { cells }: LabelCounts,
  count: number,
  { indexes }: Column<unknown>,
  numbers: Int32Array,
  groups: Int32Array,
): void {
  for (let row = 0; row < count; row += 1) {
    const number = numbers[indexes?.[row] ?? 0] ?? -1
    if (number >= 0) cells.add(groups[row] ?? 0, number, 1)
  }
}

/** The user of each visitor. */
function usersOf({ count, texts }: RequestBlock): (string | null)[] {
  const users: (string | null)[] = texts.visitor.values.map(() => null)
  for (let row = 0; row < count; row += 1) {
    const user = texts.userName.values[texts.userName.indexes?.[row] ?? 0] ?? null
    if (user !== null) users[texts.visitor.indexes?.[row] ?? 0] ??= user
  }
  return users
}
