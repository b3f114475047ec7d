import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { whyNoFolder } from '../files/why-no-folder.ts'
import type { Secret } from '../secrets/secret.ts'
import type { AccessSettings } from './access-settings.ts'
import { readAccess } from './access-settings.ts'
import { type FileSettings, readFiles } from './file-settings.ts'
import type { MonitoringSettings } from './monitoring-settings.ts'
import { readMonitoring } from './monitoring-settings.ts'
import type { NodeRole } from './node-role.ts'
import { readRoles } from './node-roles.ts'
import type { Reader, SettingDescription } from './parse.ts'
import { environmentReader, parseWebUrl, readNetworks, secretFileSuffix } from './parse.ts'
import type { RemoteSettings } from './remote-settings.ts'
import { readRemote } from './remote-settings.ts'
import type { ConnectionLimits, DocumentLimits } from './request-limits.ts'
import { readConnectionLimits, readDocumentLimits } from './request-limits.ts'
import { readSecretKeySetting } from './secret-key.ts'
import type { ServiceSettings } from './service-settings.ts'
import { readService } from './service-settings.ts'
import {
  describeSettingsFile,
  mergeSettings,
  nameKeys,
  readSettingsFile,
  secretNotices,
  unknownKeys,
} from './settings-file.ts'
import type { TelemetrySettings } from './telemetry-settings.ts'
import { readTelemetry } from './telemetry-settings.ts'
import { unknownSettings } from './unknown-settings.ts'

/** Minimum length of a password, in characters. */
export const minPasswordLength = 8
/** Error text about a shorter password, after its name. */
export const shortPassword = `must have at least ${minPasswordLength} characters`

/** File name of the embedded catalogue database in the data directory. */
export const databaseFile = 'terrane.sqlite'

const dialects = ['contract', 'geoserver'] as const
export type Dialect = (typeof dialects)[number]

const logLevels = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
type LogLevel = (typeof logLevels)[number]

export interface ServerSettings {
  host: string
  /** Port; 0 for any free port. */
  port: number
  /** Empty, or a path with a leading and without a trailing slash, such as `/geoserver`. */
  basePath: string
  /** Public URL of the base path, without a trailing slash; absent: the host in the request. */
  publicUrl?: string
  /** Addresses and networks whose `X-Forwarded-*` headers count. */
  trustedProxies: string[]
  /** Origins of other sites whose pages may send requests. */
  corsOrigins: string[]
  /** Time for which shared caches may store public responses. */
  sharedMaxAgeSeconds: number
  /** Time limit for the start of the response to a read request. */
  requestSeconds: number
  /** Time between the stop signal and closing the port; meanwhile `/health/ready` responds with 503. */
  drainSeconds: number
  dialect: Dialect
  /** True if WMS draws with styles in requests (`SLD_BODY`). */
  takesSldBody: boolean
}

/** Base map: the bundled one, an external style, or none. */
export type Basemap = { kind: 'own' | 'off' } | { kind: 'other'; url: string; origin: string }

export interface DataSettings {
  /** Absolute path of the data directory. */
  directory: string
  /** Absolute paths of the folders whose files imports may use. */
  importRoots: string[]
  /** True to import the bundled sample data on the first start. */
  sample: boolean
  /** Key that encrypts stored passwords, as hexadecimal digits; absent: the file `secret.key` in the data directory. */
  secretKey?: Secret
}

interface LimitSettings {
  maxUploadBytes: number
  /** Maximum total size of resumable uploads until their import. */
  maxResumableBytes: number
  maxExpandedBytes: number
  maxArchiveEntries: number
  /** Maximum ratio of expanded to compressed size of an archive. */
  maxArchiveRatio: number
  maxTasks: number
  /** Time limit of one GDAL program for a raster. */
  toolSeconds: number
  /** Maximum disk space of the transformations of a raster, in bytes. */
  maxRasterBytes: number
  /** Maximum size of the tile cache on disk in bytes; 0 disables it. */
  maxTileBytes: number
  /**
   * Maximum disk space of copies of layers in Web Mercator, for CRSs that only GDAL can transform, in bytes.
   */
  maxTileCopyBytes: number
  /** Maximum total size of exported files, in bytes. */
  maxExportBytes: number
  /** Maximum total size of files with rows of layers, in bytes. */
  maxDownloadBytes: number
  /** Maximum size in bytes of rows on disk for previews. */
  maxPreviewBytes: number
  /** Maximum number of concurrent loads; further ones are queued. */
  concurrentLoads: number
  /** Time without a sign of life after which other servers take over the jobs of a server. */
  leaseSeconds: number
  /** Time after which work without progress that ignores its abort signal is killed. */
  silenceSeconds: number
  /** Maximum time that a load waits for an unreachable database. */
  databaseWaitSeconds: number
}

