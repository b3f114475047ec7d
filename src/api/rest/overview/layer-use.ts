import { orAborted } from '../../../core/concurrency/or-aborted.ts'
import type { Clock } from '../../../core/time/clock.ts'
import { waitLimit } from '../../../core/time/wait-limit.ts'
import { ZoneDays } from '../../../core/values/zone-days.ts'
import type { LayerRequests, LayerRequestsQuery } from '../../../monitoring/query/index.ts'

const daySeconds = 86_400
/** Number of reported days, including today. */
const daysOfUse = 30
/** Time after which new requests appear. */
const restMs = 10_000
/** Requests of a log may come a day late. */
const daysThatGrow = 2
/** A list that waits longer for numbers does without. */
const longestWaitMs = 2000

/** Number of requests of a layer. */
export interface Use {
  total: number
  /** By day of the zone, the oldest first. */
  days: number[]
}

interface LayerUseDeps {
  read(query: Omit<LayerRequestsQuery, 'serviceIds'>): Promise<LayerRequests>
  clock: Clock
  /** IANA name of the zone by whose days requests are counted. */
  zone: string
}

/**
 * Requests of layers in the last 30 days, cached in memory. Days before yesterday are read once, the last two
 * repeatedly: the cost of a list does not grow with the days, nor the cost of a read with the lists.
 */
export class LayerUse {
  readonly #deps: LayerUseDeps
  readonly #dates: ZoneDays
  /** By name the requests of days, each at its number since 1970 modulo `daysOfUse`. */
  readonly #requests = new Map<string, Float64Array>()
  #totals: ReadonlyMap<string, number> = new Map()
  /** Number since 1970 of the newest day that was read. */
  #newest: number | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  #readings = 0

  constructor(deps: LayerUseDeps) {
    this.#deps = deps
    this.#dates = new ZoneDays(deps.zone)
  }

  /** Reads what is new, where the last time is some seconds ago. Whether anything is known. */
  async refresh(): Promise<boolean> {
    const now = this.#deps.clock.now().getTime()
    if (this.#reading === undefined && Math.abs(now - this.#readAt) >= restMs) {
      this.#readAt = now
      this.#reading = this.#read(this.#dates.dateNumber(now / 1000)).finally(() => {
        this.#reading = undefined
      })
    }
    const wait = waitLimit(longestWaitMs)
    if (this.#reading !== undefined) await orAborted(this.#reading, wait).catch(() => undefined)
    return this.#newest !== undefined
  }

  /** Another number after each reading. */
  get readings(): number {
    return this.#readings
  }

  /** Midnight in UTC of the first day's date, in seconds since 1970. */
  get from(): number {
    return ((this.#newest ?? 0) - daysOfUse + 1) * daySeconds
  }

  /** All requests of a layer, by `workspace:name`. */
  totalOf(name: string): number {
    return this.#totals.get(name) ?? 0
  }

  of(name: string): Use {
    const kept = this.#requests.get(name)
    const first = (this.#newest ?? 0) + 1
    const days = Array.from({ length: daysOfUse }, (_, day) => kept?.[(first + day) % daysOfUse] ?? 0)
    return { total: this.totalOf(name), days }
  }

  async #read(today: number): Promise<void> {
    const newest = this.#newest
    const isNear = newest !== undefined && today >= newest && today - newest < daysOfUse - daysThatGrow
    const first = isNear ? newest - daysThatGrow + 1 : today - daysOfUse + 1
    const days = today - first + 1
    const found = await this.#deps.read({ from: first * daySeconds, days, zone: this.#deps.zone })
    if (!isNear) this.#requests.clear()
    for (const kept of this.#requests.values())
      for (let day = first; day <= today; day += 1) kept[day % daysOfUse] = 0
    found.names.forEach((name, row) => {
      const kept = this.#requests.get(name) ?? new Float64Array(daysOfUse)
      this.#requests.set(name, kept)
      for (let day = 0; day < days; day += 1)
        kept[(first + day) % daysOfUse] = found.requests[row * days + day] ?? 0
    })
    this.#newest = today
    this.#sum()
  }

  #sum(): void {
    const totals = new Map<string, number>()
    for (const [name, kept] of this.#requests) {
      const total = kept.reduce((sum, one) => sum + one, 0)
      if (total === 0) this.#requests.delete(name)
      else totals.set(name, total)
    }
    this.#totals = totals
    this.#readings += 1
  }
}
