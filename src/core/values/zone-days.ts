/** A day of a time zone, in seconds since 1970; `end` is exclusive. Days may have 23 or 25 hours. */
export interface ZoneDay {
  start: number
  end: number
}

const longestDay = 50 * 3600
const daysKept = 1000

/** True if this is a supported IANA time zone name. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return /^[A-Za-z]/.test(zone)
  } catch {
    return false
  }
}

/** Computes the days of a time zone. */
export class ZoneDays {
  readonly #format: Intl.DateTimeFormat
  /** Cached days by quarter of an hour: days of all zones start at a quarter of an hour. */
  readonly #known = new Map<number, ZoneDay>()

  /** `zone`: an IANA name, such as Europe/Berlin; throws `RangeError` if it is not supported. */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('sv', {
      timeZone: zone,
      calendar: 'gregory',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
  }

  /** Returns the day that contains a time, in seconds since 1970. */
  dayOf(seconds: number): ZoneDay {
    const quarter = Math.floor(seconds / 900)
    const known = this.#known.get(quarter)
    if (known !== undefined && seconds >= known.start && seconds < known.end) return known
    const date = this.#dateOf(seconds)
    const day = {
      start: this.#first(seconds - longestDay, seconds, (one) => one >= date),
      end: this.#first(seconds, seconds + longestDay, (one) => one > date),
    }
    if (this.#known.size >= daysKept) this.#known.clear()
    this.#known.set(quarter, day)
    return day
  }

  /** Returns the date at a time, in days since 1970. */
  dateNumber(seconds: number): number {
    return Date.parse(`${this.#dateOf(seconds)}T00:00:00Z`) / 86_400_000
  }

  /**
   * Returns the first second in `(from, to]` whose date satisfies the condition, by binary search: dates
   * never decrease.
   */
  #first(from: number, to: number, isSo: (date: string) => boolean): number {
    let [before, after] = [Math.floor(from), Math.floor(to)]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (isSo(this.#dateOf(middle))) after = middle
      else before = middle
    }
    return after
  }

  #dateOf(seconds: number): string {
    return this.#format.format(seconds * 1000)
  }
}
