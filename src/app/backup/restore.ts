import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { FileSettings } from '../../core/config/file-settings.ts'
import { parseSecretKey } from '../../core/config/secret-key.ts'
import type { DataSettings } from '../../core/config/settings.ts'
import { databaseFile } from '../../core/config/settings.ts'
import { schemaVersion } from '../../core/db/migrate.ts'
import type { Secret } from '../../core/secrets/secret.ts'
import { unpackBackup } from './backup-reader.ts'
import { writeDurably } from './backup-writer.ts'
import { type Bucket, openBucket } from './bucket.ts'
import type { BackupManifest } from './manifest.ts'
import { catalogueNames, dataFolder, keyName, monitoringName } from './manifest.ts'
import { movePathsInPostgres, movePathsInSqlite } from './move-paths.ts'
import { connectTo, runPostgres } from './postgres-snapshot.ts'
import { openKey } from './seal-key.ts'

/** A backup to restore into an empty data directory, and an empty database and bucket if the backed up server had them. */
export interface RestoreRequest {
  source: string
  data: DataSettings
  files: FileSettings
  databaseUrl: Secret | undefined
  passphrase: Secret | undefined
  /** True: verifies the checksums and restores nothing. */
  isCheck: boolean
  onFile?(name: string): void
}

/** Result of a restore, or of its check. */
export interface RestoreResult {
  manifest: BackupManifest
  /** Source of the key: the backup, or the setting; `missing` if the operator still has to bring it. */
  key: 'restored' | 'setting' | 'missing'
}

/** Restores a backup. Leaves the target empty if it fails. Throws an `Error` that says what to do. */
export async function restoreBackup(request: RestoreRequest): Promise<RestoreResult> {
  const source = resolve(request.source)
  if (!existsSync(source)) throw new Error(`${source} does not exist`)
  const root = request.data.directory
  if (!request.isCheck) requireEmptyFolder(root)
  const existed = existsSync(root)
  mkdirSync(root, { recursive: true, mode: 0o750 })
  const folder = await mkdtemp(join(root, '.restoring-'))
  try {
    const manifest = await unpackBackup(source, folder, request.onFile)
    requireReadable(manifest, request)
    const key = readKey(folder, manifest, request)
    if (request.isCheck) return { manifest, key: key.origin }
    await restoreWithBucket(folder, manifest, request)
    moveIntoPlace(folder, root, manifest)
    if (key.text !== undefined) await writeDurably(join(root, 'secret.key'), `${key.text}\n`, 0o600)
    return { manifest, key: key.origin }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    if (!existed && readdirSync(root).length === 0) rmSync(root, { recursive: true })
  }
}

function requireEmptyFolder(root: string): void {
  const found = existsSync(root) ? readdirSync(root)[0] : undefined
  if (found === undefined) return
  throw new Error(
    `The data directory ${root} (TERRANE_DATA) is not empty (${found}): restore into a new one, or move it away first`,
  )
}

function requireReadable(
  { catalogue, fileStore, schemaVersion: found, terrane }: BackupManifest,
  { databaseUrl, files }: RestoreRequest,
): void {
  if (found > schemaVersion)
    throw new Error(`The backup was made by Terrane ${terrane}, which is newer: restore it with that version`)
  if (catalogue === 'postgres' && databaseUrl === undefined)
    throw new Error('The backup has a PostgreSQL catalogue: set TERRANE_DATABASE_URL to an empty database')
  if (catalogue === 'sqlite' && databaseUrl !== undefined)
    throw new Error('The backup has an SQLite catalogue: unset TERRANE_DATABASE_URL')
  if (fileStore === 's3' && files.s3 === undefined)
    throw new Error('The backup has the files of a bucket: set TERRANE_FILES to an empty bucket or prefix')
  if (fileStore !== 's3' && files.s3 !== undefined)
    throw new Error('The backup has its files in the data directory: unset TERRANE_FILES')
}

