/** Number of ticks of a limit. Time in which this process is suspended counts as one tick at most. */
const ticks = 10

/**
 * Calls `onOver` after `limitMs`, like `setTimeout`, but time in which this process was suspended does not
 * count, so that messages received meanwhile can be handled before. The timer does not keep the process
 * alive. Returns a function that stops it.
 */
export function startLimit(limitMs: number, onOver: () => void): () => void {
  let left = ticks
  const timer = setInterval(() => {
    left -= 1
    if (left > 0) return
    clearInterval(timer)
    onOver()
  }, limitMs / ticks).unref()
  return () => clearInterval(timer)
}

/** Returns a signal that aborts with a `TimeoutError` at the end of such a limit. */
export function waitLimit(limitMs: number): AbortSignal {
  const controller = new AbortController()
  startLimit(limitMs, () => {
    controller.abort(new DOMException(`The wait took longer than ${limitMs} ms`, 'TimeoutError'))
  })
  return controller.signal
}
