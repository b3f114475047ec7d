const everyMs = 5000
/** Share of the time the main thread works, from which on it is not idle. */
const busyPart = 0.1

/**
 * Runs garbage collection once when the main thread becomes idle after work: V8 itself waits for further
 * work. Does nothing without `--expose-gc`. Returns a function that stops this.
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
