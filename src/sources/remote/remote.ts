import type { Readable } from 'node:stream'
import type { RemoteLocation } from './location.ts'

/** Where a read begins, and the version that the bytes before it had. */
export interface ReadFrom {
  offset: number
  version?: string
}

export interface RemoteBody {
  chunks: Readable
  /** What `chunks` begin at: the offset asked for, or 0 where the server begins anew. */
  offset: number
  /** Size of the whole file, where the server tells it. */
  totalBytes?: number
  /** Changes with the content; absent where a broken read cannot be gone on with. */
  version?: string
  /** The name that the server gives the file. */
  name?: string
  /** Media type in lower case, without parameters. */
  contentType?: string
}

export interface ListOptions {
  maxEntries: number
  signal: AbortSignal
  /** Called whenever a part of the list came. */
  touch(): void
}

export interface RemoteEntry {
  /** Path below the listed folder, with forward slashes. */
  name: string
  location: RemoteLocation
}

/**
 * A connection to one server. Throws `RemoteFault` or `Failure`; after a fault it is closed and opened anew. Whoever
 * opens it closes it.
 */
export interface RemoteSession {
  read(location: RemoteLocation, from: ReadFrom, signal: AbortSignal): Promise<RemoteBody>
  /** The files below a folder, at most `maxEntries`; undefined where the location is no folder. */
  list?(location: RemoteLocation, options: ListOptions): Promise<RemoteEntry[] | undefined>
  close(): void
}

/** A remote server did not do what was asked; the message holds no secret of ours. */
export class RemoteFault extends Error {
  /** Whether it may go away by itself. */
  readonly isPassing: boolean

  constructor(message: string, options: { isPassing: boolean }) {
    super(message)
    this.name = 'RemoteFault'
    this.isPassing = options.isPassing
  }
}
