import { noneLabel } from '../metrics/metrics.ts'
import type { Column } from '../metrics/request-columns.ts'
import { OtherSketch } from './other-sketch.ts'
import { bucketOf, QuantileSketch } from './quantile-sketch.ts'
import type { RequestBlock } from './request-block.ts'
import type { UsedResource } from './request-event.ts'
import { anonymousUser } from './request-event.ts'

/** What the uses of a day are split by, each with its id in the series, which is never given to another. */
export const useSplits = { all: 0, kind: 1, network: 2, referrer: 3, country: 4 } as const
export type UseSplit = keyof typeof useSplits

/** Splits whose labels are without measure. */
export const cappedSplits: readonly UseSplit[] = ['referrer', 'country']

/** What requests come to. */
export interface Use {
  requests: number
  errors: number
  bytes: number
  /** Requests whose time is known, and the sum of their times. */
  timed: number
  milliseconds: number
  /** Milliseconds since 1970. */
  lastUse: number
  times: QuantileSketch
  /** Where all requests are counted: their visitors, and those with a name as its users. */
  visitors?: OtherSketch
}

function emptyUse(hasVisitors: boolean): Use {
  return {
    ...{
      requests: 0,
      errors: 0,
      bytes: 0,
      timed: 0,
      milliseconds: 0,
      lastUse: 0,
      times: new QuantileSketch(),
    },
    ...(hasVisitors ? { visitors: new OtherSketch() } : {}),
  }
}

/** Adds to a use what another comes to. */
export function mergeUse(use: Use, other: Use): void {
  use.requests += other.requests
  use.errors += other.errors
  use.bytes += other.bytes
  use.timed += other.timed
  use.milliseconds += other.milliseconds
  use.lastUse = Math.max(use.lastUse, other.lastUse)
  use.times.merge(other.times)
  if (other.visitors !== undefined) use.visitors?.merge(other.visitors)
}

/** Which day of a service. */
export interface UseDay {
  serviceId: number
  /** Empty for UTC. */
  zone: string
  start: number
  end: number
}

export interface CountedUse {
  day: UseDay
  /** Undefined: every request. */
  resource: UsedResource | undefined
  split: UseSplit
  /** Empty where nothing is split. */
  label: string
  use: Use
}

interface SplitColumn {
  day: UseDay
  split: UseSplit
  column: Column<string | null>
}

const nothing: Column<string | null> = { values: [null], indexes: undefined }

/** Counts what requests come to by day, resource and split. */
export class UseCounts {
  readonly #uses = new Map<string, CountedUse>()

  get size(): number {
    return this.#uses.size
  }

  /** Requests of one minute, which belongs to these days. */
  add(block: RequestBlock, minute: number, days: readonly UseDay[]): void {
    const { texts, uses } = block
    for (const day of days) {
      this.#addSplit(block, minute, { day, split: 'all', column: nothing })
      this.#addSplit(block, minute, { day, split: 'kind', column: uses.kind })
      this.#addSplit(block, minute, { day, split: 'network', column: uses.network })
      this.#addSplit(block, minute, { day, split: 'referrer', column: uses.referrer })
      this.#addSplit(block, minute, { day, split: 'country', column: texts.country })
    }
  }

  #addSplit(block: RequestBlock, minute: number, { day, split, column }: SplitColumn): void {
    const { count, resources } = block
    const width = column.values.length
    /** By set of resources and value of the column. */
    const targets: (Use[] | undefined)[] = []
    for (let row = 0; row < count; row += 1) {
      const set = resources.indexes?.[row] ?? 0
      const value = column.indexes?.[row] ?? 0
      const place = set * width + value
      let found = targets[place]
      if (found === undefined) {
        const label = split === 'all' ? '' : (column.values[value] ?? noneLabel)
        found = this.#targets(day, split, { resources: resources.values[set] ?? [], label })
        targets[place] = found
      }
      for (const use of found) addRequest(use, block, row, minute)
    }
  }

  all(): CountedUse[] {
    return [...this.#uses.values()]
  }

  clear(): void {
    this.#uses.clear()
  }

  #targets(
    day: UseDay,
    split: UseSplit,
    { resources, label }: { resources: readonly UsedResource[]; label: string },
  ): Use[] {
    return [undefined, ...resources].map((resource) => {
      const name = resource === undefined ? '' : `${resource.type}=${resource.name}`
      const key = JSON.stringify([day.serviceId, day.zone, day.start, split, name, label])
      const known = this.#uses.get(key)
      if (known !== undefined) return known.use
      const use = emptyUse(split === 'all')
      this.#uses.set(key, { day, resource, split, label, use })
      return use
    })
  }
}

function addRequest(use: Use, block: RequestBlock, row: number, minute: number): void {
  const { sizes, milliseconds, offsets, texts } = block
  use.requests += 1
  use.bytes += sizes[row] ?? 0
  if (valueAt(texts.errorType, row) !== null) use.errors += 1
  use.lastUse = Math.max(use.lastUse, minute * 1000 + (offsets[row] ?? 0))
  const time = milliseconds[row] ?? Number.NaN
  if (!Number.isNaN(time)) {
    use.timed += 1
    use.milliseconds += time
    use.times.addToBucket(bucketOf(time), 1)
  }
  const visitor = use.visitors === undefined ? null : valueAt(texts.visitor, row)
  if (visitor === null) return
  use.visitors?.labels.add(visitor)
  const user = valueAt(texts.userName, row)
  if (user !== null && user !== anonymousUser) use.visitors?.users.add(visitor)
}

function valueAt({ values, indexes }: Column<string | null>, row: number): string | null {
  return values[indexes?.[row] ?? 0] ?? null
}
