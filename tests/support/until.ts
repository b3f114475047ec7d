import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Limit of the wait for a state before a test fails. Only a state that never comes takes so long: a busy
 * machine must not fail a test.
 */
export const patienceMs = 300_000

/**
 * Returns a function that pauses before a request is repeated, and gives whether time is left. For answers that ask the client to
 * come again.
 */
export function repeating(): () => Promise<boolean> {
  const began = performance.now()
  return async () => {
    const waitedMs = performance.now() - began
    await sleep(pauseMs(waitedMs))
    return waitedMs < patienceMs
  }
}

/** Starts the time limit; the returned function returns true while time is left. */
export function patience(): () => boolean {
  const deadline = performance.now() + patienceMs
  return () => performance.now() < deadline
}

/** Pause between two looks at a state: short at first, then a tenth of the time waited, as looking takes processor time from the work. */
export function pauseMs(waitedMs: number): number {
  return Math.min(10 + waitedMs / 10, 100)
}

/**
 * Returns when the condition holds; throws if it does not within the limit. For states that no event signals.
 */
export async function until(isSo: () => boolean | Promise<boolean>, limitMs = patienceMs): Promise<void> {
  const began = performance.now()
  while (!(await isSo())) {
    const waitedMs = performance.now() - began
    if (waitedMs > limitMs) throw new Error(`The condition did not hold within ${limitMs} ms: ${isSo}`)
    await sleep(pauseMs(waitedMs))
  }
}
