import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { Failure, invalid } from '../../core/errors/errors.ts'
import { withoutSecrets } from '../../core/secrets/without-secrets.ts'
import { extensionOf, fetchedSidecars } from '../../formats/index.ts'
import { cleanEntryName, findNameFault, isSkippedEntry } from '../entry-name.ts'
import { persist, SessionSource } from './attempts.ts'
import type { Downloaded, DownloadLimits } from './download.ts'
import { download } from './download.ts'
import { reasonOf } from './faults.ts'
import { safeFileName, withEnding, withPackedEnding } from './file-name.ts'
import type { RemoteLocation } from './location.ts'
import { shownLocation, withPath } from './location.ts'
import type { RemoteCredentials, SessionOptions } from './protocol.ts'
import { findProtocol } from './registry.ts'
import type { RemoteEntry } from './remote.ts'
import { RemoteFault } from './remote.ts'

export interface FetchProgress {
  /** The file being fetched. */
  file: string
  /** Bytes of all files together. */
  bytes: number
  /** Total size, if known; only for a single file. */
  totalBytes?: number
}

export interface FetchOptions extends SessionOptions {
  limits: DownloadLimits
  signal: AbortSignal
  onProgress(progress: FetchProgress): void
}

/** Extension that scans ignore, so that a partial file is never mistaken for a complete one. */
const partName = '.part'

/** One fetch: all received bytes count against the total limit. */
class Fetch {
  readonly sessions: SessionSource
  readonly #folder: string
  readonly #options: FetchOptions
  #bytes = 0

  constructor(folder: string, options: FetchOptions, sessions: SessionSource) {
    this.#folder = folder
    this.#options = options
    this.sessions = sessions
  }

  /** Fetches a file under the name that `nameOf` returns. */
  async file(
    location: RemoteLocation,
    nameOf: (downloaded: Downloaded, head: Uint8Array) => string,
  ): Promise<string> {
    const { limits, signal, onProgress } = this.#options
    const part = join(this.#folder, partName)
    const shown = safeFileName(location.path)
    const before = this.#bytes
    try {
      const downloaded = await download(location, part, {
        sessions: this.sessions,
        limits,
        signal,
        remainingBytes: limits.maxBytes - before,
        onBytes: (bytes, totalBytes) => onProgress({ file: shown, bytes: before + bytes, totalBytes }),
      })
      this.#bytes = before + downloaded.bytes
      const target = join(this.#folder, nameOf(downloaded, await readHead(part)))
      await mkdir(dirname(target), { recursive: true })
      await rename(part, target)
      return target
    } finally {
      await rm(part, { force: true })
    }
  }
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function nameOfFile(location: RemoteLocation) {
  return ({ name, contentType }: Downloaded, head: Uint8Array): string =>
    withPackedEnding(withEnding(safeFileName(name ?? location.path), contentType), head)
}

/** Fetches required sidecars of a main file, such as those of a shapefile; ignores missing ones. */
async function fetchSidecars(fetch: Fetch, location: RemoteLocation, main: string): Promise<void> {
  const extension = extensionOf(location.path)
  if (extensionOf(main) !== extension) return
  const ending = extname(location.path)
  const isUpper = ending === ending.toUpperCase()
  const base = basename(main, extname(main))
  for (const one of fetchedSidecars(extension)) {
    const sidecar = isUpper ? one.toUpperCase() : one
    const beside = withPath(location, (path) => path.slice(0, -extension.length) + sidecar)
    await fetch
      .file(beside, ({ contentType }) => {
        if (contentType === 'text/html') throw new RemoteFault('a page', { isPassing: false })
        return `${base}.${sidecar}`
      })
      .catch((error: unknown) => {
        if (!(error instanceof RemoteFault) || error.isPassing) throw error
      })
  }
}

/** Returns a path below the folder for each remote file; throws if it would be outside. */
function pathBelow(name: string): string {
  const clean = cleanEntryName(name)
  const fault = findNameFault(clean)
  if (fault === undefined) return clean
  throw invalid(
    'invalid-file-name',
    `The remote folder contains the rejected file "${safeFileName(name)}": ${fault}`,
  )
}

async function fetchEntries(fetch: Fetch, entries: RemoteEntry[]): Promise<void> {
  const remoteEntries = entries.filter((entry) => !isSkippedEntry(entry.name))
  if (remoteEntries.length === 0) throw new RemoteFault('there are no files below it', { isPassing: false })
  for (const entry of remoteEntries) {
    const name = pathBelow(entry.name)
    await fetch.file(entry.location, () => name)
  }
}

async function fetchAll(
  fetch: Fetch,
  location: RemoteLocation,
  limits: DownloadLimits,
  signal: AbortSignal,
): Promise<void> {
  const { sessions } = fetch
  const entries = await persist(
    { sessions, limits, signal },
    () => 0,
    async ({ session, ...attempt }) =>
      session.list?.(location, { maxEntries: limits.maxEntries, ...attempt }),
  )
  if (entries !== undefined) return fetchEntries(fetch, entries)
  const main = await fetch.file(location, nameOfFile(location))
  await fetchSidecars(fetch, location, main)
}

/** Converts any error to one with instructions for the user, without secrets. */
export function toFailure(error: unknown, location: RemoteLocation, credentials: RemoteCredentials): Error {
  if (error instanceof Failure) return error
  const reason = withoutSecrets(reasonOf(error), credentials, { mask: '********' })
  return invalid('remote-failed', `${shownLocation(location)} could not be fetched: ${reason}`)
}

/**
 * Fetches a file (with its required sidecars) or the files below a folder into an empty folder. Throws a
 * `Failure` that names the location, or the reason of the signal.
 */
export async function fetchRemote(
  location: RemoteLocation,
  folder: string,
  options: FetchOptions,
): Promise<void> {
  const { limits, signal, credentials } = options
  const late = AbortSignal.timeout(limits.totalMs)
  const within = { ...options, signal: AbortSignal.any([signal, late]) }
  const sessions = new SessionSource((at) => findProtocol(location.scheme).open(location, within, at))
  try {
    await fetchAll(new Fetch(folder, within, sessions), location, within.limits, within.signal)
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) {
      throw invalid(
        'remote-timeout',
        `${shownLocation(location)} took longer than the ${limits.totalMs / 1000} seconds of TERRANE_REMOTE_TIMEOUT`,
      )
    }
    throw toFailure(error, location, credentials)
  } finally {
    sessions.drop()
  }
}
