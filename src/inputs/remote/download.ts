import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import type { Failure } from '../../core/errors/errors.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { Attempt, AttemptLimits, AttemptOptions } from './attempts.ts'
import { persist } from './attempts.ts'
import type { RemoteLocation } from './location.ts'
import type { RemoteBody } from './remote.ts'
import { RemoteFault } from './remote.ts'

export interface DownloadLimits extends AttemptLimits {
  /** Maximum size of all files together, in bytes. */
  maxBytes: number
  /** Maximum number of files in a folder, or of entries in its lists. */
  maxEntries: number
  /** Maximum total time, in milliseconds. */
  totalMs: number
}

export interface DownloadOptions extends AttemptOptions {
  limits: DownloadLimits
  /** Remaining permitted bytes. */
  remainingBytes: number
  onBytes(bytes: number, totalBytes: number | undefined): void
}

export interface Downloaded {
  bytes: number
  name?: string
  contentType?: string
}

function tooLarge(limits: DownloadLimits): Failure {
  return invalid(
    'remote-too-large',
    `The remote data have more than the ${limits.maxBytes} bytes that TERRANE_MAX_UPLOAD allows`,
  )
}

/** A file being fetched: the received bytes, and their version. */
class Arriving {
  bytes = 0
  /** Maximum number of bytes received so far. */
  furthest = 0
  #version: string | undefined
  readonly #file: FileHandle

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Position to continue from; the start if the server cannot confirm that the file is unchanged. */
  get from(): { offset: number; version?: string } {
    const version = this.#version
    return version === undefined || this.bytes === 0 ? { offset: 0 } : { offset: this.bytes, version }
  }

  /** Starts again if the server does. */
  async begin({ offset, version }: RemoteBody): Promise<void> {
    if (offset !== this.bytes) {
      await this.#file.truncate(offset)
      this.bytes = offset
    }
    this.#version = version
  }

  /** Discards the received bytes. */
  forget(): void {
    this.#version = undefined
  }

  async write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const { bytesWritten } = await this.#file.write(chunk, at, chunk.length - at, this.bytes)
      at += bytesWritten
      this.bytes += bytesWritten
    }
    this.furthest = Math.max(this.furthest, this.bytes)
  }
}

async function receive(body: RemoteBody, arriving: Arriving, options: DownloadOptions, attempt: Attempt) {
  const { limits, remainingBytes, onBytes } = options
  const { chunks, totalBytes } = body
  const { signal } = attempt
  // Some clients report the broken connection again after reading has stopped.
  chunks.on('error', () => undefined)
  const stop = (): void => {
    chunks.destroy(signal.reason instanceof Error ? signal.reason : undefined)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    if ((totalBytes ?? 0) > remainingBytes) throw tooLarge(limits)
    await arriving.begin(body)
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      attempt.touch()
      if (arriving.bytes + chunk.length > remainingBytes) throw tooLarge(limits)
      await arriving.write(chunk)
      onBytes(arriving.bytes, totalBytes)
      if (arriving.bytes > (totalBytes ?? Number.POSITIVE_INFINITY)) break
    }
  } finally {
    signal.removeEventListener('abort', stop)
    chunks.destroy()
  }
  signal.throwIfAborted()
  if (totalBytes !== undefined && arriving.bytes !== totalBytes) {
    if (arriving.bytes > totalBytes) arriving.forget()
    throw new RemoteFault(`${arriving.bytes} of ${totalBytes} bytes came`, { isPassing: true })
  }
}

/**
 * Fetches one file. After a broken connection continues at the last byte if the server can confirm that the
 * file is unchanged, else from the start. Throws the last `RemoteFault`, or a `Failure` if further attempts
 * are useless.
 */
export async function download(
  location: RemoteLocation,
  path: string,
  options: DownloadOptions,
): Promise<Downloaded> {
  const file = await open(path, 'wx', 0o600)
  try {
    const arriving = new Arriving(file)
    return await persist(
      options,
      () => arriving.furthest,
      async (attempt) => {
        const body = await attempt.session.read(location, arriving.from, attempt.signal)
        attempt.touch()
        await receive(body, arriving, options, attempt)
        const { name, contentType } = body
        return { bytes: arriving.bytes, name, contentType }
      },
    )
  } finally {
    await file.close()
  }
}
