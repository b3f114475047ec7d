import { Failure } from '../../../core/errors/errors.ts'

/** A view may take long before it returns its first row. */
const silenceMs = 10 * 60_000

/** Yields chunks; throws if none arrives for too long, and immediately when the signal aborts. */
export async function* whileTalking(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await orSilence(iterator.next(), signal)
      if (next.done === true) return
      yield next.value
    }
  } finally {
    void iterator.return?.().catch(() => undefined)
  }
}

function orSilence<T>(next: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Failure('unavailable', 'database-silent', 'The database sent nothing for 10 minutes'))
    }, silenceMs)
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    next.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    })
  })
}
