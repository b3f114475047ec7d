import type { Clock } from '../../src/core/time/clock.ts'

/** Returns a clock that stands still until the test advances it. */
export function fixedClock(start: string): Clock & { advance(milliseconds: number): void } {
  let time = new Date(start).getTime()
  return {
    now: () => new Date(time),
    advance: (milliseconds) => {
      time += milliseconds
    },
  }
}
