import type { NetworkReach } from '../network/reach.ts'

import { ownValue } from '../values/record-keys.ts'

/**
 * PostgreSQL's `sslmode`: encryption without checking the certificate (`require`), checking its issuer
 * (`verify-ca`), or also the host name (`verify-full`).
 */
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
/** Encryption of a connection. */
export type TlsMode = (typeof tlsModes)[number]

/** Modes of PostgreSQL and GeoServer. `allow` and `prefer` do not encrypt, since they guarantee nothing. */
const tlsByName: Record<string, TlsMode> = {
  disable: 'disable',
  allow: 'disable',
  prefer: 'disable',
  require: 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
}

/** Names of the modes, in any letter case, with `_` for `-`. */
export const tlsNames: readonly string[] = Object.keys(tlsByName)

/** Returns the mode of a name; undefined if the name is unknown. */
export function findTlsMode(name: string): TlsMode | undefined {
  return ownValue(tlsByName, name.toLowerCase().replaceAll('_', '-'))
}

/** Address and credentials of a database; plain data that contains a secret and is never logged or shown. */
export interface DatabaseAddress {
  host: string
  port: number
  database: string
  user: string
  password: string
  /** Default: `disable`. */
  tls?: TlsMode
  /** Allowed destinations of the connection; absent: any. */
  reach?: NetworkReach
}
