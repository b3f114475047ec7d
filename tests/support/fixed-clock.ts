import type { Clock } from '../../src/lib/clock.ts'

/** A clock that stands still until it is moved. */
export function fixedClock(start: string): Clock & { advance(milliseconds: number): void } {
  let time = new Date(start).getTime()
  return {
    now: () => new Date(time),
    advance: (milliseconds) => {
      time += milliseconds
    },
  }
}
