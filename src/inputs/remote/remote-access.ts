import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import type { RemoteSettings } from '../../core/config/remote-settings.ts'
import { createAddressGuard } from './address-guard.ts'
import type { DownloadLimits } from './download.ts'
import { createHostKeys } from './host-keys.ts'
import type { SessionOptions } from './protocol.ts'

/** Shared settings of all fetches: the address guard, known host keys and certificates, and the limits. */
export interface RemoteAccess extends Omit<SessionOptions, 'credentials'> {
  limits: DownloadLimits
}

const retryMs = 500

/** Throws an `Error` if the file of certificate authorities is unreadable. */
export function createRemoteAccess(
  settings: RemoteSettings,
  needs: {
    maxBytes: number
    maxEntries: number
    ownPort(): number | undefined
    /** Path of the file with the keys of SFTP servers. */
    knownHosts: string
  },
): RemoteAccess {
  const { maxBytes, maxEntries, ownPort, knownHosts } = needs
  const { s3Endpoint, s3Region, onlyKnownHosts } = settings
  return {
    guard: createAddressGuard({ allow: settings.allow, ownPort }),
    authorities: [...getCACertificates('default'), ...readAuthorities(settings.authoritiesFile)],
    hostKeys: createHostKeys(knownHosts, onlyKnownHosts),
    s3: { region: s3Region, endpoint: s3Endpoint },
    limits: {
      maxBytes,
      maxEntries,
      totalMs: settings.totalSeconds * 1000,
      stallMs: settings.stallSeconds * 1000,
      tries: settings.tries,
      retryMs,
    },
  }
}

function readAuthorities(path: string | undefined): string[] {
  if (path === undefined) return []
  try {
    return [readFileSync(path, 'utf8')]
  } catch (error) {
    throw new Error('The file in TERRANE_REMOTE_CA cannot be read', { cause: error })
  }
}
