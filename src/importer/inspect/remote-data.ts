import { rm } from 'node:fs/promises'
import type { Vault } from '../../core/secrets/vault.ts'
import { defined } from '../../core/values/defined.ts'
import {
  fetchRemote,
  isLocalLocation,
  parseLocation,
  type RemoteCredentials,
  resolveInRoots,
} from '../../inputs/index.ts'
import type { ImportRecord, ImportSource, RemoteRequest, RemoteSource } from '../model/model.ts'
import { makeUploadFolder, uploadRoot } from '../records/records.ts'
import { findInUpload } from './find-data.ts'
import type { DataFiles, InspectDeps } from './unpack-data.ts'

const progressMs = 500

function withCredentials(location: string, credentials: RemoteCredentials, vault: Vault) {
  const { username, password, domain } = credentials
  return {
    location,
    username,
    domain,
    sealedPassword: password === undefined ? undefined : vault.seal(password),
  }
}

/**
 * Returns a remote source as stored: the password is encrypted and credentials are removed from the location.
 * Throws `Failure` for a malformed location, or one on this host outside the import roots.
 */
export async function resolveRemote(
  roots: readonly string[],
  vault: Vault,
  request: RemoteRequest,
): Promise<ImportSource> {
  const { location: text, ...given } = request
  if (isLocalLocation(text)) {
    const path = await resolveInRoots(text, roots)
    return { type: 'remote', path, isOurs: false, remote: withCredentials(text, given, vault) }
  }
  const { location, credentials } = parseLocation(text)
  const remote = withCredentials(location.url, { ...credentials, ...defined(given) }, vault)
  return { type: 'remote', path: '', isOurs: true, remote }
}

/** Fetches the data at a location into an empty folder and reports progress to the clients of the import. */
export async function fetchInto(
  { remote, progress: progressBoard }: Pick<InspectDeps, 'remote' | 'progress'>,
  importId: number,
  request: RemoteRequest,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const { location: text, ...given } = request
  const { location, credentials } = parseLocation(text)
  let reportedAt = 0
  try {
    await fetchRemote(location, folder, {
      ...remote,
      credentials: { ...credentials, ...defined(given) },
      signal,
      onProgress: (progress) => {
        const at = performance.now()
        if (at - reportedAt < progressMs) return
        reportedAt = at
        progressBoard.tell(importId, { type: 'fetch', progress })
      },
    })
  } finally {
    progressBoard.endFetch(importId)
  }
}

function openedSource(vault: Vault, source: RemoteSource): RemoteRequest {
  const { sealedPassword, ...requested } = source
  return { ...requested, password: sealedPassword === undefined ? undefined : vault.open(sealedPassword) }
}

/** Fetches the remote data of an import into a new upload folder, unpacks archives and scans the files. */
export async function findRemoteData(
  deps: InspectDeps,
  record: ImportRecord,
  source: RemoteSource,
  signal: AbortSignal,
): Promise<DataFiles> {
  const folder = await makeUploadFolder(deps.folders, record.id, record.nextUpload)
  try {
    await fetchInto(deps, record.id, openedSource(deps.vault, source), folder, signal)
    return await findInUpload(deps.limits, folder, uploadRoot(deps.folders, record.id), signal)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}