interface RetentionSettings {
  /** Retention of uploads of unfinished imports, after the last change. */
  uploadDays: number
  /** Retention of records of finished imports. */
  importDays: number
  /** Retention of previous layer versions; 0: none are stored. */
  versionDays: number
  /** Maximum size in bytes of the versions of all layers in one store. */
  versionBytes: number
  /** Retention of dry runs with their staged rows. */
  dryRunHours: number
  /** Maximum size in bytes of all staged dry runs. */
  dryRunBytes: number
}

export interface Settings {
  server: ServerSettings
  data: DataSettings
  /** Storage of files. */
  files: FileSettings
  /** PostgreSQL for the catalogue; absent: SQLite in the data directory. */
  databaseUrl?: Secret
  /** Roles of this server; with an embedded catalogue the only server has all roles. */
  roles: readonly NodeRole[]
  /** Password of the user `admin` that the first start creates. */
  adminPassword?: Secret
  logLevel: LogLevel
  limits: LimitSettings
  /** Limits for the requests of one connection and of one client address. */
  connections: ConnectionLimits
  /** Limits for XML bodies and filters of requests. */
  documents: DocumentLimits
  retention: RetentionSettings
  remote: RemoteSettings
  monitoring: MonitoringSettings
  /** Sign-in providers and the audit log. */
  access: AccessSettings
  /** Metadata of the map services. */
  service: ServiceSettings
  /** Absent: no traces and metrics are exported. */
  telemetry?: TelemetrySettings
  /** Base map of the web interface. */
  basemap: Basemap
  /** Suspicious settings that do not prevent the start. */
  notices: string[]
}

/** The error for invalid settings; `problems` has one message for each. */
export class SettingsError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(`Settings are wrong:\n${problems.map((one) => `  ${one}`).join('\n')}`)
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/**
 * Reads settings from environment variables and `terrane.toml`, grouped by module. Throws a `SettingsError`
 * that lists every problem.
 */
export function loadSettings(env: Record<string, string | undefined>): Settings {
  const { settings, problems } = readSettings(env)
  if (problems.length > 0) throw new SettingsError(problems)
  return settings
}

/** The same with defaults for invalid values, and a message for each. Also returns a description of each setting. */
export function readSettings(env: Record<string, string | undefined>): {
  settings: Settings
  problems: string[]
  descriptions: ReadonlyMap<string, SettingDescription>
} {
  const problems: string[] = []
  const file = readSettingsFile(env)
  const read = environmentReader(mergeSettings(file, env), problems)
  describeSettingsFile(read)
  const databaseUrl = readDatabaseUrl(read)
  const adminPassword = read.secret('TERRANE_ADMIN_PASSWORD', { default: 'generated, printed once' })
  const data = readData(read)
  const server = readServer(read)
  const settings: Settings = {
    server,
    data,
    files: readFiles(read, data.directory),
    databaseUrl,
    roles: readRoles(read, databaseUrl),
    adminPassword,
    logLevel: read.choice('TERRANE_LOG', logLevels, 'info'),
    limits: readLimits(read),
    connections: readConnectionLimits(read),
    documents: readDocumentLimits(read),
    retention: readRetention(read),
    remote: readRemote(read),
    monitoring: readMonitoring(read),
    access: readAccess(read, server.trustedProxies),
    service: readService(read),
    telemetry: readTelemetry(read),
    basemap: readBasemap(read),
    notices: [],
  }
  if (settings.files.s3 !== undefined && databaseUrl === undefined)
    read.problem('TERRANE_FILES', 'needs a catalogue in PostgreSQL: set TERRANE_DATABASE_URL')
  checkFirstPassword(read, settings.data, settings.databaseUrl, settings.adminPassword)
  const names = [...read.descriptions()].flatMap(([name, { type }]) =>
    type === 'secret' ? [name, name + secretFileSuffix] : [name],
  )
  for (const { name, nearest } of unknownSettings(env, names)) {
    if (nearest === undefined) settings.notices.push(`${name} is not a setting: it does nothing`)
    else read.problem(name, `is not a setting: did you mean ${nearest}?`)
  }
  settings.notices.push(...secretNotices(file, read.descriptions()))
  const all = [...file.problems, ...unknownKeys(file, names), ...nameKeys(problems, file, env)]
  return { settings, problems: all, descriptions: read.descriptions() }
}

