import { RemoteFault } from './remote.ts'

/** Ends work that brings nothing for a time, or follows an outer signal. */
export interface StallWatch {
  signal: AbortSignal
  /** Something came. */
  touch(): void
  end(): void
}

export function watchForStall(outer: AbortSignal, stallMs: number): StallWatch {
  const abort = new AbortController()
  const give = (): void => {
    const seconds = Math.round(stallMs / 100) / 10
    abort.abort(new RemoteFault(`nothing came for ${seconds} seconds`, { isPassing: true }))
  }
  const timer = setTimeout(give, stallMs)
  return {
    signal: AbortSignal.any([outer, abort.signal]),
    touch: () => timer.refresh(),
    end: () => clearTimeout(timer),
  }
}
