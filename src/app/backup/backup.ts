import { createReadStream, existsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import type { DataDirectory } from '../../core/config/data-directory.ts'
import { prepareDataDirectory } from '../../core/config/data-directory.ts'
import type { FileSettings } from '../../core/config/file-settings.ts'
import type { DataSettings } from '../../core/config/settings.ts'
import { version } from '../../core/config/version.ts'
import { schemaVersion } from '../../core/db/migrate.ts'
import type { Secret } from '../../core/secrets/secret.ts'
import type { BackupWriter } from './backup-writer.ts'
import { openBackupWriter } from './backup-writer.ts'
import { type Bucket, type BucketFile, openBucket } from './bucket.ts'
import { type ListedFile, type ListedFiles, listFiles } from './list-files.ts'
import type { BackupEntry, BackupManifest } from './manifest.ts'
import {
  catalogueNames,
  dataFolder,
  keyName,
  manifestName,
  monitoringName,
  objectsFolder,
} from './manifest.ts'
import { openPostgresSnapshot } from './postgres-snapshot.ts'
import { sealKey } from './seal-key.ts'
import type { SqliteSnapshot } from './sqlite-snapshot.ts'
import { openSnapshot, watchChanges } from './sqlite-snapshot.ts'

/** A backup to make. */
export interface BackupRequest {
  /** Folder, or file whose name ends in `.tar`, `.tar.gz` or `.tgz`. Must not exist. */
  target: string
  data: DataSettings
  files: FileSettings
  databaseUrl: Secret | undefined
  /** Encrypts the key of the catalogue; absent: the backup has no key. */
  passphrase: Secret | undefined
  onProgress?(progress: BackupProgress): void
}

/** Files and bytes that were copied so far. */
interface BackupProgress {
  files: number
  bytes: number
}

/** Content of a backup that is complete. */
export interface BackupResult {
  files: number
  bytes: number
  hasKey: boolean
}

/** Moments that are tried until no process changes the catalogue while the databases of layers are opened. */
const maxMoments = 200
/**
 * So many moments wait for a database without any transaction; then it is enough that no database of a layer is a file,
 * and that the files which the catalogue names are there.
 */
const maxQuietMoments = 50
/** Times that the files are listed again because one was removed before it was copied. */
const maxLists = 20

/**
 * Backs up the catalogue, the files and the time series of one moment, while servers go on working. Removes what it
 * has written if it fails. Throws an `Error` that says what to do.
 */
export async function makeBackup(request: BackupRequest): Promise<BackupResult> {
  const target = resolve(request.target)
  if (existsSync(target)) throw new Error(`${target} exists already: name a new folder or file`)
  const directory = prepareDataDirectory(request.data)
  const bucket = await openBucket(request.files, directory.root)
  const writer = await openBackupWriter(target)
  try {
    const result = await writeBackup(request, directory, { writer, bucket })
    await writer.finish()
    return result
  } catch (error) {
    await writer.discard().catch(() => undefined)
    throw error
  } finally {
    bucket?.close()
  }
}

async function writeBackup(
  { databaseUrl, passphrase, onProgress }: BackupRequest,
  directory: DataDirectory,
  { writer, bucket }: { writer: BackupWriter; bucket: Bucket | undefined },
): Promise<BackupResult> {
  const entries = new Map<string, BackupEntry>()
  let bytes = 0
  const add: AddFile = async (name, stream, sizeBytes) => {
    const entry = await writer.add(name, stream, sizeBytes)
    if (entry.sizeBytes !== sizeBytes) throw new Error(`${name} became shorter while it was copied`)
    entries.set(name, entry)
    bytes += entry.sizeBytes
    onProgress?.({ files: entries.size, bytes })
  }
  const createdAt = new Date().toISOString()
  for (let list = 1; ; list += 1) {
    const moment = await openMoment(directory, databaseUrl)
    try {
      const lost = await copyMoment(moment, { add, entries, writer, bucket })
      if (lost === undefined) break
      if (list === maxLists)
        throw new Error(`${lost} was removed while the backup was made, ${maxLists} times: try again later`)
    } finally {
      await moment.close()
    }
  }
  await copyMonitoring(directory, databaseUrl, add, writer)
  if (passphrase !== undefined) await addText(add, keyName, sealKey(directory.key, passphrase.reveal()))
  const manifest: BackupManifest = {
    format: 1,
    terrane: version,
    schemaVersion,
    createdAt,
    catalogue: databaseUrl === undefined ? 'sqlite' : 'postgres',
    root: directory.root,
    hasKey: passphrase !== undefined,
    fileStore: bucket === undefined ? 'folder' : 's3',
    files: [...entries.values()],
  }
  const files = entries.size
  await addText(add, manifestName, `${JSON.stringify(manifest, null, 2)}\n`)
  return { files, bytes, hasKey: manifest.hasKey }
}

type AddFile = (name: string, stream: Readable, sizeBytes: number) => Promise<void>

async function addText(add: AddFile, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  await add(name, Readable.from([bytes], { objectMode: false }), bytes.length)
}

/** The state of the catalogue and of all databases of layers at one moment. */
interface Moment {
  catalogueName: string
  copyCatalogue(path: string): Promise<number>
  /** Returns the files of the bucket that the catalogue names. */
  readFiles(): Promise<BucketFile[]>
  databases: { file: ListedFile; snapshot: SqliteSnapshot }[]
  files: ListedFiles
  close(): Promise<void>
}

/**
 * Opens the catalogue first and the databases of layers after it, until nobody has changed the catalogue in between.
 * Each database then fits the catalogue: a load whose commit is not in the catalogue yet is one that a kill could have
 * left behind, and the next start finishes it.
 */
async function openMoment(directory: DataDirectory, databaseUrl: Secret | undefined): Promise<Moment> {
  for (let tries = 1; ; tries += 1) {
    const catalogue = await openCatalogue(directory, databaseUrl)
    const closers: (() => void | Promise<void>)[] = [() => catalogue.close()]
    const close = async (): Promise<void> => {
      for (const one of closers) await one()
    }
    try {
      const files = await listFiles(directory.root)
      closers.push(() => files.close())
      const databases = files.databases.map((file) => {
        const snapshot = openSnapshot(file.path)
        closers.push(() => snapshot.close())
        return { file, snapshot }
      })
      if (await catalogue.isUnchanged(tries, files)) return { ...catalogue, databases, files, close }
      await close()
    } catch (error) {
      await close()
      // A file that was removed between list and opening belongs to a change of the catalogue.
      if (tries === maxMoments) throw error
    }
    if (tries === maxMoments)
      throw new Error('The catalogue changes too often for a backup: try again when fewer imports run')
  }
}

async function openCatalogue(directory: DataDirectory, databaseUrl: Secret | undefined) {
  if (databaseUrl !== undefined) {
    const snapshot = await openPostgresSnapshot(databaseUrl)
    const isUnchanged = async (tries: number, files: ListedFiles): Promise<boolean> => {
      if (await snapshot.isUnchanged()) return true
      if (tries < maxQuietMoments || files.databases.length > 0) return false
      return hasFilesOfLayers(await snapshot.readStorePaths(), directory, files)
    }
    return {
      ...snapshot,
      isUnchanged,
      catalogueName: catalogueNames.postgres,
      copyCatalogue: snapshot.dumpTo,
    }
  }
  const path = directory.databasePath
  if (!existsSync(path))
    throw new Error(`${path} does not exist: TERRANE_DATA names no data directory of a server`)
  const changes = watchChanges(path)
  const first = changes.count()
  const snapshot = openSnapshot(path)
  return {
    catalogueName: catalogueNames.sqlite,
    copyCatalogue: snapshot.copyTo,
    readFiles: async () => [],
    // A change between both openings counts too.
    isUnchanged: async () => changes.count() === first,
    close: () => {
      snapshot.close()
      changes.close()
    },
  }
}

function hasFilesOfLayers(paths: string[], { root }: DataDirectory, { plain }: ListedFiles): boolean {
  const listed = new Set(plain.map(({ path }) => path))
  const own = paths.filter((path) => path.startsWith(`${root}/stores/`) && existsSync(path))
  return own.every((path) => listed.has(path) || statSync(path).isDirectory())
}

interface Copying {
  add: AddFile
  /** Files that were copied at an earlier moment. */
  entries: ReadonlyMap<string, BackupEntry>
  writer: Pick<BackupWriter, 'scratch'>
  bucket: Bucket | undefined
}

/** Copies everything of a moment. Returns the name of a file that was removed before it was copied. */
async function copyMoment(
  { databases, files, catalogueName, copyCatalogue, readFiles }: Moment,
  { add, entries, writer, bucket }: Copying,
): Promise<string | undefined> {
  const removed = await copyBucket(await readFiles(), { add, entries, bucket })
  if (removed !== undefined) return removed
  for (const { name, path, sizeBytes, handle } of files.plain) {
    const entry = `${dataFolder}/${name}`
    // Files of layers do not change under their name; those of imports grow.
    if (entries.get(entry)?.sizeBytes === sizeBytes) continue
    const opened = handle ?? (await open(path).catch(undefinedIfGone))
    if (opened === undefined) return name
    try {
      const range = { start: 0, end: sizeBytes - 1, autoClose: false }
      const bytes = sizeBytes === 0 ? Readable.from([]) : opened.createReadStream(range)
      await add(entry, bytes, sizeBytes)
    } finally {
      if (handle === undefined) await opened.close()
    }
  }
  let number = 0
  const copy = async (name: string, write: (path: string) => Promise<number>): Promise<void> => {
    const path = join(writer.scratch, String(number++))
    const sizeBytes = await write(path)
    await add(name, createReadStream(path), sizeBytes)
  }
  for (const { file, snapshot } of databases) await copy(`${dataFolder}/${file.name}`, snapshot.copyTo)
  await copy(catalogueName, copyCatalogue)
  return undefined
}

/** Copies the files of the bucket. Returns the name of one that was removed before it was copied. */
async function copyBucket(
  files: readonly BucketFile[],
  { add, entries, bucket }: Omit<Copying, 'writer'>,
): Promise<string | undefined> {
  if (files.length > 0 && bucket === undefined)
    throw new Error(
      `${files.length} files of the catalogue are in a bucket: set TERRANE_FILES and its other settings as the servers have them`,
    )
  for (const { key, sizeBytes } of files) {
    const name = `${objectsFolder}/${key}`
    if (entries.has(name)) continue
    const bytes = await bucket?.open(key)
    if (bytes === undefined) return `${name} of ${bucket?.location}`
    await add(name, bytes, sizeBytes)
  }
}

function undefinedIfGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

/** Time series and the request log, of a moment of their own: nothing refers to them. */
async function copyMonitoring(
  { root }: DataDirectory,
  databaseUrl: Secret | undefined,
  add: AddFile,
  { scratch }: Pick<BackupWriter, 'scratch'>,
): Promise<void> {
  const path = join(root, 'monitoring.sqlite')
  if (databaseUrl !== undefined || !existsSync(path)) return
  const snapshot = openSnapshot(path)
  try {
    const copy = join(scratch, 'monitoring')
    const sizeBytes = await snapshot.copyTo(copy)
    await add(monitoringName, createReadStream(copy), sizeBytes)
  } finally {
    snapshot.close()
  }
}
