import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure, invalid } from '../../lib/errors.ts'
import type { RemoteLocation } from './location.ts'
import type { RemoteBody, RemoteSession } from './remote.ts'
import { RemoteFault } from './remote.ts'
import type { StallWatch } from './stall-watch.ts'
import { watchForStall } from './stall-watch.ts'

export interface DownloadLimits {
  /** Bytes of all files together. */
  maxBytes: number
  /** Files of a folder, or entries of its lists. */
  maxEntries: number
  /** For everything together. */
  totalMs: number
  /** Longest time in which nothing comes. */
  stallMs: number
  /** How often one place of a file is tried. */
  tries: number
  /** Wait before the second try; doubled for each further one. */
  retryMs: number
}

/** Sessions opened when they are needed; one that failed is not used again. */
export class SessionSource {
  readonly #open: (signal: AbortSignal) => Promise<RemoteSession>
  #session: RemoteSession | undefined

  constructor(openSession: (signal: AbortSignal) => Promise<RemoteSession>) {
    this.#open = openSession
  }

  async get(signal: AbortSignal): Promise<RemoteSession> {
    this.#session ??= await this.#open(signal)
    return this.#session
  }

  drop(): void {
    this.#session?.close()
    this.#session = undefined
  }
}

export interface DownloadOptions {
  sessions: SessionSource
  limits: DownloadLimits
  /** Bytes that may still come. */
  remainingBytes: number
  signal: AbortSignal
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

/** What is known of a file that is being fetched. */
class Arriving {
  bytes = 0
  version: string | undefined
  readonly #file: FileHandle

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Begins anew where the server does. */
  async begin(body: RemoteBody): Promise<void> {
    if (body.offset !== this.bytes) {
      await this.#file.truncate(body.offset)
      this.bytes = body.offset
    }
    this.version = body.version
  }

  async write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const { bytesWritten } = await this.#file.write(chunk, at, chunk.length - at, this.bytes)
      at += bytesWritten
      this.bytes += bytesWritten
    }
  }
}

async function receive(body: RemoteBody, arriving: Arriving, options: DownloadOptions, watch: StallWatch) {
  const { limits, remainingBytes, onBytes } = options
  const { chunks, totalBytes } = body
  const stop = (): void => {
    chunks.destroy(watch.signal.reason instanceof Error ? watch.signal.reason : undefined)
  }
  watch.signal.addEventListener('abort', stop, { once: true })
  try {
    if ((totalBytes ?? 0) > remainingBytes) throw tooLarge(limits)
    await arriving.begin(body)
    for await (const chunk of chunks) {
      watch.touch()
      if (arriving.bytes + (chunk as Buffer).length > remainingBytes) throw tooLarge(limits)
      if (arriving.bytes > (totalBytes ?? Number.POSITIVE_INFINITY)) break
      await arriving.write(chunk as Buffer)
      onBytes(arriving.bytes, totalBytes)
    }
  } finally {
    watch.signal.removeEventListener('abort', stop)
    chunks.destroy()
  }
  watch.signal.throwIfAborted()
  if (totalBytes !== undefined && arriving.bytes !== totalBytes) {
    throw new RemoteFault(`${arriving.bytes} of ${totalBytes} bytes came`, { isPassing: true })
  }
}

async function attempt(
  location: RemoteLocation,
  arriving: Arriving,
  options: DownloadOptions,
): Promise<Downloaded> {
  const watch = watchForStall(options.signal, options.limits.stallMs)
  try {
    const session = await options.sessions.get(watch.signal)
    const { version } = arriving
    const from =
      version === undefined || arriving.bytes === 0 ? { offset: 0 } : { offset: arriving.bytes, version }
    const body = await session.read(location, from, watch.signal)
    watch.touch()
    await receive(body, arriving, options, watch)
    const { name, contentType } = body
    return {
      bytes: arriving.bytes,
      ...(name === undefined ? {} : { name }),
      ...(contentType === undefined ? {} : { contentType }),
    }
  } catch (error) {
    options.sessions.drop()
    options.signal.throwIfAborted()
    throw watch.signal.aborted ? watch.signal.reason : error
  } finally {
    watch.end()
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof Failure) return false
  if (error instanceof RemoteFault) return error.isPassing
  return !/^E(NOSPC|DQUOT|ACCES|ROFS|MFILE|IO)$/.test((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * Fetches one file. A broken connection is taken up again where it broke, where the server can tell that the file is
 * the same, else from the start. Throws the last `RemoteFault`, or a `Failure` for what no further try can mend.
 */
export async function download(
  location: RemoteLocation,
  path: string,
  options: DownloadOptions,
): Promise<Downloaded> {
  const { limits, signal } = options
  const file = await open(path, 'wx', 0o600)
  try {
    const arriving = new Arriving(file)
    for (let failed = 0, furthest = 0; ; ) {
      try {
        return await attempt(location, arriving, options)
      } catch (error) {
        signal.throwIfAborted()
        failed = arriving.bytes > furthest ? 1 : failed + 1
        furthest = Math.max(furthest, arriving.bytes)
        if (!isPassing(error) || failed >= limits.tries) throw error
      }
      await sleep(limits.retryMs * 2 ** (failed - 1), undefined, { signal })
    }
  } finally {
    await file.close()
  }
}
