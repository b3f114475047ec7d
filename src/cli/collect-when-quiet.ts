const everyMs = 5000
/** Part of the time in which the main thread works, from which on it is not quiet. */
const busyPart = 0.1

/**
 * Collects garbage once when the main thread has become quiet after work: by itself V8 waits for the next work.
 * Does nothing without `--expose-gc`. Gives what ends it.
 */
export function collectWhenQuiet(): () => void {
  const { gc } = globalThis
  if (gc === undefined) return () => undefined
  let last = performance.eventLoopUtilization()
  let isDue = true
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const isBusy = performance.eventLoopUtilization(now, last).utilization > busyPart
    if (isDue && !isBusy) gc()
    isDue = isBusy
    last = now
  }, everyMs).unref()
  return () => clearInterval(timer)
}
