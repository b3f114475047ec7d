import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Limit of the wait for a state before a test fails. Only a state that never comes takes so long: a busy
 * machine must not fail a test.
 */
export const patienceMs = 300_000

/** Starts the time limit; the returned function returns true while time is left. */
export function patience(): () => boolean {
  const deadline = performance.now() + patienceMs
  return () => performance.now() < deadline
}

/**
 * Returns when the condition holds; throws if it does not within the limit. For states that no event signals.
 */
export async function until(isSo: () => boolean | Promise<boolean>, limitMs = patienceMs): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isSo())) {
    if (performance.now() > deadline)
      throw new Error(`The condition did not hold within ${limitMs} ms: ${isSo}`)
    await sleep(10)
  }
}
