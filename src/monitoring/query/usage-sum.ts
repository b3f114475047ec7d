import type { UsageClass } from '../model/event-types.ts'
import { usageClasses } from '../model/event-types.ts'
import { TimeTally } from '../series/time-tally.ts'
import type { CellSet, UsageRow } from '../series/usage-row.ts'
import { usageCells } from '../series/usage-row.ts'

/** More single times than this are counted in buckets, so that a long period needs no more memory. */
const mostSingleTimes = 2000

/** Classes that a report shows; `other` requests are part of `hits` only. */
export const reportedClasses = usageClasses.filter(
  (name): name is Exclude<UsageClass, 'other'> => name !== 'other',
)
/** One of `reportedClasses`. */
export type ReportedClass = (typeof reportedClasses)[number]

/** Figures of a period and key. Times are in milliseconds; `lastUse` is in seconds since 1970, null without requests. */
export interface UsageFigures {
  hits: number
  people: { hits: number; visits: number }
  robots: number
  outside: { hits: number; visits: number }
  /** Requests of users who are signed in. */
  named: number
  /** Delivered responses: GET and POST requests with success or 304. */
  events: Record<ReportedClass, number>
  /** Requests that ended with a server error or an exception document. */
  errors: number
  p50: number | null
  p95: number | null
  p99: number | null
  bytes: number
  lastUse: number | null
}

/** Sums stored rows over days and services. */
export class UsageSum {
  hits = 0
  robots = 0
  errors = 0
  bytes = 0
  named = 0
  lastUse = 0
  outsideHits = 0
  readonly times = new TimeTally()
  readonly #visits: Record<CellSet, number> = { all: 0, people: 0, outside: 0 }
  readonly #events = new Map<UsageClass, number>()

  /** Adds the requests of a row whose times count from `start`, in seconds since 1970. */
  add(row: UsageRow, start: number): void {
    let isCommonAdded = false
    for (const [at, cell] of row.cells.entries()) {
      if (cell === undefined) continue
      this.hits += cell.requests
      this.errors += cell.errors
      this.bytes += cell.bytes
      if (at === usageCells.ownRobots || at === usageCells.outsideRobots) this.robots += cell.requests
      if (at === usageCells.outsidePeople || at === usageCells.outsideRobots)
        this.outsideHits += cell.requests
      // Cells of a row with common times share one tally.
      if (!row.hasCommonTimes || !isCommonAdded) this.#addTimes(cell.times.total)
      isCommonAdded = true
    }
    for (const [name, { delivered }] of row.classes)
      this.#events.set(name, (this.#events.get(name) ?? 0) + delivered)
    this.named += row.named
    this.lastUse = Math.max(this.lastUse, start + row.lastUse)
    for (const set of ['people', 'outside'] as const) this.#visits[set] += row.visitors(set)
  }

  /** Takes off visitors that several services have in common. */
  takeOff(shared: UsageRow): void {
    for (const set of ['people', 'outside'] as const) this.#visits[set] -= shared.sharedVisitors(set)
  }

  figures(): UsageFigures {
    const quantile = (share: number): number | null => this.times.quantile(share) ?? null
    const events = reportedClasses.map((name) => [name, this.#events.get(name) ?? 0] as const)
    return {
      hits: this.hits,
      people: { hits: this.hits - this.robots, visits: Math.max(0, this.#visits.people) },
      robots: this.robots,
      outside: { hits: this.outsideHits, visits: Math.max(0, this.#visits.outside) },
      named: this.named,
      events: Object.fromEntries(events) as UsageFigures['events'],
      errors: this.errors,
      p50: quantile(0.5),
      p95: quantile(0.95),
      p99: quantile(0.99),
      bytes: this.bytes,
      lastUse: this.hits === 0 ? null : this.lastUse,
    }
  }

  #addTimes(times: TimeTally): void {
    this.times.merge(times)
    if (this.times.count > mostSingleTimes) this.times.toSketch()
  }
}
