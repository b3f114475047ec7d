import type { UsageClass } from '../model/event-types.ts'
import { usageClasses } from '../model/event-types.ts'
import type { ScannedUsage, UsageTotals } from '../series/scan-usage.ts'
import { scanUsage } from '../series/scan-usage.ts'
import { TimeTally } from '../series/time-tally.ts'
import type { UsageRow } from '../series/usage-row.ts'
import { cellSetNames, usageCells } from '../series/usage-row.ts'

/**
 * Maximum number of individually stored times. More times are counted in buckets, so that memory does not
 * grow with the period.
 */
const maxSingleTimes = 2000
const cellCount = Object.keys(usageCells).length

/** Classes that a report shows; `other` requests are part of `hits` only. */
export const reportedClasses = usageClasses.filter(
  (name): name is Exclude<UsageClass, 'other'> => name !== 'other',
)
/** One of `reportedClasses`. */
type ReportedClass = (typeof reportedClasses)[number]

/** Figures of a period and key. Times are in milliseconds; `lastUse` is in seconds since 1970, null without requests. */
export interface UsageFigures {
  hits: number
  people: { hits: number; visits: number }
  robots: number
  outside: { hits: number; visits: number }
  /** Requests of signed-in users. */
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
  readonly #totals: UsageTotals = {
    requests: Array<number>(cellCount).fill(0),
    errors: Array<number>(cellCount).fill(0),
    bytes: Array<number>(cellCount).fill(0),
    delivered: Array<number>(usageClasses.length).fill(0),
    visits: Array<number>(cellSetNames.length).fill(0),
    named: 0,
    times: new TimeTally(),
  }
  #lastUse = 0

  /** Adds a row of a closed day that begins at `start`, in seconds since 1970. */
  addStored(cells: Uint8Array, start: number): ScannedUsage {
    const scanned = scanUsage(cells, this.#totals)
    this.#note(start + scanned.lastUse)
    return scanned
  }

  /** Adds a row of any day. */
  add(row: UsageRow, start: number): void {
    const totals = this.#totals
    let isCommonAdded = false
    for (const [at, cell] of row.cells.entries()) {
      if (cell === undefined) continue
      totals.requests[at] = (totals.requests[at] ?? 0) + cell.requests
      totals.errors[at] = (totals.errors[at] ?? 0) + cell.errors
      totals.bytes[at] = (totals.bytes[at] ?? 0) + cell.bytes
      // Cells of a row with common times share one tally.
      if (!row.hasCommonTimes || !isCommonAdded) totals.times.merge(cell.times.total)
      isCommonAdded = true
    }
    for (const [at, name] of usageClasses.entries())
      totals.delivered[at] = (totals.delivered[at] ?? 0) + (row.classes.get(name)?.delivered ?? 0)
    for (const [at, set] of cellSetNames.entries())
      totals.visits[at] = (totals.visits[at] ?? 0) + row.visitors(set)
    totals.named += row.named
    this.#note(start + row.lastUse)
  }

  /** Subtracts visitors that several services have in common. */
  takeOff(shared: UsageRow): void {
    const { visits } = this.#totals
    for (const [at, set] of cellSetNames.entries())
      visits[at] = (visits[at] ?? 0) - shared.sharedVisitors(set)
  }

  figures(): UsageFigures {
    const { requests, errors, bytes, delivered, visits, named, times } = this.#totals
    const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)
    const cells = (...at: number[]): number => sum(at.map((cell) => requests[cell] ?? 0))
    const visitsOf = (set: (typeof cellSetNames)[number]): number =>
      Math.max(0, visits[cellSetNames.indexOf(set)] ?? 0)
    const quantile = (share: number): number | null => times.quantile(share) ?? null
    const hits = sum(requests)
    const { ownPeople, ownRobots, outsidePeople, outsideRobots } = usageCells
    const events = reportedClasses.map((name) => [name, delivered[usageClasses.indexOf(name)] ?? 0] as const)
    return {
      hits,
      people: { hits: cells(ownPeople, outsidePeople), visits: visitsOf('people') },
      robots: cells(ownRobots, outsideRobots),
      outside: { hits: cells(outsidePeople, outsideRobots), visits: visitsOf('outside') },
      named,
      events: Object.fromEntries(events) as UsageFigures['events'],
      errors: sum(errors),
      p50: quantile(0.5),
      p95: quantile(0.95),
      p99: quantile(0.99),
      bytes: sum(bytes),
      lastUse: hits === 0 ? null : this.#lastUse,
    }
  }

  #note(lastUse: number): void {
    this.#lastUse = Math.max(this.#lastUse, lastUse)
    if (this.#totals.times.count > maxSingleTimes) this.#totals.times.toSketch()
  }
}
