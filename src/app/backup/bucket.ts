import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FileSettings } from '../../core/config/file-settings.ts'
import { explain, Failure } from '../../core/errors/errors.ts'
import type { FileStore } from '../../core/file-store/file-store.ts'
import { readLocal } from '../../core/file-store/folder-store.ts'
import { openFileStore } from '../../core/file-store/open-file-store.ts'
import { type BackupManifest, objectsFolder } from './manifest.ts'

/** A file in the bucket that the catalogue names. */
export interface BucketFile {
  key: string
  sizeBytes: number
}

/** The bucket of an installation, for its backup. The caller must call `close`. */
export interface Bucket {
  /** Its address: `s3://bucket/prefix`. */
  location: string
  /** Opens a file; undefined if it has been removed. */
  open(key: string): Promise<Readable | undefined>
  /** Throws an `Error` unless the bucket can be written and has no objects below its prefix. */
  requireEmpty(): Promise<void>
  /** Stores the files of an unpacked backup. Removes them again if it fails. */
  fill(folder: string, manifest: BackupManifest): Promise<void>
  /** Removes the files of a backup that are not among these. */
  keepOnly(keys: ReadonlySet<string>, manifest: BackupManifest): Promise<void>
  close(): void
}

/** Opens the bucket of the settings; undefined if files are in the data directory. */
export async function openBucket(settings: FileSettings, root: string): Promise<Bucket | undefined> {
  const { s3 } = settings
  if (s3 === undefined) return undefined
  const { store } = await openFileStore(settings, root)
  const location = `s3://${s3.bucket}/${s3.prefix}`
  return {
    location,
    open: (key) => openObject(store, key),
    requireEmpty: () => requireEmpty(store, location),
    fill: (folder, manifest) => fill(store, location, folder, keysOf(manifest)),
    keepOnly: (keys, manifest) => store.remove(keysOf(manifest).filter((key) => !keys.has(key))),
    close: () => store.close(),
  }
}

function keysOf({ files }: BackupManifest): string[] {
  const start = `${objectsFolder}/`
  return files.filter(({ name }) => name.startsWith(start)).map(({ name }) => name.slice(start.length))
}

async function openObject(store: FileStore, key: string): Promise<Readable | undefined> {
  try {
    return await store.get(key)
  } catch (error) {
    if (error instanceof Failure && error.code === 'file-missing') return undefined
    throw error
  }
}

async function requireEmpty(store: FileStore, location: string): Promise<void> {
  await store.check()
  for await (const { key } of store.list(''))
    throw new Error(
      `The bucket ${location} (TERRANE_FILES) is not empty (${key}): restore into another bucket or prefix`,
    )
}

async function fill(store: FileStore, location: string, folder: string, keys: string[]): Promise<void> {
  const written: string[] = []
  try {
    for (const key of keys) {
      written.push(key)
      await store.put(key, readLocal(join(folder, objectsFolder, key)))
    }
  } catch (error) {
    await store.remove(written).catch(() => undefined)
    throw new Error(`Files cannot be written to ${location} (TERRANE_FILES): ${explain(error)}`, {
      cause: error,
    })
  }
}
