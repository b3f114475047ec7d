import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { plainReason } from '../errors/plain-reason.ts'
import { freeName, toFileName } from '../text/free-name.ts'
import { parseSecretKey, readSecretKey } from './secret-key.ts'
import type { DataSettings } from './settings.ts'
import { databaseFile } from './settings.ts'

/** Paths in the data directory; absolute. */
export interface DataDirectory {
  root: string
  /** The embedded catalogue database. */
  databasePath: string
  /** Default import root, for the operator's files. */
  incoming: string
  /** Uploads, one folder for each import. */
  uploads: string
  /** GeoPackages and files that published layers read. */
  stores: string
  /** Rejected rows of imports. */
  rejects: string
  archives: string
  /** Indexes of files that are served directly. */
  indexes: string
  /** Caches that make maps faster; all of them can be rebuilt. */
  maps: string
  /**
   * Tables without a layer that are shown on maps, such as rows before their load and lists of changes. Each
   * owner has a folder.
   */
  sides: string
  /** 32 bytes that encrypt secrets; without them the stored passwords are lost. */
  key: Uint8Array
  /** Path of the file with the key; absent if a setting contains the key. */
  keyFile?: string
}

/** Creates missing folders and the key. Throws an `Error` that names the folder or the key file. */
export function prepareDataDirectory(settings: DataSettings): DataDirectory {
  const folders = prepareFolders(settings.directory)
  const key = parseSecretKey(settings.secretKey?.reveal() ?? '')
  if (key !== undefined) return { ...folders, key }
  const keyFile = join(folders.root, 'secret.key')
  return { ...folders, key: readSecretKey(keyFile), keyFile }
}

function prepareFolders(root: string): Omit<DataDirectory, 'key' | 'keyFile'> {
  const folder = (name: string): string => {
    const path = join(root, name)
    mkdirSync(path, { recursive: true, mode: 0o750 })
    return path
  }
  try {
    return {
      root,
      incoming: folder('incoming'),
      uploads: folder('uploads'),
      stores: folder('stores'),
      rejects: folder('rejects'),
      archives: folder('archives'),
      indexes: folder('indexes'),
      maps: folder('maps'),
      sides: folder('sides'),
      databasePath: join(root, databaseFile),
    }
  } catch (error) {
    throw new Error(`The data directory ${root} cannot be used: TERRANE_DATA names it`, { cause: error })
  }
}

/**
 * Returns a path for a new store of `workspace` that is not in use, and not in `taken` by a store whose file
 * does not exist yet: `name`, or `name` with 0, 1, 2, ...
 */
export function freeStoreFile(
  directory: Pick<DataDirectory, 'stores'>,
  workspace: string,
  name: string,
  taken: ReadonlySet<string | undefined>,
): string {
  const { name: base, ext } = parse(name)
  const folder = join(directory.stores, toFileName(workspace))
  return freeName(toFileName(base), (path) => taken.has(path) || existsSync(path), {
    fit: (stem, suffix) => join(folder, `${stem}${suffix}${ext}`),
  })
}

/** Keeps references to the locks, which the garbage collector would otherwise close. */
const locks = new Set<DatabaseSync>()

/**
 * Locks the data directory for this process; returns a function that releases the lock. The system also
 * releases it when the process dies. Throws an `Error` if another process has it.
 */
export function lockDataDirectory(root: string): () => void {
  const pidPath = join(root, 'terrane.pid')
  const lock = openLock(join(root, 'terrane.lock'))
  try {
    // The lock file is never written: the journal stays in memory, since a full disk has no space for one.
    lock.exec('pragma busy_timeout = 200; pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    lock.close()
    if (primaryCode(error) !== sqliteBusy) throw cannotLock(join(root, 'terrane.lock'), error)
    throw new Error(
      `The data directory ${root} is in use by another Terrane${holder(pidPath)}: stop that one, or set TERRANE_DATA to another folder; commands find it by its TERRANE_PORT or by --url`,
      { cause: error },
    )
  }
  locks.add(lock)
  writePid(pidPath)
  return () => {
    rmSync(pidPath, { force: true })
    locks.delete(lock)
    lock.close()
  }
}

/** SQLite's result code for a file that another process has locked. */
const sqliteBusy = 5

function primaryCode(error: unknown): number {
  return Number((error as { errcode?: unknown }).errcode) & 0xff
}

function openLock(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path)
  } catch (error) {
    throw cannotLock(path, error)
  }
}

function cannotLock(path: string, error: unknown): Error {
  return new Error(`${path} cannot be locked: ${plainReason(error) ?? String(error)}`, { cause: error })
}

/** The process id is only informative: a full disk must not prevent the start of the server. */
function writePid(path: string): void {
  try {
    writeFileSync(path, `${process.pid}\n`)
  } catch {
    rmSync(path, { force: true })
  }
}

function holder(pidPath: string): string {
  try {
    return ` (process ${readFileSync(pidPath, 'utf8').trim()})`
  } catch {
    return ''
  }
}