/** Checks the administrator's password before the first start. */
function checkFirstPassword(
  read: Reader,
  data: DataSettings,
  databaseUrl: Secret | undefined,
  adminPassword: Secret | undefined,
): void {
  if (adminPassword === undefined || adminPassword.reveal().length >= minPasswordLength) return
  // For a database on a server, only the start finds out if it already has users.
  if (databaseUrl !== undefined || existsSync(join(data.directory, databaseFile))) return
  read.problem('TERRANE_ADMIN_PASSWORD', shortPassword)
}

function readServer(read: Reader): ServerSettings {
  const publicUrl = readPublicUrl(read)
  return {
    host: read.text('TERRANE_HOST', { default: '127.0.0.1' }) ?? '127.0.0.1',
    port: read.integer('TERRANE_PORT', { fallback: 8080, min: 0, max: 65535 }),
    basePath: readBasePath(read),
    publicUrl,
    trustedProxies: readProxies(read),
    corsOrigins: readOrigins(read),
    sharedMaxAgeSeconds: read.integer('TERRANE_SHARED_MAX_AGE', {
      unit: 'seconds',
      fallback: 60,
      min: 0,
      max: 31_536_000,
    }),
    requestSeconds: read.integer('TERRANE_REQUEST_SECONDS', {
      unit: 'seconds',
      fallback: 120,
      min: 1,
      max: 3600,
    }),
    drainSeconds: read.integer('TERRANE_DRAIN_SECONDS', { unit: 'seconds', fallback: 0, min: 0, max: 3600 }),
    dialect: read.choice('TERRANE_DIALECT', dialects, 'contract'),
    takesSldBody: read.flag('TERRANE_SLD_BODY', false),
  }
}

function readData(read: Reader): DataSettings {
  const directory = resolve(read.text('TERRANE_DATA', { type: 'path', default: 'data' }) ?? 'data')
  const roots = (
    read.text('TERRANE_IMPORT_ROOTS', { type: 'list', default: '`incoming` in the data directory' }) ?? ''
  )
    .split(delimiter)
    .filter((one) => one.trim() !== '')
  return {
    directory,
    importRoots:
      roots.length === 0 ? [join(directory, 'incoming')] : roots.map((one) => readRoot(read, one.trim())),
    sample: read.flag('TERRANE_SAMPLE', true),
    secretKey: readSecretKeySetting(read),
  }
}

function readRoot(read: Reader, text: string): string {
  const root = resolve(text)
  const reason = whyNoFolder(root)
  if (reason !== undefined) read.problem('TERRANE_IMPORT_ROOTS', `names "${text}", which ${reason}`)
  return root
}

function readLimits(read: Reader): LimitSettings {
  const count = { min: 1, max: 1e9 }
  return {
    maxUploadBytes: read.bytes('TERRANE_MAX_UPLOAD', 10 * 2 ** 30),
    maxResumableBytes: read.bytes('TERRANE_MAX_RESUMABLE', 50 * 2 ** 30),
    maxExpandedBytes: read.bytes('TERRANE_MAX_EXPANDED', 50 * 2 ** 30),
    maxArchiveEntries: read.integer('TERRANE_MAX_ARCHIVE_ENTRIES', {
      unit: 'files',
      fallback: 100_000,
      ...count,
    }),
    maxArchiveRatio: read.integer('TERRANE_MAX_ARCHIVE_RATIO', {
      unit: 'expanded ÷ packed size',
      fallback: 200,
      ...count,
    }),
    maxTasks: read.integer('TERRANE_MAX_TASKS', { unit: 'tasks', fallback: 10_000, ...count }),
    toolSeconds: read.integer('TERRANE_MAX_TOOL_SECONDS', { unit: 'seconds', fallback: 6 * 3600, ...count }),
    maxRasterBytes: read.bytes('TERRANE_MAX_RASTER', 50 * 2 ** 30),
    maxTileCopyBytes: read.bytes('TERRANE_MAX_TILE_COPIES', 20 * 2 ** 30, { min: 0 }),
    maxExportBytes: read.bytes('TERRANE_MAX_EXPORTS', 20 * 2 ** 30),
    maxDownloadBytes: read.bytes('TERRANE_MAX_DOWNLOADS', 20 * 2 ** 30),
    maxPreviewBytes: read.bytes('TERRANE_MAX_PREVIEWS', 5 * 2 ** 30),
    maxTileBytes: read.bytes('TERRANE_MAX_TILES', 5 * 2 ** 30, { min: 0 }),
    silenceSeconds: read.integer('TERRANE_MAX_SILENCE', {
      unit: 'CPU seconds',
      fallback: 600,
      min: 1,
      max: 86_400,
    }),
    databaseWaitSeconds: read.integer('TERRANE_DATABASE_WAIT', {
      unit: 'seconds',
      fallback: 300,
      min: 0,
      max: 86_400,
    }),
    leaseSeconds: read.integer('TERRANE_LEASE_SECONDS', { unit: 'seconds', fallback: 12, min: 1, max: 3600 }),
    concurrentLoads: read.integer('TERRANE_LOADS', {
      unit: 'loads',
      default: 'two per processor',
      fallback: 2 * availableParallelism(),
      ...count,
    }),
  }
}

