import { setImmediate } from 'node:timers/promises'

/** A change of ours to what layers look like outside: what stands there is as it was, or told otherwise. */
export interface OwnChange {
  path: string
  /** The `text` of the state before, and after it. */
  from: string
  to: string
}

type Hear = (change: OwnChange) => Promise<unknown>

const listeners = new Set<Hear>()
/** What listeners are still writing down. */
const writings = new Set<Promise<unknown>>()

/** To be called in the main thread, which hears of the writes of all others. */
export function tellOwnChange(change: OwnChange): void {
  for (const hear of listeners) {
    const writing = hear(change)
      .catch(() => undefined)
      .finally(() => writings.delete(writing))
    writings.add(writing)
  }
}

/** Hears of every such change from now on; gives what ends that. */
export function hearOwnChanges(hear: Hear): () => void {
  listeners.add(hear)
  return () => listeners.delete(hear)
}

/**
 * Waits until every change that was told is written down, with those that another thread told before it answered: they may
 * come in the same turn of the loop as its answer.
 */
export async function ownChangesWritten(): Promise<void> {
  await setImmediate()
  await Promise.all(writings)
}
