import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { finished, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../core/errors/errors.ts'
import type { FastifyRequest } from './app-types.ts'

/** Creates streams that pass bytes on, and fail when all of them together have passed more than `maxBytes`. */
export function createByteLimit(maxBytes: number): () => Transform {
  let bytes = 0
  return () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length
        if (bytes > maxBytes) done(tooLarge(maxBytes))
        else done(null, chunk)
      },
    })
}

/** Rejects a body whose declared length is too large. */
export function checkLength(request: FastifyRequest, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

/**
 * Writes a new file. On failure the source stays open, so that the response still reaches the client;
 * remaining data are discarded.
 */
export async function receiveFile(
  source: Readable,
  path: string,
  { limit, signal }: { limit: Transform; signal: AbortSignal },
): Promise<void> {
  const stopWatching = finished(source, { writable: false }, (error) => {
    if (error !== undefined && error !== null) limit.destroy(error)
  })
  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    await pipeline(source.pipe(limit), file, { signal })
  } catch (error) {
    source.unpipe(limit)
    source.resume()
    throw error
  } finally {
    stopWatching()
    source.once('error', () => undefined)
  }
}

function tooLarge(maxBytes: number): Failure {
  return new Failure('tooLarge', 'upload-too-large', `An upload has at most ${maxBytes} bytes`)
}
