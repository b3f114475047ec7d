/** A change of ours to what layers look like outside: what stands there is as it was, or told otherwise. */
export interface OwnChange {
  path: string
  /** The `text` of the state before, and after it. */
  from: string
  to: string
}

type Hear = (change: OwnChange) => void

const listeners = new Set<Hear>()

/** To be called in the main thread, which hears of the writes of all others. */
export function tellOwnChange(change: OwnChange): void {
  for (const hear of listeners) hear(change)
}

/** Hears of every such change from now on; gives what ends that. */
export function hearOwnChanges(hear: Hear): () => void {
  listeners.add(hear)
  return () => listeners.delete(hear)
}
