import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DataDirectory } from '../core/config/data-directory.ts'
import { lockDataDirectory } from '../core/config/data-directory.ts'
import type { FileSettings } from '../core/config/file-settings.ts'
import type { Database } from '../core/db/connection.ts'
import { Mirror } from '../core/file-store/mirror.ts'
import { openFileStore } from '../core/file-store/open-file-store.ts'
import { setPortableRoot } from '../core/file-store/portable-paths.ts'
import { StoredFiles } from '../core/file-store/stored-files.ts'
import { type FileArea, fileArea } from './shared-files.ts'

/** Folders of the data directory that are local copies of stored files where files are in an object store. */
const mirroredFolders = ['uploads', 'rejects', 'archives', 'sides'] as const
/** File that marks a folder which Terrane may empty. */
const markName = 'terrane-scratch'
const checkMs = 30_000

/** Files of a server. */
export interface Files {
  stored: StoredFiles
  /** Absent if files are in the data directory. */
  mirror?: Mirror
  /** True to send clients to signed addresses. */
  redirects: boolean
  /** The storage that all servers of the catalogue share. */
  area: FileArea
}

/**
 * Returns the data directory with the folders of files that are only local copies moved to the scratch folder, which is
 * emptied and locked. Without an object store, the data directory as it is. Throws an `Error` for a scratch folder with
 * files that are not Terrane's copies.
 */
export function prepareScratch(
  directory: DataDirectory,
  { s3, scratch }: FileSettings,
  closers: (() => void | Promise<void>)[],
): DataDirectory {
  setPortableRoot(undefined)
  if (s3 === undefined) return directory
  markScratch(scratch)
  closers.push(lockScratch(scratch))
  const moved: Partial<DataDirectory> = {}
  for (const name of mirroredFolders) {
    const path = join(scratch, name)
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path, { recursive: true, mode: 0o750 })
    moved[name] = path
  }
  rmSync(join(scratch, 'objects'), { recursive: true, force: true })
  setPortableRoot(scratch)
  closers.push(() => setPortableRoot(undefined))
  return { ...directory, ...moved }
}

function markScratch(scratch: string): void {
  mkdirSync(scratch, { recursive: true, mode: 0o750 })
  const names = readdirSync(scratch)
  if (names.length > 0 && !names.includes(markName))
    throw new Error(
      `The scratch folder ${scratch} has other files, which would be deleted: set TERRANE_SCRATCH to an empty folder or one that does not exist`,
    )
  writeFileSync(join(scratch, markName), '')
}

function lockScratch(scratch: string): () => void {
  try {
    return lockDataDirectory(scratch)
  } catch (error) {
    const text = `The scratch folder ${scratch} is in use by another server: set TERRANE_SCRATCH to a folder of this server alone`
    throw new Error(text, { cause: error })
  }
}

/**
 * Opens the file store and checks that it can be written, read and listed. Throws an `Error` that names the setting to
 * change.
 */
export async function openFiles(
  settings: FileSettings,
  { root }: DataDirectory,
  database: Database,
  closers: (() => void | Promise<void>)[],
): Promise<Files> {
  const { store, scratch } = await openFileStore(settings, root)
  closers.push(() => store.close())
  const stored = new StoredFiles(database, store)
  const area = fileArea(settings, store, root)
  if (settings.s3 === undefined) return { stored, redirects: false, area }
  await store.check(AbortSignal.timeout(checkMs))
  return { stored, mirror: new Mirror(stored, scratch), redirects: settings.redirects, area }
}
