import type { Reach } from '../network/reach.ts'

import { ownValue } from '../own-value.ts'

/**
 * Whether the connection is encrypted, as PostgreSQL's `sslmode` has it: without a look at the certificate
 * (`require`), with a look at who signed it, or also at the name in it.
 */
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
/** How a connection is encrypted. */
export type TlsMode = (typeof tlsModes)[number]

/** Modes of PostgreSQL and GeoServer; `allow` and `prefer` encrypt nothing, since they promise nothing. */
const tlsByName: Record<string, TlsMode> = {
  disable: 'disable',
  allow: 'disable',
  prefer: 'disable',
  require: 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
}

/** What a mode may be called; any letter case, `_` for `-`. */
export const tlsNames: readonly string[] = Object.keys(tlsByName)

/** The mode of a name; undefined where there is none of it. */
export function findTlsMode(name: string): TlsMode | undefined {
  return ownValue(tlsByName, name.toLowerCase().replaceAll('_', '-'))
}

/** Where a database is and who asks; plain data that holds a secret and is never logged or shown. */
export interface DatabaseAddress {
  host: string
  port: number
  database: string
  user: string
  password: string
  /** Default: `disable`. */
  tls?: TlsMode
  /** Where the connection may lead; absent: anywhere. */
  reach?: Reach
}
