import type { Readable } from 'node:stream'
import { Failure } from '../../core/errors/errors.ts'

/** Size from which a part is stored. A killed server loses less than this of a piece. */
const partBytes = 8 << 20
/** A client that sends nothing for this long is considered disconnected, in milliseconds. */
const silenceMs = 30_000

/**
 * Cuts a piece of an upload into parts of 8 MiB and calls `store` with each; the rest is stored when the source ends or
 * breaks, so that received bytes remain. Throws `Failure` (`upload-too-large`), or the error of the source.
 */
export async function storeParts(
  source: Readable,
  maxBytes: number,
  store: (part: Buffer) => Promise<void>,
): Promise<void> {
  const disconnect = (): unknown => source.destroy(new Error('No data arrived for 30 seconds'))
  let timer = setTimeout(disconnect, silenceMs)
  let waiting: Buffer[] = []
  let [waitingBytes, bytes] = [0, 0]
  const flush = async (): Promise<void> => {
    const part = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    if (part.length > 0) await store(part)
  }
  try {
    for await (const chunk of source) {
      clearTimeout(timer)
      const piece = chunk as Buffer
      bytes += piece.length
      if (bytes > maxBytes) throw tooMuch(maxBytes)
      waiting.push(piece)
      waitingBytes += piece.length
      if (waitingBytes >= partBytes) await flush()
      timer = setTimeout(disconnect, silenceMs)
    }
  } catch (error) {
    clearTimeout(timer)
    if (!(error instanceof Failure)) await flush()
    throw error
  } finally {
    clearTimeout(timer)
    source.once('error', () => undefined)
  }
  await flush()
}

function tooMuch(maxBytes: number): Failure {
  return new Failure(
    'tooLarge',
    'upload-too-large',
    `More bytes arrived than the ${maxBytes} missing bytes of this upload`,
  )
}
