/** Number of ticks of a limit. Time in which this process stands still counts as one tick at most. */
const ticks = 10

/**
 * Returns a signal that aborts with a `TimeoutError` after `limitMs`, like `AbortSignal.timeout`. Time in which this
 * process stood still does not count: what arrived meanwhile can be handled before the limit is over.
 */
export function waitLimit(limitMs: number): AbortSignal {
  const controller = new AbortController()
  let left = ticks
  const timer = setInterval(() => {
    left -= 1
    if (left > 0) return
    clearInterval(timer)
    controller.abort(new DOMException(`The wait took longer than ${limitMs} ms`, 'TimeoutError'))
  }, limitMs / ticks).unref()
  return controller.signal
}
