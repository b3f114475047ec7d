const maxMs = 5000

/** Resolves when the page is idle; in browsers without idle callbacks after a delay. */
export function atRest(): Promise<unknown> {
  return new Promise((done) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(done, { timeout: maxMs })
    else setTimeout(done, maxMs / 10)
  })
}
