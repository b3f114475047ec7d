import { setImmediate } from 'node:timers/promises'

/**
 * A change that Terrane makes to the external state of layers and that must not count as a change by others:
 * the data are unchanged, or the change is reported in another way.
 */
export interface ServerChange {
  path: string
  /** The `text` of the states before and after. */
  from: string
  to: string
}

type Hear = (change: ServerChange) => Promise<unknown>

const listeners = new Set<Hear>()
/** Writes of listeners in progress. */
const writings = new Set<Promise<unknown>>()

/** Call in the main thread, which receives messages about the writes of all workers. */
export function announceServerChange(change: ServerChange): void {
  for (const hear of listeners) {
    const writing = hear(change)
      .catch(() => undefined)
      .finally(() => writings.delete(writing))
    writings.add(writing)
  }
}

/** Registers a listener for such changes and returns a function that removes it. */
export function onServerChange(hear: Hear): () => void {
  listeners.add(hear)
  return () => listeners.delete(hear)
}

/**
 * Waits until all reported changes are recorded, including those that another thread reported before it
 * responded: both may arrive in the same iteration of the event loop.
 */
export async function serverChangesWritten(): Promise<void> {
  await setImmediate()
  await Promise.all(writings)
}
