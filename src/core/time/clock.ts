/** Source of the current time. Rules receive a clock instead of reading the system time. */
export interface Clock {
  now(): Date
}

/** The time of the machine. */
export const systemClock: Clock = { now: () => new Date() }

/** Returns the present time in the format of records: ISO 8601. */
export function now({ clock }: { clock: Clock }): string {
  return clock.now().toISOString()
}
