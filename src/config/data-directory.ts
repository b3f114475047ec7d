import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { plainReason } from '../lib/plain-reason.ts'
import { freeName, toFileName } from '../lib/text/free-name.ts'
import { databaseFile } from './database-file.ts'
import { readSecretKey } from './secret-key.ts'
import type { DataSettings } from './settings.ts'

/** Where things lie in the data directory; absolute paths. */
export interface DataDirectory {
  root: string
  /** Our own database in embedded use. */
  databasePath: string
  /** Default import root, for the operator's files. */
  incoming: string
  /** Uploads, one folder for each import. */
  uploads: string
  /** GeoPackages and files that published layers read. */
  stores: string
  /** Rows that imports refused. */
  rejects: string
  archives: string
  /** Of files that layers are served from. */
  indexes: string
  /** What is made of layers so that maps are quick; all of it can be made again. */
  maps: string
  /** Tables that belong to no layer, of which there are maps: rows before they are loaded, changes. A folder for each owner. */
  sides: string
  /** 32 bytes that seal secrets; losing them loses the stored passwords. */
  key: Uint8Array
}

/** Makes the folders and the key where they are missing. Throws an `Error` that names the folder or the file of the key. */
export function prepareDataDirectory(settings: DataSettings): DataDirectory {
  const folders = prepareFolders(settings.directory)
  return { ...folders, key: readSecretKey(join(folders.root, 'secret.key')) }
}

function prepareFolders(root: string): Omit<DataDirectory, 'key'> {
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
 * A path for a new store of `workspace` where no file is yet, and that is not `taken` by a store whose file is still to
 * come: `name`, or with 0, 1, 2, ... in it.
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

/** Kept from the garbage collector, which would close them. */
const locks = new Set<DatabaseSync>()

/**
 * Takes the data directory for this process; returns what gives it back. The system gives it back too when the
 * process dies. Throws an `Error` when another process has it.
 */
export function lockDataDirectory(root: string): () => void {
  const pidPath = join(root, 'terrane.pid')
  const lock = openLock(join(root, 'terrane.lock'))
  try {
    // Nothing is ever written to it: the journal stays in memory, since a full disk has no room for one.
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

/** The number only helps people to find this process: a full disk must not keep the server from starting. */
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
