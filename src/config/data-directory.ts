import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freeName, toFileName } from '../lib/text/free-name.ts'
import { databaseFile } from './database-file.ts'
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

const keyBytes = 32

/** Makes the folders and the key where they are missing. Throws an `Error` that names the folder. */
export function prepareDataDirectory(settings: DataSettings): DataDirectory {
  const root = settings.directory
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
      key: readKey(join(root, 'secret.key')),
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

/** The key of the file, made first where there is none; of two processes that make it, one wins for both. */
function readKey(path: string): Uint8Array {
  const proposal = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(proposal, `${randomBytes(keyBytes).toString('hex')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(proposal, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(proposal)
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
  if (key.length !== keyBytes) throw new Error(`${path} does not hold a key of ${keyBytes} bytes in hex`)
  return key
}

/** Kept from the garbage collector, which would close them. */
const locks = new Set<DatabaseSync>()

/**
 * Takes the data directory for this process; returns what gives it back. The system gives it back too when the
 * process dies. Throws an `Error` when another process has it.
 */
export function lockDataDirectory(root: string): () => void {
  const pidPath = join(root, 'terrane.pid')
  const lock = new DatabaseSync(join(root, 'terrane.lock'))
  try {
    lock.exec('pragma busy_timeout = 200; begin exclusive')
  } catch (error) {
    lock.close()
    throw new Error(
      `The data directory ${root} is in use by another Terrane${holder(pidPath)}: stop that one, or set TERRANE_DATA to another folder; commands find it by its TERRANE_PORT or by --url`,
      { cause: error },
    )
  }
  locks.add(lock)
  writeFileSync(pidPath, `${process.pid}\n`)
  return () => {
    rmSync(pidPath, { force: true })
    locks.delete(lock)
    lock.close()
  }
}

function holder(pidPath: string): string {
  try {
    return ` (process ${readFileSync(pidPath, 'utf8').trim()})`
  } catch {
    return ''
  }
}
