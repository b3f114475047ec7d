import { statfsSync } from 'node:fs'
import { basename, relative, sep } from 'node:path'
import { Failure } from '../errors/errors.ts'

/** PostgreSQL's disk_full, and the codes of the system. */
const fullCodes = ['53100', 'ENOSPC', 'EDQUOT']
const sqliteFull = 13
/** A disk with less free space counts as full, since files grow by blocks and databases by pages. */
const minBytes = 1 << 20

/** A folder that the server writes to. */
interface WrittenFolder {
  path: string
  /** The name for users, such as `the data directory (TERRANE_DATA)`. */
  name: string
}

let written: readonly WrittenFolder[] = []

/** Sets the folders that messages about a full disk may name. */
export function setWrittenFolders(folders: readonly WrittenFolder[]): void {
  written = folders
}

/** Returns the folders whose disk is full. */
export function listFullFolders(): WrittenFolder[] {
  return written.filter(isFull)
}

/**
 * Returns the failure for a full disk, with its location, for errors of files and of the catalogue database;
 * undefined for other errors.
 */
export function findFullDisk(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  if (!fullCodes.includes(String(code)) && (Number(errcode) & 0xff) !== sqliteFull) return undefined
  const place = code === '53100' ? ' (that of the database)' : placeOf(error)
  const text = `The disk of the server is full${place}: nothing was kept; try again when its operator has made room`
  return new Failure('unavailable', 'disk-full', text, { cause: error })
}

/**
 * Returns the location of the full disk: from the path in the error, otherwise from the folders whose disk is
 * full.
 */
function placeOf({ path, dest }: Error & { path?: unknown; dest?: unknown }): string {
  const file = [dest, path].find((one) => typeof one === 'string')
  const named = file === undefined ? undefined : nameOfPath(String(file))
  const names = named === undefined ? listFullFolders().map(({ name }) => name) : [named]
  return names.length === 0 ? '' : ` (${names.join(', ')})`
}

/**
 * Returns the written folder that contains a path, with the folder below it. Messages to users contain no
 * server paths.
 */
function nameOfPath(path: string): string | undefined {
  for (const folder of written) {
    const [first = '', ...others] = relative(folder.path, path).split(sep)
    if (first === '..' || first === '') continue
    const shown = others.length === 0 ? basename(path) : first
    return `"${shown}" in ${folder.name}`
  }
  return undefined
}

function isFull({ path }: WrittenFolder): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize < minBytes
  } catch {
    return false
  }
}