/** Decrypts the key before anything is changed, so that a wrong passphrase leaves the target empty. */
function readKey(
  folder: string,
  { hasKey }: BackupManifest,
  { data, passphrase }: RestoreRequest,
): { origin: RestoreResult['key']; text?: string } {
  const own = data.secretKey?.reveal()
  if (!hasKey) return { origin: own === undefined ? 'missing' : 'setting' }
  if (passphrase === undefined) {
    if (own !== undefined) return { origin: 'setting' }
    throw new Error(
      'The backup has an encrypted key: set TERRANE_BACKUP_PASSPHRASE, or TERRANE_SECRET_KEY to the key itself',
    )
  }
  const text = openKey(readFileSync(join(folder, keyName), 'utf8'), passphrase.reveal())
  if (own === undefined) return { origin: 'restored', text }
  const isSame = Buffer.from(parseSecretKey(own) ?? []).toString('hex') === text
  if (isSame) return { origin: 'setting' }
  throw new Error('TERRANE_SECRET_KEY is not the key of the backup: unset it, or set it to that key')
}

/** Restores the files of the bucket, then the catalogue that names them. */
async function restoreWithBucket(
  folder: string,
  manifest: BackupManifest,
  request: RestoreRequest,
): Promise<void> {
  const bucket = await openBucket(request.files, request.data.directory)
  try {
    await bucket?.requireEmpty()
    await bucket?.fill(folder, manifest)
    try {
      await restoreCatalogue(folder, manifest, request)
    } catch (error) {
      await bucket?.keepOnly(new Set(), manifest).catch(() => undefined)
      throw error
    }
    if (bucket !== undefined && request.databaseUrl !== undefined)
      await keepNamed(bucket, manifest, request.databaseUrl)
  } finally {
    bucket?.close()
  }
}

/** Removes files that were removed while the backup was made. */
async function keepNamed(bucket: Bucket, manifest: BackupManifest, url: Secret): Promise<void> {
  const client = connectTo(url)
  try {
    await client.connect()
    const { rows } = await client.query<{ key: string }>("select key from files where state = 'ready'")
    await bucket.keepOnly(new Set(rows.map(({ key }) => key)), manifest)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function restoreCatalogue(
  folder: string,
  manifest: BackupManifest,
  { data, databaseUrl }: RestoreRequest,
): Promise<void> {
  const move = { from: manifest.root, to: data.directory }
  for (const path of databasesOfLayers(join(folder, dataFolder, 'stores')))
    movePathsInSqlite(path, move, (table) => table.endsWith('_granules'))
  const catalogue = join(folder, catalogueNames[manifest.catalogue])
  if (databaseUrl !== undefined) {
    await restorePostgres(catalogue, databaseUrl, move)
    return
  }
  movePathsInSqlite(catalogue, move, () => true)
  const database = new DatabaseSync(catalogue)
  database.exec("delete from settings where name = 'files-id'; pragma wal_checkpoint(truncate)")
  database.close()
}

function databasesOfLayers(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.gpkg') && statSync(path).isFile())
}

const contentSql = `select nspname || '.' || relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p') and nspname not like 'pg\\_%' and nspname not in ('information_schema', 'topology', 'tiger', 'tiger_data')
    and relname <> 'spatial_ref_sys' limit 1`

async function restorePostgres(dump: string, url: Secret, move: { from: string; to: string }): Promise<void> {
  const client = connectTo(url)
  try {
    await client.connect()
    const [table] = (await client.query<{ name: string }>(contentSql)).rows
    if (table !== undefined)
      throw new Error(
        `The database of TERRANE_DATABASE_URL is not empty (${table.name}): create a new one with createdb`,
      )
    await runPostgres('pg_restore', url, [
      '--no-owner',
      '--no-privileges',
      '--no-comments',
      '--exit-on-error',
      '--single-transaction',
      dump,
    ])
    await client.query('begin')
    await movePathsInPostgres(client, move)
    // The servers of the backup are not those of this installation, which gets an id of its own.
    await client.query("delete from nodes; delete from settings where name = 'files-id'")
    await client.query('commit')
  } finally {
    await client.end().catch(() => undefined)
  }
}

function moveIntoPlace(folder: string, root: string, { catalogue }: BackupManifest): void {
  const files = join(folder, dataFolder)
  if (existsSync(files))
    for (const name of readdirSync(files)) renameSync(join(files, name), join(root, name))
  const monitoring = join(folder, monitoringName)
  if (existsSync(monitoring)) renameSync(monitoring, join(root, 'monitoring.sqlite'))
  // The catalogue comes last: without it a server would start anew, and not with half of the files.
  if (catalogue === 'sqlite') renameSync(join(folder, catalogueNames.sqlite), join(root, databaseFile))
}
