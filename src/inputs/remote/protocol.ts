import type { AddressGuard } from './address-guard.ts'
import type { HostKeys } from './host-keys.ts'
import type { RemoteLocation } from './location.ts'
import type { RemoteSession } from './remote.ts'

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

interface S3Place {
  /** Absent: Amazon's endpoint. */
  endpoint?: string
  region: string
}

/** Options for opening sessions. */
export interface SessionOptions {
  guard: AddressGuard
  credentials: RemoteCredentials
  /** Certificate authorities in PEM format. */
  authorities: readonly string[]
  hostKeys: HostKeys
  s3: S3Place
}

/** User name and password; absent parts are sent as empty. */
export interface RemoteCredentials {
  username?: string
  password?: string
  /** Windows domain, for NTLM and `DOMAIN\user` names. */
  domain?: string
}
