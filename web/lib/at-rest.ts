const mostMs = 5000

/** Settled when the page has nothing else to do for a moment. Not every browser tells; then it is after a while. */
export function atRest(): Promise<unknown> {
  return new Promise((done) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(done, { timeout: mostMs })
    else setTimeout(done, mostMs / 10)
  })
}
