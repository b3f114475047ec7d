import { existsSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { defined } from '../lib/defined.ts'
import { Secret } from '../lib/secrets/secret.ts'
import { databaseFile } from './database-file.ts'
import type { MonitoringSettings } from './monitoring-settings.ts'
import { readMonitoring } from './monitoring-settings.ts'
import { readNetworks } from './networks.ts'
import type { Reader } from './parse.ts'
import { environmentReader } from './parse.ts'
import { minPasswordLength, shortPassword } from './passwords.ts'
import type { ConnectionLimits, DocumentLimits } from './request-limits.ts'
import { readConnectionLimits, readDocumentLimits } from './request-limits.ts'
import type { ServiceSettings } from './service-settings.ts'
import { readService } from './service-settings.ts'
import { unknownNames } from './unknown-names.ts'

const dialects = ['contract', 'geoserver'] as const
export type Dialect = (typeof dialects)[number]

const logLevels = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
type LogLevel = (typeof logLevels)[number]

export interface ServerSettings {
  host: string
  /** 0 for any free port. */
  port: number
  /** Empty, or such as `/geoserver`: with a leading and without a trailing slash. */
  basePath: string
  /** Public URL of the base path, without a trailing slash; absent: the host of the request is used. */
  publicUrl?: string
  /** Addresses and networks whose `X-Forwarded-*` headers are trusted. */
  trustedProxies: string[]
  /** Origins of other sites that may send requests. */
  corsOrigins: string[]
  /** How long a shared cache may store public responses. */
  sharedMaxAgeSeconds: number
  /** Time within which the response of a read request must begin. */
  requestSeconds: number
  dialect: Dialect
  /** True if WMS accepts styles in requests. */
  takesSldBody: boolean
}

/** The bundled world map, an external style, or only water. */
export type Basemap = { kind: 'own' | 'off' } | { kind: 'other'; url: string; origin: string }

export interface DataSettings {
  /** Absolute path of the data directory. */
  directory: string
  /** Absolute paths of the folders whose files imports may use. */
  importRoots: string[]
  /** True to import the bundled sample data at the first start. */
  sample: boolean
}

interface LimitSettings {
  maxUploadBytes: number
  /** Size of resumable uploads, until they are imported. */
  maxResumableBytes: number
  maxExpandedBytes: number
  maxArchiveEntries: number
  /** Expanded size divided by packed size. */
  maxArchiveRatio: number
  maxTasks: number
  /** Maximum duration of a GDAL program on a raster. */
  toolSeconds: number
  /** Maximum disk space of the transformations of a raster, in bytes. */
  maxRasterBytes: number
  /** Maximum total size of cached tiles on disk; 0: no caching. */
  maxTileBytes: number
  /** Maximum size of Web Mercator copies of layers that only GDAL can reproject, in bytes. */
  maxTileCopyBytes: number
  /** Maximum total size of exported files, in bytes. */
  maxExportBytes: number
  /** Maximum total size of files with the rows of layers. */
  maxDownloadBytes: number
  /** Maximum size of preview rows on disk. */
  maxPreviewBytes: number
  /** Maximum number of concurrent loads; the rest are queued. */
  concurrentLoads: number
  /** Work that neither progresses nor reacts to its signal for this long is terminated. */
  silenceSeconds: number
  /** Maximum wait of a load for an unreachable database. */
  databaseWaitSeconds: number
}

interface RetentionSettings {
  /** Uploads of unfinished imports are retained for this long after the last change. */
  uploadDays: number
  /** Retention of records of finished imports. */
  importDays: number
  /** Retention of earlier versions of layers; 0: nothing is retained. */
  versionDays: number
  /** Maximum size of the versions of the layers of one store. */
  versionBytes: number
  /** Retention of staged rows and results of dry runs. */
  rehearsalHours: number
  /** Maximum total size of staged dry runs. */
  rehearsalBytes: number
}

export interface RemoteSettings {
  /** Private networks from which remote data may be fetched. */
  allow: string[]
  /** For all data of one fetch. */
  totalSeconds: number
  /** Maximum time without received data. */
  stallSeconds: number
  /** Maximum number of attempts at one position of a file. */
  tries: number
  /** Path of a PEM file with certificate authorities in addition to those of the system. */
  authoritiesFile?: string
  /** Absent: Amazon's endpoint. */
  s3Endpoint?: string
  s3Region: string
  /** True to refuse SFTP servers with an unknown key. */
  onlyKnownHosts: boolean
}

export interface Settings {
  server: ServerSettings
  data: DataSettings
  /** PostgreSQL for the catalogue; absent: SQLite in the data directory. */
  databaseUrl?: Secret
  /** Password of the user `admin` that the first start creates. */
  adminPassword?: Secret
  logLevel: LogLevel
  limits: LimitSettings
  /** Limits on the requests of one connection and of one client address. */
  connections: ConnectionLimits
  /** Limits on XML bodies and filters of requests. */
  documents: DocumentLimits
  retention: RetentionSettings
  remote: RemoteSettings
  monitoring: MonitoringSettings
  /** Metadata of the map services. */
  service: ServiceSettings
  /** The background map of the pages. */
  basemap: Basemap
  /** Warnings that do not prevent the start. */
  notices: string[]
}

/** The error for invalid values in the environment; `problems` has one message for each. */
export class SettingsError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(`Settings are wrong:\n${problems.map((one) => `  ${one}`).join('\n')}`)
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/**
 * Reads settings from environment variables, grouped by part. Reads everything before it throws a
 * `SettingsError` that lists every problem.
 */
export function loadSettings(env: Record<string, string | undefined>): Settings {
  const { settings, problems } = readSettings(env)
  if (problems.length > 0) throw new SettingsError(problems)
  return settings
}

/** The same with defaults for invalid values, and a message for each. */
export function readSettings(env: Record<string, string | undefined>): {
  settings: Settings
  problems: string[]
} {
  const problems: string[] = []
  const read = environmentReader(env, problems)
  const databaseUrl = readDatabaseUrl(read)
  const adminPassword = read.text('TERRANE_ADMIN_PASSWORD')
  const settings: Settings = {
    server: readServer(read),
    data: readData(read),
    ...(databaseUrl === undefined ? {} : { databaseUrl: new Secret(databaseUrl) }),
    ...(adminPassword === undefined ? {} : { adminPassword: new Secret(adminPassword) }),
    logLevel: read.choice('TERRANE_LOG', logLevels, 'info'),
    limits: readLimits(read),
    connections: readConnectionLimits(read),
    documents: readDocumentLimits(read),
    retention: readRetention(read),
    remote: readRemote(read),
    monitoring: readMonitoring(read),
    service: readService(read),
    basemap: readBasemap(read),
    notices: [],
  }
  checkFirstPassword(read, settings)
  for (const { name, nearest } of unknownNames(env, read.names())) {
    if (nearest === undefined) settings.notices.push(`${name} is no setting: it does nothing`)
    else read.problem(name, `is no setting: did you mean ${nearest}?`)
  }
  return { settings, problems }
}

/** Requires a valid initial password if the first start is still to come. */
function checkFirstPassword(read: Reader, { adminPassword, databaseUrl, data }: Settings): void {
  if (adminPassword === undefined || adminPassword.reveal().length >= minPasswordLength) return
  // For a database server only the start itself can find out whether it has users.
  if (databaseUrl !== undefined || existsSync(join(data.directory, databaseFile))) return
  read.problem('TERRANE_ADMIN_PASSWORD', shortPassword)
}

function readServer(read: Reader): ServerSettings {
  const publicUrl = readPublicUrl(read)
  return {
    host: read.text('TERRANE_HOST') ?? '127.0.0.1',
    port: read.integer('TERRANE_PORT', { fallback: 8080, min: 0, max: 65535 }),
    basePath: readBasePath(read),
    ...defined({ publicUrl }),
    trustedProxies: readProxies(read),
    corsOrigins: readOrigins(read),
    sharedMaxAgeSeconds: read.integer('TERRANE_SHARED_MAX_AGE', { fallback: 60, min: 0, max: 31_536_000 }),
    requestSeconds: read.integer('TERRANE_REQUEST_SECONDS', { fallback: 120, min: 1, max: 3600 }),
    dialect: read.choice('TERRANE_DIALECT', dialects, 'contract'),
    takesSldBody: read.flag('TERRANE_SLD_BODY', false),
  }
}

function readData(read: Reader): DataSettings {
  const directory = resolve(read.text('TERRANE_DATA') ?? 'data')
  const roots = (read.text('TERRANE_IMPORT_ROOTS') ?? '').split(delimiter).filter((one) => one.trim() !== '')
  return {
    directory,
    importRoots:
      roots.length === 0 ? [join(directory, 'incoming')] : roots.map((one) => readRoot(read, one.trim())),
    sample: read.flag('TERRANE_SAMPLE', true),
  }
}

function readRoot(read: Reader, text: string): string {
  const root = resolve(text)
  const reason = whyNoFolder(root)
  if (reason !== undefined) read.problem('TERRANE_IMPORT_ROOTS', `names "${text}", which ${reason}`)
  return root
}

function whyNoFolder(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return 'does not exist'
    return found.isDirectory() ? undefined : 'is no folder'
  } catch {
    return 'this user may not enter'
  }
}

