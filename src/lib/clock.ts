/** Source of the current time. Rules receive a clock instead of reading the system time. */
export interface Clock {
  now(): Date
}

/** The time of the machine. */
export const systemClock: Clock = { now: () => new Date() }
