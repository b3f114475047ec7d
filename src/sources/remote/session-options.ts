import type { AddressGuard } from './address-guard.ts'
import type { RemoteCredentials } from './credentials.ts'
import type { HostKeys } from './host-keys.ts'

interface S3Place {
  /** Absent: that of Amazon. */
  endpoint?: string
  region: string
}

/** What sessions are opened with. */
export interface SessionOptions {
  guard: AddressGuard
  credentials: RemoteCredentials
  /** Certificates that servers may be vouched for by, in PEM. */
  authorities: readonly string[]
  hostKeys: HostKeys
  s3: S3Place
}
