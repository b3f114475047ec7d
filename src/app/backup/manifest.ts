import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** Name of the list of contents in a backup; it is written last. */
export const manifestName = 'manifest.json'
export const keyName = 'key.json'
export const catalogueNames = {
  sqlite: 'catalogue/terrane.sqlite',
  postgres: 'catalogue/terrane.dump',
} as const
export const monitoringName = 'catalogue/monitoring.sqlite'
/** Folder of the files of the data directory in a backup. */
export const dataFolder = 'data'

/** Folder of the files of a bucket in a backup, named after their keys. */
export const objectsFolder = 'objects'

/** A file in a backup. */
export interface BackupEntry {
  name: string
  sizeBytes: number
  /** Hexadecimal. */
  sha256: string
}

/** Contents of a backup. */
export interface BackupManifest {
  format: 1
  terrane: string
  schemaVersion: number
  createdAt: string
  catalogue: keyof typeof catalogueNames
  /** Data directory of the server; the catalogue has absolute paths below it. */
  root: string
  hasKey: boolean
  /** Storage of the files of imports and downloads; absent: the data directory. */
  fileStore?: 'folder' | 's3'
  files: BackupEntry[]
}

/** Parses a manifest. Throws an `Error` for other documents, and for names that leave the backup. */
export function readManifest(path: string): BackupManifest {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (!isManifest(value)) throw new Error(`${path} is not a manifest of a backup that this version reads`)
  for (const { name } of value.files) requireInside(name)
  return value
}

function isManifest(value: unknown): value is BackupManifest {
  if (typeof value !== 'object' || value === null) return false
  const { format, catalogue, root, files } = value as Record<string, unknown>
  const isEntry = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && 'name' in one && typeof one.name === 'string'
  return (
    format === 1 &&
    (catalogue === 'sqlite' || catalogue === 'postgres') &&
    typeof root === 'string' &&
    Array.isArray(files) &&
    files.every(isEntry)
  )
}

/** Throws an `Error` unless a name stays inside the folder of the backup. */
export function requireInside(name: string): void {
  const isInside = posix.normalize(name) === name && !posix.isAbsolute(name) && !/^\.\.(\/|$)/.test(name)
  if (!isInside || name.includes('\0') || name.includes('\\'))
    throw new Error(`The backup has a file with the name "${name}", which leads outside of it`)
}
