import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { finished, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../../lib/errors.ts'

/** A client of which nothing comes for so long is gone; it goes on by another request. */
const silenceMs = 30_000

/** What a piece may be: where in the file it begins, and how much of the file is missing. */
export interface Piece {
  path: string
  offset: number
  mostBytes: number
}

/**
 * Writes a piece of a file. What came before it broke off stays. Throws `Failure`: `upload-too-large` where more comes than is
 * missing; other errors are those of the file or the connection.
 */
export async function writePiece(source: Readable, { path, offset, mostBytes }: Piece): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('Nothing came for half a minute')), silenceMs)
  let bytes = 0
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      timer.refresh()
      bytes += chunk.length
      if (bytes > mostBytes) done(tooMuch(mostBytes))
      else done(null, chunk)
    },
  })
  // A source that ends badly ends the piece well: what came is written, and its length tells how much that is.
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

function tooMuch(mostBytes: number): Failure {
  return new Failure(
    'tooLarge',
    'upload-too-large',
    `Of this upload ${mostBytes} bytes are missing; more came`,
  )
}
