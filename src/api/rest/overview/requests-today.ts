import type { Clock } from '../../../core/time/clock.ts'
import { ZoneDays } from '../../../core/values/zone-days.ts'
import type { RequestTotals, RequestTotalsQuery } from '../../../monitoring/query/index.ts'

const weekSeconds = 7 * 86_400
const minuteSeconds = 60
/** Maximum number of time zones that are counted regularly. */
const maxZones = 100

/** Requests from the beginning of a day; times in seconds since 1970. */
export interface DayTotals extends RequestTotals {
  from: number
}

/** Today up to the last whole minute, and the day a week ago up to the same time of day. */
export interface TodayTotals {
  today: DayTotals
  weekAgo: DayTotals
}

interface RequestsTodayDeps {
  read(query: Omit<RequestTotalsQuery, 'serviceIds'>): Promise<RequestTotals>
  clock: Clock
}

interface Known {
  minute: number
  totals: Promise<TodayTotals>
}

/** Number of requests today; counted once a minute for each time zone. */
export class RequestsToday {
  readonly #deps: RequestsTodayDeps
  readonly #known = new Map<string, Known>()

  constructor(deps: RequestsTodayDeps) {
    this.#deps = deps
  }

  /** `zone`: a valid IANA name. `isWithPages`: includes requests of this server's own pages. */
  in(zone: string, isWithPages = false): Promise<TodayTotals> {
    const key = `${zone} ${isWithPages}`
    const minute = Math.floor(this.#deps.clock.now().getTime() / 1000 / minuteSeconds)
    const known = this.#known.get(key)
    if (known?.minute === minute) return known.totals
    const totals = this.#read(zone, minute * minuteSeconds, isWithPages)
    if (this.#known.size >= maxZones) this.#known.clear()
    this.#known.set(key, { minute, totals })
    totals.catch(() => this.#known.delete(key))
    return totals
  }

  async #read(zone: string, now: number, isWithPages: boolean): Promise<TodayTotals> {
    const days = new ZoneDays(zone)
    const today = days.dayOf(now)
    // From noon, so that an hour that was set back or forth since leads into no other day.
    const before = days.dayOf(Math.floor((today.start + today.end) / 2) - weekSeconds)
    const to = Math.min(before.start + (now - today.start), before.end)
    return {
      today: await this.#count({ from: today.start, to: now, isWithPages }),
      weekAgo: await this.#count({ from: before.start, to, isWithPages }),
    }
  }

  async #count(query: Omit<RequestTotalsQuery, 'serviceIds'>): Promise<DayTotals> {
    return { from: query.from, ...(await this.#deps.read(query)) }
  }
}
