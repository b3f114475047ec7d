import assert from 'node:assert/strict'

/**
 * Asserts that work takes less processor time of this process than `seconds`. Unlike elapsed time, processor time does not grow
 * with the load of the machine; the limit is far from what linear work needs and far from what quadratic work would need.
 */
export async function takesProcessorSeconds(seconds: number, work: () => unknown): Promise<void> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  const took = (user + system) / 1e6
  assert.ok(took < seconds, `it took ${took.toFixed(1)} s of processor time`)
}
