import type { Vault } from '../core/secrets/vault.ts'
import { defined } from '../core/values/defined.ts'
import { isLocalLocation, parseLocation, probeRemote, resolveInRoots } from '../inputs/index.ts'
import { digestOfStates, listFileStates } from './changes/file-states.ts'
import type { ObtainDeps } from './changes/obtain.ts'
import type { SourceRecord } from './model/source.ts'
import type { WatchedFiles } from './run/watched.ts'

/** State of a missing folder; a run then reports that it is missing. */
const missing: WatchedFiles = { digest: 'missing', isEmpty: false }

/** Returns the state of the files of a watched source; undefined if a server does not say whether files changed. */
export async function readWatchedFiles(
  deps: ObtainDeps & { vault: Pick<Vault, 'open'> },
  { settings, sealedPassword }: SourceRecord,
  signal: AbortSignal,
): Promise<WatchedFiles | undefined> {
  const { data } = settings
  if (data.type === 'database' || data.type === 'service') return undefined
  if (data.type === 'remote' && !isLocalLocation(data.location)) {
    const { location, credentials } = parseLocation(data.location)
    const password = sealedPassword === '' ? undefined : deps.vault.open(sealedPassword)
    const given = defined({ username: data.username, domain: data.domain, password })
    const access = { ...deps.remote, credentials: { ...credentials, ...given }, signal }
    const digest = await probeRemote(location, access)
    return digest === undefined ? undefined : { digest, isEmpty: false }
  }
  const path = await resolveInRoots(data.type === 'remote' ? data.location : data.path, deps.roots)
  try {
    const states = await listFileStates(path, { maxEntries: deps.limits.maxEntries, signal })
    return { digest: digestOfStates(states), isEmpty: states.length === 0 }
  } catch {
    return missing
  }
}
