import { setImmediate as nextRound } from 'node:timers/promises'

/**
 * Maximum time in milliseconds for which work may block its thread, which cannot receive messages or abort
 * signals meanwhile.
 */
const turnMs = 4

/** Yields the pages, with a pause after each time slice. Throws the abort reason of the signal. */
export async function* runInSlices<Page>(
  pages: Iterable<Page> | AsyncIterable<Page>,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  let turn = performance.now()
  for await (const page of pages) {
    signal.throwIfAborted()
    yield page
    if (performance.now() - turn < turnMs) continue
    await nextRound()
    signal.throwIfAborted()
    turn = performance.now()
  }
}