function readLimits(read: Reader): LimitSettings {
  const count = { min: 1, max: 1e9 }
  return {
    maxUploadBytes: read.bytes('TERRANE_MAX_UPLOAD', 10 * 2 ** 30),
    maxResumableBytes: read.bytes('TERRANE_MAX_RESUMABLE', 50 * 2 ** 30),
    maxExpandedBytes: read.bytes('TERRANE_MAX_EXPANDED', 50 * 2 ** 30),
    maxArchiveEntries: read.integer('TERRANE_MAX_ARCHIVE_ENTRIES', { fallback: 100_000, ...count }),
    maxArchiveRatio: read.integer('TERRANE_MAX_ARCHIVE_RATIO', { fallback: 200, ...count }),
    maxTasks: read.integer('TERRANE_MAX_TASKS', { fallback: 10_000, ...count }),
    toolSeconds: read.integer('TERRANE_MAX_TOOL_SECONDS', { fallback: 6 * 3600, ...count }),
    maxRasterBytes: read.bytes('TERRANE_MAX_RASTER', 50 * 2 ** 30),
    maxTileCopyBytes: read.bytes('TERRANE_MAX_TILE_COPIES', 20 * 2 ** 30, { min: 0 }),
    maxExportBytes: read.bytes('TERRANE_MAX_EXPORTS', 20 * 2 ** 30),
    maxDownloadBytes: read.bytes('TERRANE_MAX_DOWNLOADS', 20 * 2 ** 30),
    maxPreviewBytes: read.bytes('TERRANE_MAX_PREVIEWS', 5 * 2 ** 30),
    maxTileBytes: read.bytes('TERRANE_MAX_TILES', 5 * 2 ** 30, { min: 0 }),
    silenceSeconds: read.integer('TERRANE_MAX_SILENCE', { fallback: 600, min: 1, max: 86_400 }),
    databaseWaitSeconds: read.integer('TERRANE_DATABASE_WAIT', { fallback: 300, min: 0, max: 86_400 }),
    concurrentLoads: read.integer('TERRANE_LOADS', { fallback: 2 * availableParallelism(), ...count }),
  }
}

