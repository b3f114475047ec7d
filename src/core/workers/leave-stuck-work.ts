/** The error for work that did not end after its abort signal and was abandoned. */
export class WorkLeft extends Error {
  constructor(patienceMs: number, cause: unknown) {
    super(`It did not end within ${patienceMs / 1000} s though it was told to, and was left to itself`, {
      cause,
    })
    this.name = 'WorkLeft'
  }
}

/**
 * Returns the result of `work`. Throws `WorkLeft` if it does not end within `patienceMs` after the signal;
 * the caller must ignore later effects of such work.
 */
export async function leaveStuckWork<T>(
  work: Promise<T>,
  signal: AbortSignal,
  patienceMs: number,
): Promise<T> {
  const left = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    timer = setTimeout(() => left.reject(new WorkLeft(patienceMs, signal.reason)), patienceMs)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, left.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
