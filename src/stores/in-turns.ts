import { setImmediate as nextRound } from 'node:timers/promises'

/** How long one piece of work may keep its thread from hearing others, and that it is to stop. */
const turnMs = 4

/** The pages, with a pause between two of them where a turn is over; throws the signal's reason when it aborts. */
export async function* inTurns<Page>(
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
