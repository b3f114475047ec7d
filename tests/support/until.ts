import { setTimeout as sleep } from 'node:timers/promises'

/** Returns when it is so; throws when it is not within the time. For what gives no event. */
export async function until(isSo: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`It was not so within ${limitMs} ms: ${isSo}`)
    await sleep(10)
  }
}
