import { Readable } from 'node:stream'

/**
 * Passes a stream on. If nothing arrives for `silenceMs` while its reader waits, or the connection breaks, the
 * stream fails with the result of `toFailure`. A slow reader is no fault.
 */
export function watchSilence(
  source: Readable,
  silenceMs: number,
  toFailure: (cause: unknown) => Error,
): Readable {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let timer: NodeJS.Timeout | undefined
    try {
      const reader = source[Symbol.asyncIterator]()
      for (;;) {
        timer = setTimeout(() => source.destroy(silent(silenceMs)), silenceMs)
        const next = await reader.next()
        clearTimeout(timer)
        if (next.done === true) return
        yield next.value as Uint8Array
      }
    } catch (error) {
      throw toFailure(error)
    } finally {
      clearTimeout(timer)
    }
  }
  const output = Readable.from(chunks(), { objectMode: false })
  // A generator that was never started does not run its `finally`.
  output.once('close', () => source.destroy())
  return output
}

function silent(silenceMs: number): Error {
  return new Error(`nothing arrived for ${silenceMs / 1000} s`)
}
