import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Accounts, type PasswordCost } from '../access/index.ts'
import type { App } from '../api/app-types.ts'
import { acceptsUnknownFields } from '../api/compat/dialect.ts'
import type { ServerDeps } from '../api/server/server.ts'
import { createHttpServer } from '../api/server/server.ts'
import type { DataDirectory } from '../core/config/data-directory.ts'
import { lockDataDirectory, prepareDataDirectory } from '../core/config/data-directory.ts'
import type { RemoteSettings } from '../core/config/remote-settings.ts'
import type { DataSettings, Settings } from '../core/config/settings.ts'
import { version } from '../core/config/version.ts'
import { openBroadcast, silence } from '../core/db/broadcast.ts'
import type { Database } from '../core/db/connection.ts'
import { openDatabase } from '../core/db/connection.ts'
import { explainError } from '../core/db/errors.ts'
import { createEventBus } from '../core/events/events.ts'
import { listFullFolders, setWrittenFolders } from '../core/files/full-disk.ts'
import { setGuard } from '../core/files/guarded-files.ts'
import { IdempotencyKeys } from '../core/idempotency/idempotency-keys.ts'
import { EmbeddedJobs } from '../core/jobs/embedded/embedded-jobs.ts'
import type { Logger } from '../core/log/logger.ts'
import { createLogger } from '../core/log/logger.ts'
import { Nodes } from '../core/nodes/nodes.ts'
import type { Secret } from '../core/secrets/secret.ts'
import { createVault } from '../core/secrets/vault.ts'
import type { Clock } from '../core/time/clock.ts'
import { systemClock } from '../core/time/clock.ts'
import { createImporter, type ImporterDeps } from '../importer/index.ts'
import { createRemoteAccess, type RemoteAccess, realPathOf } from '../inputs/index.ts'
import { IndexMaker, Readers, type ReadersSettings } from '../stores/index.ts'
import { openAreas } from './areas.ts'
import { listen } from './listen.ts'
import { openCatalog } from './open-catalog.ts'
import { openFiles, prepareScratch } from './open-files.ts'
import { openMaps } from './open-maps.ts'
import { openMonitoring } from './open-monitoring.ts'
import { openPictures } from './open-pictures.ts'
import { rotateSecretKey } from './rotate-secret-key.ts'
import { adoptSecretKey, requireSecretKey } from './secret-key.ts'
import type { AppServices } from './services.ts'

/** Maximum wait of a stop for running requests and loads, in milliseconds. */
const drainMs = 10_000

