import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Catalog } from './catalog/catalog.ts'
import { listStorePaths } from './catalog/stores.ts'
import { baseUrl } from './config/base-url.ts'
import type { DataDirectory } from './config/data-directory.ts'
import { freeStoreFile, lockDataDirectory, prepareDataDirectory } from './config/data-directory.ts'
import type { Settings } from './config/settings.ts'
import { version } from './config/version.ts'
import { openBroadcast, silence } from './db/broadcast.ts'
import type { Database } from './db/connection.ts'
import { openDatabase } from './db/connection.ts'
import type { App, HttpContext } from './http/app-types.ts'
import { ensureFirstUser } from './http/auth/first-user.ts'
import type { PasswordCost } from './http/auth/passwords.ts'
import { createPasswords } from './http/auth/passwords.ts'
import { areas } from './http/routes.ts'
import { createHttpServer } from './http/server.ts'
import type { ImporterNeeds } from './importer/importer.ts'
import { Importer } from './importer/importer.ts'
import { EmbeddedJobs } from './jobs/embedded/embedded-jobs.ts'
import type { Clock } from './lib/clock.ts'
import { systemClock } from './lib/clock.ts'
import type { EventBus } from './lib/events.ts'
import { createEventBus } from './lib/events.ts'
import type { Logger } from './lib/logger.ts'
import { createLogger } from './lib/logger.ts'
import { createVault } from './lib/vault.ts'
import { configureFirst } from './monitoring/model/autoconfigure.ts'
import { Services } from './monitoring/model/services.ts'
import { Monitoring } from './monitoring/monitoring.ts'
import { MoveIn } from './monitoring/move-in/move-in.ts'
import { createNotifications } from './monitoring/notify/create-notifications.ts'
import type { Notifications } from './monitoring/notify/notifications.ts'
import { SeriesReader } from './monitoring/query/series-reader.ts'
import type { SeriesPlace } from './monitoring/series/series-database.ts'
import type { RemoteAccess } from './sources/remote/remote-access.ts'
import { createRemoteAccess } from './sources/remote/remote-access.ts'
import { openVectorStore } from './stores/registry.ts'
import type { StoreConnection } from './stores/store.ts'

/** How long a stop waits for requests and loads that are under way. */
const drainMs = 10_000

