import { rm } from 'node:fs/promises'
import { defined } from '../../lib/defined.ts'
import { resolveInRoots } from '../../sources/path-guard.ts'
import type { RemoteCredentials } from '../../sources/remote/credentials.ts'
import { fetchRemote } from '../../sources/remote/fetch-remote.ts'
import { isLocalLocation, parseLocation } from '../../sources/remote/parse-location.ts'
import type { ImportRecord, ImportSource, RemoteSource, WantedRemote } from '../model/model.ts'
import { makeUploadFolder, uploadRoot } from '../records/records.ts'
import { findInUpload } from './find-data.ts'
import type { LookNeeds } from './look-needs.ts'
import type { FoundData } from './unpack-data.ts'

const progressMs = 500

function withCredentials(location: string, credentials: RemoteCredentials, parts: LookNeeds) {
  const { username, password, domain } = credentials
  return {
    location,
    ...defined({ username, domain }),
    ...(password === undefined ? {} : { sealedPassword: parts.vault.seal(password) }),
  }
}

/**
 * Returns a remote source as stored: the password is encrypted and credentials are removed from the location.
 * Throws `Failure` for a malformed location, or one on this host outside the import roots.
 */
export async function resolveRemote(parts: LookNeeds, wanted: WantedRemote): Promise<ImportSource> {
  const { location: text, ...given } = wanted
  if (isLocalLocation(text)) {
    const path = await resolveInRoots(text, parts.roots)
    return { type: 'remote', path, isOurs: false, remote: withCredentials(text, given, parts) }
  }
  const { location, credentials } = parseLocation(text)
  const remote = withCredentials(location.url, { ...credentials, ...given }, parts)
  return { type: 'remote', path: '', isOurs: true, remote }
}

/** Fetches the data at a location into an empty folder and reports progress to the clients of the import. */
export async function fetchInto(
  parts: LookNeeds,
  importId: number,
  wanted: WantedRemote,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const { location: text, ...given } = wanted
  const { location, credentials } = parseLocation(text)
  let toldAt = 0
  try {
    await fetchRemote(location, folder, {
      ...parts.remote,
      credentials: { ...credentials, ...given },
      signal,
      onProgress: (progress) => {
        const at = performance.now()
        if (at - toldAt < progressMs) return
        toldAt = at
        parts.progress.tell(importId, { type: 'fetch', progress })
      },
    })
  } finally {
    parts.progress.endFetch(importId)
  }
}

function openedSource(parts: LookNeeds, source: RemoteSource): WantedRemote {
  const { sealedPassword, ...wanted } = source
  return {
    ...wanted,
    ...(sealedPassword === undefined ? {} : { password: parts.vault.open(sealedPassword) }),
  }
}

/** Fetches the remote data of an import into a new upload folder, unpacks archives and scans the files. */
export async function findRemoteData(
  parts: LookNeeds,
  record: ImportRecord,
  source: RemoteSource,
  signal: AbortSignal,
): Promise<FoundData> {
  const folder = await makeUploadFolder(parts, record.id, record.nextUpload)
  try {
    await fetchInto(parts, record.id, openedSource(parts, source), folder, signal)
    return await findInUpload(parts, folder, uploadRoot(parts, record.id), signal)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}