/** Parts of the application that its caller may replace. */
export interface AppOptions {
  clock?: Clock
  log?: Logger
  /** Shows a one-time message to the operator, such as a generated password; default: standard output. */
  notice?(text: string): void
  /** Cost parameters of password hashes; default: the currently recommended ones. */
  passwordCost?: PasswordCost
  /** Settings of the store readers, for tests. */
  readers?: Partial<ReadersSettings>
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** All parts of a server, connected; `app` handles injected requests. */
export interface Terrane extends AppServices {
  keys: IdempotencyKeys
  observers: ServerDeps['observers']
  explainError: ServerDeps['explainError']
  app: App
  /** Accepts no new work, waits up to 10 s for running work, and closes every part. */
  close(): Promise<void>
}

/** Builds every part without listening. If a part cannot start, closes all and throws. */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<Terrane> {
  const terrane = await buildApp(settings, options)
  await closedOnFailure(terrane, () =>
    welcome(terrane.accounts, terrane.settings.adminPassword, terrane.database, options),
  )
  return terrane
}

/** Makes sure that there is a user; shows the password if it was generated. */
function welcome(
  accounts: Accounts,
  adminPassword: Secret | undefined,
  database: Database,
  { notice = print }: AppOptions,
): Promise<void> {
  return database.alone(() => accounts.ensureFirstUser(adminPassword, notice))
}

function reportFullFolders({ root }: DataDirectory, log: Logger): void {
  setWrittenFolders([
    { path: root, name: 'the data directory, TERRANE_DATA' },
    { path: tmpdir(), name: 'the temporary folder, TMPDIR' },
  ])
  for (const { path, name } of listFullFolders())
    log.error(`The disk of ${path} is full (${name}): data can be read, but nothing can be written`)
}

async function buildApp(settings: Settings, options: AppOptions): Promise<Terrane> {
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
    const prepared = await prepareData(settings, log, closers)
    if (settings.databaseUrl === undefined) closers.push(lockDataDirectory(prepared.root))
    const url = settings.databaseUrl
    const database = await openOwnDatabase(url, prepared)
    closers.push(() => database.close())
    const directory = { ...prepared, key: await requireSecretKey(database, prepared) }
    const files = await openFiles(settings.files, directory, database, closers)
    const nodes = await openNodes(database, log, closers)
    const broadcast = url === undefined ? silence : await openBroadcast(url, log)
    closers.push(() => broadcast.close())
    const events = createEventBus((error) => log.error({ err: error }, 'a listener failed'))
    const clock = options.clock ?? systemClock
    const base = { settings, directory, database, files, events, clock, log }
    const indexMaker = new IndexMaker()
    closers.push(() => indexMaker.close())
    const readers = new Readers({
      ownFolder: directory.stores,
      otherFolders: [directory.maps, directory.sides],
      ...options.readers,
    })
    closers.push(() => readers.close())
    const serving: { app?: App } = {}
    const ownPort = (): number | undefined => portOf(serving.app)
    const catalog = await openCatalog({ ...base, indexMaker, readers, ownPort })
    closers.push(() => catalog.close())
    const { start: startMaps, ...mapping } = openMaps({ ...base, catalog, readers }, closers)
    const { maps, drawings, sides } = mapping
    const remote = openRemote(settings.limits, settings.remote, directory, ownPort)
    const importer = openImporter({ ...base, broadcast, catalog, remote, indexMaker, sides })
    const drawn = openPictures(
      { settings, directory, catalog, maps, drawings, importer, events, log },
      closers,
    )
    const accounts = new Accounts({ database, clock, passwordCost: options.passwordCost })
    const keys = new IdempotencyKeys({ database, clock, log })
    const monitoring = await openMonitoring({ ...base, remote }, closers)
    const context: AppServices = {
      ...base,
      version,
      nodes,
      accounts,
      catalog,
      importer,
      ...mapping,
      ...drawn,
      ...monitoring,
    }
    const observers = { events, log, clock, monitoring: monitoring.monitoring }
    const server = { keys, observers, explainError }
    const app = await createHttpServer({ ...context, ...server }, openAreas(context))
    serving.app = app
    closers.push(async () => {
      const answered = closeHttp(app)
      // A thread that ends moves the log of its open file, and cannot report that as Terrane's change.
      if (importer.workload().running === 0) await catalog.stores.close()
      await Promise.all([answered, importer.stop()])
    })
    startMaps()
    await importer.start()
    catalog.follower.start()
    for (const part of [drawn.rasters, drawn.coverages, drawn.filtered]) part.start()
    return { ...context, ...server, app, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function prepareData(
  { data, files }: Settings,
  log: Logger,
  closers: (() => void | Promise<void>)[],
): Promise<DataDirectory> {
  const directory = prepareScratch(prepareDataDirectory(data), files, closers)
  await guardFiles(data, directory)
  reportFullFolders(directory, log)
  return directory
}

async function openNodes(
  database: Database,
  log: Logger,
  closers: (() => void | Promise<void>)[],
): Promise<Nodes> {
  const nodes = new Nodes({ database, log, version })
  closers.push(() => nodes.stop())
  await nodes.start()
  return nodes
}

/** A listening server. */
export interface RunningTerrane extends Terrane {
  /** Public URL of the base path. */
  url: string
  /** URL of the base path on this machine, without a proxy. */
  localUrl: string
}

/** Starts serving. */
export async function startServer(settings: Settings, options: AppOptions = {}): Promise<RunningTerrane> {
  const terrane = await buildApp(settings, options)
  const { server } = settings
  return closedOnFailure(terrane, async () => {
    const localUrl = (await listen(terrane.app, server)) + server.basePath
    // Only when listening: a failed start must not use up the only display of a password.
    await welcome(terrane.accounts, terrane.settings.adminPassword, terrane.database, options)
    return { ...terrane, url: server.publicUrl ?? localUrl, localUrl }
  })
}

async function closedOnFailure<T>(terrane: Pick<Terrane, 'close'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await terrane.close()
    throw error
  }
}

/** From here on files are read only from the import roots and from folders of the server. */
async function guardFiles(data: DataSettings, directory: DataDirectory): Promise<void> {
  const { uploads, stores, rejects, archives, indexes, maps, sides } = directory
  const temporary = tmpdir()
  // If the temporary folder is reached by a link, files in it are not found by their own paths.
  const linked = (await realPathOf(temporary)) === temporary ? [] : [temporary]
  setGuard({
    roots: await Promise.all(data.importRoots.map(realPathOf)),
    own: [uploads, stores, rejects, archives, indexes, maps, sides, ...linked],
  })
}

function openRemote(
  limits: Settings['limits'],
  remote: RemoteSettings,
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

function openImporter(
  needs: Omit<
    ImporterDeps,
    | 'jobs'
    | 'stored'
    | 'mirror'
    | 'folders'
    | 'roots'
    | 'limits'
    | 'retention'
    | 'acceptsUnknownFields'
    | 'vault'
  > &
    Pick<AppServices, 'settings' | 'directory' | 'files'>,
) {
  const { settings, directory, files, ...parts } = needs
  const { limits, retention, data } = settings
  const { concurrentLoads, maxTasks, silenceSeconds, databaseWaitSeconds } = limits
  return createImporter({
    ...parts,
    jobs: new EmbeddedJobs({ ...parts, concurrency: concurrentLoads * 2 }),
    folders: {
      uploads: directory.uploads,
      stores: directory.stores,
      rejects: directory.rejects,
      archives: directory.archives,
      indexes: directory.indexes,
      sides: directory.sides,
    },
    mirror: files.mirror,
    stored: files.stored,
    vault: createVault(directory.key),
    roots: data.importRoots,
    limits: {
      maxTasks,
      concurrentLoads,
      silenceSeconds,
      databaseWaitSeconds,
      maxEntries: limits.maxArchiveEntries,
      maxExpandedBytes: limits.maxExpandedBytes,
      maxRatio: limits.maxArchiveRatio,
      toolSeconds: limits.toolSeconds,
      rasterBytes: limits.maxRasterBytes,
      previewBytes: limits.maxPreviewBytes,
      maxUploadBytes: limits.maxUploadBytes,
      maxResumableBytes: limits.maxResumableBytes,
    },
    retention,
    acceptsUnknownFields: acceptsUnknownFields(settings.server.dialect),
  })
}

function openOwnDatabase(url: Settings['databaseUrl'], { databasePath }: DataDirectory): Promise<Database> {
  return openDatabase(url === undefined ? { path: databasePath } : { url })
}

/**
 * Makes the key of the settings that of the catalogue, without starting a server. Throws an `Error` if a server
 * uses the data directory.
 */
export async function adoptKey(data: DataSettings, url: Secret | undefined): Promise<{ keyFile?: string }> {
  return withoutServer(data, url, async (database, directory) => {
    await adoptSecretKey(database.kysely, directory.key)
    return { keyFile: directory.keyFile }
  })
}

/**
 * Encrypts all stored passwords with `newKey`, or with a new key in the key file. Throws an `Error` if a server
 * uses the catalogue.
 */
export async function rotateKey(
  data: DataSettings,
  url: Secret | undefined,
  newKey: Uint8Array | undefined,
): Promise<{ keyFile?: string; passwords: number }> {
  return withoutServer(data, url, async (database, directory) => ({
    keyFile: directory.keyFile,
    passwords: await rotateSecretKey(database, directory, newKey),
  }))
}

async function withoutServer<T>(
  data: DataSettings,
  url: Secret | undefined,
  work: (database: Database, directory: DataDirectory) => Promise<T>,
): Promise<T> {
  const directory = prepareDataDirectory(data)
  const unlock = url === undefined ? lockDataDirectory(directory.root) : () => undefined
  try {
    const database = await openOwnDatabase(url, directory)
    try {
      return await work(database, directory)
    } finally {
      await database.close()
    }
  } finally {
    unlock()
  }
}

/** Returns the listening port; undefined while not listening. */
function portOf(app: App | undefined): number | undefined {
  const address = app?.server.address()
  return typeof address === 'object' ? address?.port : undefined
}

async function closeHttp(app: App): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), drainMs)
  await app.close()
  clearTimeout(cut)
}