export interface AppOptions {
  clock?: Clock
  log?: Logger
  /** Tells the operator something that is said once, such as a generated password; default: standard output. */
  notice?(text: string): void
  /** What hashing a password costs; default: what is advised today. */
  passwordCost?: PasswordCost
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Every part, joined; `app` answers injected requests. */
export interface Terrane extends HttpContext {
  app: App
  /** Takes no new work, waits up to 10 s for what is under way, and closes every part. */
  close(): Promise<void>
}

/** Builds every part; nothing listens yet. Throws when a part cannot start, with everything closed again. */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<Terrane> {
  const log = options.log ?? createLogger(settings.logLevel)
  const closers: (() => void | Promise<void>)[] = []
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) {
      try {
        await close()
      } catch (error) {
        log.error({ err: error }, 'a part did not close')
      }
    }
  }
  try {
    const directory = prepareDataDirectory(settings.data)
    if (settings.databaseUrl === undefined) closers.push(lockDataDirectory(directory.root))
    const url = settings.databaseUrl
    const database = await openDatabase(url === undefined ? { path: directory.databasePath } : { url })
    closers.push(() => database.close())
    const broadcast = url === undefined ? silence : await openBroadcast(url, log)
    closers.push(() => broadcast.close())
    const events = createEventBus((error) => log.error({ err: error }, 'a listener failed'))
    const clock = options.clock ?? systemClock
    const catalog = await openCatalog({ settings, directory, database, events, clock })
    closers.push(() => catalog.close())
    const serving: { app?: App } = {}
    const remote = openRemote(settings, directory, () => portOf(serving.app))
    const importer = createImporter({
      settings,
      directory,
      database,
      broadcast,
      catalog,
      events,
      log,
      clock,
      remote,
    })
    const entry = new URL('./http/monitoring/reader-thread.ts', import.meta.url)
    const series = new SeriesReader({ place: seriesPlace(settings, directory), entry, log })
    closers.push(() => series.close())
    const passwords = createPasswords(options.passwordCost)
    const notice = options.notice ?? print
    await database.alone(() =>
      ensureFirstUser({ database, passwords, clock }, settings.adminPassword, notice),
    )
    const services = new Services(database, createVault(directory.key))
    await configureServices(settings, database, services)
    const notifications = openNotifications({
      settings,
      directory,
      database,
      services,
      series,
      remote,
      clock,
      log,
    })
    if (settings.monitoring.isOn) await notifications.start()
    closers.push(() => notifications.stop())
    const monitoring = startMonitoring({
      ...{ settings, directory, services, notifications, events, clock, log },
    })
    if (monitoring !== undefined) closers.push(() => monitoring.stop())
    const context: HttpContext = {
      ...(monitoring === undefined ? {} : { monitoring }),
      settings,
      directory,
      database,
      catalog,
      importer,
      services,
      series,
      notifications,
      moveIn: createMoveIn({ settings, directory, services, database, clock }),
      events,
      log,
      clock,
      version,
      passwords,
    }
    const app = await createHttpServer(context, areas)
    serving.app = app
    closers.push(async () => {
      await Promise.all([closeHttp(app), importer.stop()])
    })
    await importer.start()
    return { ...context, app, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** A server that listens. */
export interface RunningTerrane extends Terrane {
  /** Where clients reach the base path. */
  url: string
  /** Where this machine reaches it, without a proxy in front. */
  localUrl: string
}

/** Starts serving. */
export async function startServer(settings: Settings, options: AppOptions = {}): Promise<RunningTerrane> {
  const terrane = await createApp(settings, options)
  const { host, port, basePath, publicUrl } = settings.server
  try {
    const localUrl = (await terrane.app.listen({ host, port })) + basePath
    return { ...terrane, url: publicUrl ?? localUrl, localUrl }
  } catch (error) {
    await terrane.close()
    throw error
  }
}

function seriesPlace({ databaseUrl }: Settings, { root }: DataDirectory): SeriesPlace {
  return databaseUrl === undefined ? { path: join(root, 'monitoring.sqlite') } : { url: databaseUrl.reveal() }
}

function createMoveIn({
  settings,
  directory,
  ...parts
}: Pick<HttpContext, 'settings' | 'directory' | 'services' | 'database' | 'clock'>): MoveIn {
  const { privacy } = settings.monitoring
  return new MoveIn({ ...parts, privacy, place: seriesPlace(settings, directory), folder: directory.root })
}

interface MonitoringParts {
  settings: Settings
  directory: DataDirectory
  services: Services
  notifications: Notifications
  events: EventBus
  clock: Clock
  log: Logger
}

function startMonitoring({ settings, directory, ...parts }: MonitoringParts): Monitoring | undefined {
  if (!settings.monitoring.isOn) return undefined
  const place = seriesPlace(settings, directory)
  const monitoring = new Monitoring({ ...parts, settings: settings.monitoring, place })
  monitoring.start()
  return monitoring
}

/** What monitoring watches from the first start on. */
async function configureServices(
  { server, monitoring }: Settings,
  database: Database,
  services: Services,
): Promise<void> {
  if (!monitoring.isOn) return
  const { mapServers } = monitoring
  await database.alone(() => configureFirst({ services, baseUrl: baseUrl(server), mapServers }))
}

function openRemote(
  { limits, remote }: Settings,
  { root }: DataDirectory,
  ownPort: () => number | undefined,
): RemoteAccess {
  return createRemoteAccess(remote, {
    maxBytes: limits.maxUploadBytes,
    maxEntries: limits.maxArchiveEntries,
    ownPort,
    knownHosts: join(root, 'known_hosts'),
  })
}

type NotificationParts = Pick<
  HttpContext,
  'settings' | 'directory' | 'database' | 'services' | 'series' | 'clock' | 'log'
> & { remote: RemoteAccess }

function openNotifications(parts: NotificationParts): Notifications {
  const { settings, directory, database, services, series, remote, clock, log } = parts
  return createNotifications({
    settings: settings.monitoring,
    baseUrl: baseUrl(settings.server),
    outbound: { connect: remote.guard.connect, authorities: remote.authorities },
    vault: createVault(directory.key),
    ...{ database, clock, log },
    services: () => services.list(),
    values: {
      value: (question) => series.metricValue(question),
      labels: (question) => series.read('checkLabels', question),
      findResource: (id) => series.read('checkResource', id),
      report: (error) => log.warn({ err: error }, 'a check cannot be evaluated'),
    },
  })
}

function createImporter(
  needs: Omit<
    ImporterNeeds,
    'jobs' | 'folders' | 'roots' | 'limits' | 'retention' | 'acceptsUnknownFields' | 'vault'
  > &
    PlaceNeeds,
) {
  const { settings, directory, ...parts } = needs
  const { limits, retention, data } = settings
  const { concurrentLoads, maxTasks } = limits
  return new Importer({
    ...parts,
    jobs: new EmbeddedJobs({ ...parts, concurrency: concurrentLoads * 2 }),
    folders: {
      uploads: directory.uploads,
      stores: directory.stores,
      rejects: directory.rejects,
      archives: directory.archives,
    },
    vault: createVault(directory.key),
    roots: data.importRoots,
    limits: {
      maxTasks,
      concurrentLoads,
      maxEntries: limits.maxArchiveEntries,
      maxExpandedBytes: limits.maxExpandedBytes,
      maxRatio: limits.maxArchiveRatio,
      toolSeconds: limits.toolSeconds,
      rasterBytes: limits.maxRasterBytes,
    },
    retention,
    acceptsUnknownFields: settings.server.dialect === 'geoserver',
  })
}

/** Where it listens; undefined while it does not. */
function portOf(app: App | undefined): number | undefined {
  const address = app?.server.address()
  return typeof address === 'object' ? address?.port : undefined
}

interface PlaceNeeds {
  settings: Settings
  directory: DataDirectory
  /** The port that this server listens on. */
}

interface CatalogNeeds {
  settings: Settings
  directory: DataDirectory
  database: Database
  events: EventBus
  clock: Clock
}

async function openCatalog(needs: CatalogNeeds): Promise<Catalog> {
  const { directory, database, events, clock } = needs
  const catalog = new Catalog({
    database,
    events,
    clock,
    vault: createVault(directory.key),
    openVectorStore,
    defaultStoreConnection: (workspace) => defaultStore(needs, workspace),
    storesFolder: directory.stores,
  })
  await database.alone(() => catalog.prepare())
  return catalog
}

/** Where a workspace keeps what names no other store: a GeoPackage, or a schema of our PostgreSQL. */
async function defaultStore(
  { settings, directory, database }: CatalogNeeds,
  workspace: string,
): Promise<StoreConnection> {
  if (settings.databaseUrl === undefined) {
    const taken = await listStorePaths(database.kysely, workspace)
    const path = freeStoreFile(directory, workspace, `${workspace}.gpkg`, taken)
    return { type: 'GeoPackage', parameters: { path } }
  }
  const schema = dataSchema(workspace)
  await database.alone(() => database.kysely.schema.createSchema(schema).ifNotExists().execute())
  const url = new URL(settings.databaseUrl.reveal())
  return {
    type: 'PostGIS',
    parameters: {
      dbtype: 'postgis',
      host: decodeURIComponent(url.hostname),
      port: url.port === '' ? '5432' : url.port,
      database: decodeURIComponent(url.pathname.slice(1)),
      schema,
      user: decodeURIComponent(url.username),
      passwd: decodeURIComponent(url.password),
    },
  }
}

const maxIdentifierBytes = 63

/** The schema for a workspace's tables: never one that holds other things, such as `public` with our own tables. */
function dataSchema(workspace: string): string {
  const name = `ws_${workspace}`
  if (Buffer.byteLength(name) <= maxIdentifierBytes) return name
  const digest = createHash('sha256').update(workspace).digest('hex').slice(0, 16)
  return `ws_${digest}`
}

async function closeHttp(app: App): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), drainMs)
  await app.close()
  clearTimeout(cut)
}
