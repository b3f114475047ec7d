/** Where time comes from; rules receive one instead of asking the system. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** A clock for tests that stands still until it is moved. */
export function fixedClock(start: string): Clock & { advance(milliseconds: number): void } {
  let time = new Date(start).getTime()
  return {
    now: () => new Date(time),
    advance: (milliseconds) => {
      time += milliseconds
    },
  }
}
