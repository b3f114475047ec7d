import type { RemoteLocation } from './location.ts'
import type { RemoteSession } from './remote.ts'
import type { SessionOptions } from './session-options.ts'

/** A way to fetch remote data: it describes itself, and everything else reads this from the registry. */
export interface RemoteProtocol {
  /** The schemes of its addresses, in lower case, with the port of each that needs not be named. */
  ports: Readonly<Record<string, number>>
  /** Whether an address names a bucket and a key in place of a host and a path. */
  namesBuckets?: true
  /**
   * Opens a session for a location, within what `options` allow: connections go through their guard alone. Throws
   * `RemoteFault` or `Failure`, and the signal's reason soon after it aborts; then nothing is left open.
   */
  open(location: RemoteLocation, options: SessionOptions, signal: AbortSignal): Promise<RemoteSession>
}
