import type { RemoteLocation } from './location.ts'
import type { RemoteSession } from './remote.ts'
import type { SessionOptions } from './session-options.ts'

/** A protocol for remote data, with all its properties; all other code reads them from the registry. */
export interface RemoteProtocol {
  /** The URL schemes, in lower case, with their default ports. */
  ports: Readonly<Record<string, number>>
  /** True if an address names a bucket and a key instead of a host and a path. */
  namesBuckets?: true
  /**
   * Opens a session for a location, as `options` permit: connections only go through their guard. Throws
   * `RemoteFault` or `Failure`, and the reason of the signal soon after it aborts; then nothing is left open.
   */
  open(location: RemoteLocation, options: SessionOptions, signal: AbortSignal): Promise<RemoteSession>
}
