/** Where time comes from; rules receive one instead of asking the system. */
export interface Clock {
  now(): Date
}

/** The time of the machine. */
export const systemClock: Clock = { now: () => new Date() }