function readRetention(read: Reader): RetentionSettings {
  const days = { min: 1, max: 36500 }
  return {
    uploadDays: read.integer('TERRANE_KEEP_UPLOADS', { fallback: 7, ...days }),
    importDays: read.integer('TERRANE_KEEP_IMPORTS', { fallback: 90, ...days }),
    rehearsalHours: read.integer('TERRANE_KEEP_REHEARSALS', { fallback: 24, min: 1, max: 8760 }),
    rehearsalBytes: read.bytes('TERRANE_MAX_REHEARSALS', 10 * 2 ** 30),
    versionDays: read.integer('TERRANE_KEEP_VERSIONS', { fallback: 30, min: 0, max: 36500 }),
    versionBytes: read.bytes('TERRANE_MAX_VERSIONS', 10 * 2 ** 30),
  }
}

function readBasePath(read: Reader): string {
  const value = read.text('TERRANE_BASE_PATH')?.replace(/\/+$/, '') ?? ''
  if (value === '' || /^(\/[\w.~-]+)+$/.test(value)) return value
  read.problem('TERRANE_BASE_PATH', `must be a path such as /geoserver, found "${value}"`)
  return ''
}

function readPublicUrl(read: Reader): string | undefined {
  const value = read.text('TERRANE_PUBLIC_URL')
  if (value === undefined) return undefined
  const url = webUrl(value)
  if (url !== undefined && url.search === '' && url.hash === '') return url.href.replace(/\/+$/, '')
  read.problem('TERRANE_PUBLIC_URL', `must be an http or https address without a query, found "${value}"`)
  return undefined
}

