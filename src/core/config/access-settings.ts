import type { Reader } from './parse.ts'

const scopes = ['open', 'granted'] as const

/** Rights that roles have without permissions. */
export interface AccessSettings {
  /** `open`: users read every layer; `granted`: users read what permissions name. */
  defaultRead: (typeof scopes)[number]
  /** `open`: staff may do everything with layers and workspaces; `granted`: what permissions name. */
  staffScope: (typeof scopes)[number]
}

export function readAccess(read: Reader): AccessSettings {
  return {
    defaultRead: read.choice('TERRANE_DEFAULT_READ', scopes, 'open'),
    staffScope: read.choice('TERRANE_STAFF_SCOPE', scopes, 'open'),
  }
}
