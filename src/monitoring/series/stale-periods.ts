import { dayOfMinute } from './minute-rows.ts'
import type { SeriesFilter } from './roll-up.ts'
import { collectedOf, rollUp } from './roll-up.ts'
import type { SeriesDatabase } from './series-database.ts'
import type { SeriesState } from './series-state.ts'

interface Span {
  series: SeriesFilter
  validFrom: number
  validTo: number
}

interface Period {
  serviceId: number
  start: number
}

/** Rolled-up periods whose finer rows changed afterwards. */
export class StalePeriods {
  readonly #database: SeriesDatabase
  readonly #state: SeriesState
  readonly #hours = new Map<string, Period>()
  readonly #days = new Map<string, Period>()

  constructor({ database, state }: { database: SeriesDatabase; state: SeriesState }) {
    this.#database = database
    this.#state = state
  }

  /** Records that a minute row has changed. */
  minute(serviceId: number, minute: number): void {
    const before = this.#state.get('hours_rolled_before')
    const isRolling = this.#state.get('rolling_series') > 0
    if (minute >= before + (isRolling ? 86_400 : 0)) return
    const start = minute - (minute % 3600)
    this.#hours.set(`${serviceId} ${start}`, { serviceId, start })
    this.day(serviceId, minute)
  }

  /** Records that an hour row has changed. */
  day(serviceId: number, minute: number): void {
    const start = dayOfMinute(minute)
    this.#days.set(`${serviceId} ${start}`, { serviceId, start })
  }

  async roll(): Promise<void> {
    for (const { serviceId, start } of this.#hours.values())
      await rollUp(this.#database, { from: 60, to: 3600, ...spanOf(serviceId, start, 3600) })
    for (const { serviceId, start } of this.#days.values())
      await rollUp(this.#database, { from: 3600, to: 86_400, ...spanOf(serviceId, start, 86_400) })
  }
}

/** Returns the period of a service that contains a minute. */
export function spanOf(serviceId: number, minute: number, size: number): Span {
  const validFrom = minute - (minute % size)
  return { series: collectedOf(serviceId), validFrom, validTo: validFrom + size }
}
