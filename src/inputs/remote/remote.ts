import type { Readable } from 'node:stream'
import type { RemoteLocation } from './location.ts'

/** Start offset of a read, and the version of the preceding bytes. */
export interface ReadFrom {
  offset: number
  version?: string
  /** Validator of data that the caller has: an unchanged file may be answered by an empty body. */
  unless?: string
}

export interface RemoteBody {
  chunks: Readable
  /** Offset of `chunks`: the requested one, or 0 if the server starts again. */
  offset: number
  /** Size of the whole file, if the server gives it. */
  totalBytes?: number
  /** Changes with the content; absent if an interrupted read cannot be continued. */
  version?: string
  /** Changes with the content; for comparing with the file of an earlier day. */
  validator?: string
  /** File name according to the server. */
  name?: string
  /** Media type in lower case, without parameters. */
  contentType?: string
}

export interface ListOptions {
  maxEntries: number
  signal: AbortSignal
  /** Called when a part of the list is received. */
  touch(): void
}

export interface RemoteEntry {
  /** Path below the listed folder, with forward slashes. */
  name: string
  location: RemoteLocation
  /** Changes with the content, if the list says so. */
  version?: string
}

/**
 * A connection to one server. Throws `RemoteFault` or `Failure`; after a fault it must be closed and opened
 * again. The caller must close it.
 */
export interface RemoteSession {
  read(location: RemoteLocation, from: ReadFrom, signal: AbortSignal): Promise<RemoteBody>
  /** Lists the files below a folder, at most `maxEntries`; undefined if the location is not a folder. */
  list?(location: RemoteLocation, options: ListOptions): Promise<RemoteEntry[] | undefined>
  close(): void
}

/** A remote server failed to fulfil a request; the message contains no secrets. */
export class RemoteFault extends Error {
  /** True if a later attempt may succeed. */
  readonly isPassing: boolean
  /** Wait that the server asks for. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, options: { isPassing: boolean; retryAfterSeconds?: number }) {
    super(message)
    this.name = 'RemoteFault'
    this.isPassing = options.isPassing
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