function readRemote(read: Reader): RemoteSettings {
  const seconds = { min: 1, max: 20 * 86_400 }
  const authoritiesFile = read.text('TERRANE_REMOTE_CA')
  const s3Endpoint = readEndpoint(read)
  return {
    allow: readNetworks(read, 'TERRANE_REMOTE_ALLOW'),
    totalSeconds: read.integer('TERRANE_REMOTE_TIMEOUT', { fallback: 6 * 3600, ...seconds }),
    stallSeconds: read.integer('TERRANE_REMOTE_STALL', { fallback: 60, ...seconds }),
    tries: read.integer('TERRANE_REMOTE_TRIES', { fallback: 5, min: 1, max: 100 }),
    ...(authoritiesFile === undefined ? {} : { authoritiesFile: resolve(authoritiesFile) }),
    ...defined({ s3Endpoint }),
    s3Region: read.text('TERRANE_S3_REGION') ?? 'us-east-1',
    onlyKnownHosts: read.flag('TERRANE_SFTP_STRICT', false),
  }
}

function readEndpoint(read: Reader): string | undefined {
  const value = read.text('TERRANE_S3_ENDPOINT')
  if (value === undefined) return undefined
  const url = webUrl(value)
  if (url !== undefined && url.search === '' && url.hash === '') return url.href
  read.problem('TERRANE_S3_ENDPOINT', 'must be an http or https address without credentials and query')
  return undefined
}

function readProxies(read: Reader): string[] {
  return readNetworks(read, 'TERRANE_TRUSTED_PROXIES', ['loopback', 'linklocal', 'uniquelocal'])
}

function readOrigins(read: Reader): string[] {
  return read.list('TERRANE_CORS_ORIGINS').flatMap((one) => {
    const url = webUrl(one)
    if (url !== undefined && url.pathname === '/' && url.search === '' && !one.includes('*'))
      return [url.origin]
    read.problem('TERRANE_CORS_ORIGINS', `must list origins such as https://maps.example.org, found "${one}"`)
    return []
  })
}

function readBasemap(read: Reader): Basemap {
  const text = read.text('TERRANE_BASEMAP')
  if (text === undefined) return { kind: 'own' }
  if (text === 'off') return { kind: 'off' }
  const url = webUrl(text)
  if (url !== undefined && url.username === '') return { kind: 'other', url: url.href, origin: url.origin }
  read.problem('TERRANE_BASEMAP', `must be the address of a MapLibre style, or "off", found "${text}"`)
  return { kind: 'own' }
}

function readDatabaseUrl(read: Reader): string | undefined {
  const value = read.text('TERRANE_DATABASE_URL')
  if (value === undefined) return undefined
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return value
  read.problem('TERRANE_DATABASE_URL', 'must be an address such as postgres://user:password@host:5432/name')
  return undefined
}

function webUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' ? url : undefined
}
