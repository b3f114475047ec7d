import type { AddressGuard } from './address-guard.ts'
import type { RemoteCredentials } from './credentials.ts'
import type { HostKeys } from './host-keys.ts'

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
