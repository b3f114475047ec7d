import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { finished, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../../core/errors/errors.ts'

/**
 * A client that sends nothing for this long is considered disconnected and must continue with another
 * request, in milliseconds.
 */
const silenceMs = 30_000

/** Position of a piece in the file, and the maximum number of bytes it may add. */
export interface Piece {
  path: string
  offset: number
  maxBytes: number
}

/**
 * Writes a piece of a file. Bytes received before an interruption remain. Throws `Failure`:
 * `upload-too-large` if there are more bytes than are missing; other errors are those of the file or the
 * connection.
 */
export async function writePiece(source: Readable, { path, offset, maxBytes }: Piece): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(() => {
    // The client waits for a slow disk.
    if (limit.readableLength > 0) timer.refresh()
    else silence.abort(new Error('No data arrived for 30 seconds'))
  }, silenceMs)
  let bytes = 0
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      timer.refresh()
      bytes += chunk.length
      if (bytes > maxBytes) done(tooMuch(maxBytes))
      else done(null, chunk)
    },
  })
  // An aborted source does not fail the write: received bytes are written, and the file length shows how
  // many.
  const stopWatching = finished(source, { writable: false }, (error) => {
    if (error !== undefined && error !== null) limit.end()
  })
  try {
    const file = createWriteStream(path, { flags: 'r+', start: offset, flush: true })
    await pipeline(source.pipe(limit), file, { signal: silence.signal })
  } catch (error) {
    source.unpipe(limit)
    source.resume()
    throw error
  } finally {
    clearTimeout(timer)
    stopWatching()
    source.once('error', () => undefined)
  }
}

function tooMuch(maxBytes: number): Failure {
  return new Failure(
    'tooLarge',
    'upload-too-large',
    `More bytes arrived than the ${maxBytes} missing bytes of this upload`,
  )
}