function readRetention(read: Reader): RetentionSettings {
  const days = { min: 1, max: 36500 }
  return {
    uploadDays: read.integer('TERRANE_KEEP_UPLOADS', { unit: 'days', fallback: 7, ...days }),
    importDays: read.integer('TERRANE_KEEP_IMPORTS', { unit: 'days', fallback: 90, ...days }),
    dryRunHours: read.integer('TERRANE_KEEP_DRY_RUNS', { unit: 'hours', fallback: 24, min: 1, max: 8760 }),
    dryRunBytes: read.bytes('TERRANE_MAX_DRY_RUNS', 10 * 2 ** 30),
    versionDays: read.integer('TERRANE_KEEP_VERSIONS', { unit: 'days', fallback: 30, min: 0, max: 36500 }),
    versionBytes: read.bytes('TERRANE_MAX_VERSIONS', 10 * 2 ** 30),
  }
}

function readBasePath(read: Reader): string {
  const value = read.text('TERRANE_BASE_PATH', { type: 'path' })?.replace(/\/+$/, '') ?? ''
  if (value === '' || /^(\/[\w.~-]+)+$/.test(value)) return value
  read.problem('TERRANE_BASE_PATH', `must be a path such as /geoserver, found "${value}"`)
  return ''
}

function readPublicUrl(read: Reader): string | undefined {
  const value = read.text('TERRANE_PUBLIC_URL', { type: 'URL', default: 'host of the request' })
  if (value === undefined) return undefined
  const url = parseWebUrl(value)
  if (url !== undefined && url.search === '' && url.hash === '') return url.href.replace(/\/+$/, '')
  read.problem('TERRANE_PUBLIC_URL', `must be an http or https address without a query, found "${value}"`)
  return undefined
}

function readProxies(read: Reader): string[] {
  return readNetworks(read, 'TERRANE_TRUSTED_PROXIES', ['loopback', 'linklocal', 'uniquelocal'])
}

function readOrigins(read: Reader): string[] {
  return read.list('TERRANE_CORS_ORIGINS').flatMap((one) => {
    const url = parseWebUrl(one)
    if (url !== undefined && url.pathname === '/' && url.search === '' && !one.includes('*'))
      return [url.origin]
    read.problem('TERRANE_CORS_ORIGINS', `must list origins such as https://maps.example.org, found "${one}"`)
    return []
  })
}

function readBasemap(read: Reader): Basemap {
  const text = read.text('TERRANE_BASEMAP', { type: 'URL', default: 'bundled map' })
  if (text === undefined) return { kind: 'own' }
  if (text === 'off') return { kind: 'off' }
  const url = parseWebUrl(text)
  if (url !== undefined && url.username === '') return { kind: 'other', url: url.href, origin: url.origin }
  read.problem('TERRANE_BASEMAP', `must be the address of a MapLibre style, or "off", found "${text}"`)
  return { kind: 'own' }
}

function readDatabaseUrl(read: Reader): Secret | undefined {
  const secret = read.secret('TERRANE_DATABASE_URL', { default: 'SQLite in the data directory' })
  if (secret === undefined) return undefined
  const value = secret.reveal()
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return secret
  read.problem('TERRANE_DATABASE_URL', 'must be an address such as postgres://user:password@host:5432/name')
  return undefined
}
