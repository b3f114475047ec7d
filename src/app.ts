import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Accounts } from './accounts/accounts.ts'
import type { PasswordCost } from './accounts/records.ts'
import { openAreas } from './app/areas.ts'
import { listen } from './app/listen.ts'
import { openCatalog } from './app/open-catalog.ts'
import { openMaps } from './app/open-maps.ts'
import { openMonitoring } from './app/open-monitoring.ts'
import { openPictures } from './app/open-pictures.ts'
import type { Parts } from './app/parts.ts'
import type { DataDirectory } from './config/data-directory.ts'
import { lockDataDirectory, prepareDataDirectory } from './config/data-directory.ts'
import type { Settings } from './config/settings.ts'
import { version } from './config/version.ts'
import { openBroadcast, silence } from './db/broadcast.ts'
import { openDatabase } from './db/connection.ts'
import { explainError } from './db/errors.ts'
import type { App } from './http/app-types.ts'
import type { ServerParts } from './http/server/server.ts'
import { createHttpServer } from './http/server/server.ts'
import { IdempotencyKeys } from './idempotency/idempotency-keys.ts'
import type { ImporterNeeds } from './importer/importer.ts'
import { createImporter } from './importer/importer.ts'
import { EmbeddedJobs } from './jobs/embedded/embedded-jobs.ts'
import type { Clock } from './lib/clock.ts'
import { systemClock } from './lib/clock.ts'
import { defined } from './lib/defined.ts'
import { createEventBus } from './lib/events.ts'
import { listFullFolders, setWrittenFolders } from './lib/files/full-disk.ts'
import { setGuard } from './lib/files/guarded-files.ts'
import type { Logger } from './lib/logger.ts'
import { createLogger } from './lib/logger.ts'
import { createVault } from './lib/secrets/vault.ts'
import { realPathOf } from './sources/path-guard.ts'
import type { RemoteAccess } from './sources/remote/remote-access.ts'
import { createRemoteAccess } from './sources/remote/remote-access.ts'
import { IndexMaker } from './stores/files/index/index-maker.ts'
import type { ReadersSettings } from './stores/reading/readers.ts'
import { Readers } from './stores/reading/readers.ts'

/** How long a stop waits for requests and loads that are under way. */
const drainMs = 10_000

export interface AppOptions {
  clock?: Clock
  log?: Logger
  /** Tells the operator something that is said once, such as a generated password; default: standard output. */
  notice?(text: string): void
  /** What hashing a password costs; default: what is advised today. */
  passwordCost?: PasswordCost
  /** Of what reads stores; for tests. */
  readers?: Partial<ReadersSettings>
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Every part, joined; `app` answers injected requests. */
export interface Terrane extends Parts {
  keys: IdempotencyKeys
  observers: ServerParts['observers']
  explainError: ServerParts['explainError']
  app: App
  /** Takes no new work, waits up to 10 s for what is under way, and closes every part. */
  close(): Promise<void>
}

/** Builds every part; nothing listens yet. Throws when a part cannot start, with everything closed again. */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<Terrane> {
  const terrane = await buildApp(settings, options)
  await closedOnFailure(terrane, () => welcome(terrane, options))
  return terrane
}

/** Sees to it that there is a user, whose password is told where it was made up. */
function welcome({ database, accounts, settings }: Terrane, { notice = print }: AppOptions): Promise<void> {
  return database.alone(() => accounts.ensureFirstUser(settings.adminPassword, notice))
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
    const directory = prepareDataDirectory(settings.data)
    await guardFiles(settings, directory)
    reportFullFolders(directory, log)
    if (settings.databaseUrl === undefined) closers.push(lockDataDirectory(directory.root))
    const url = settings.databaseUrl
    const database = await openDatabase(url === undefined ? { path: directory.databasePath } : { url })
    closers.push(() => database.close())
    const broadcast = url === undefined ? silence : await openBroadcast(url, log)
    closers.push(() => broadcast.close())
    const events = createEventBus((error) => log.error({ err: error }, 'a listener failed'))
    const clock = options.clock ?? systemClock
    const indexMaker = new IndexMaker()
    closers.push(() => indexMaker.close())
    const readers = new Readers({
      ...{ ownFolder: directory.stores, otherFolders: [directory.maps, directory.sides] },
      ...options.readers,
    })
    closers.push(() => readers.close())
    const serving: { app?: App } = {}
    const ownPort = (): number | undefined => portOf(serving.app)
    const catalog = await openCatalog({
      ...{ settings, directory, database, events, clock, log, indexMaker, readers, ownPort },
    })
    closers.push(() => catalog.close())
    const { start: startMaps, ...mapping } = openMaps(
      { settings, directory, catalog, readers, events, clock, log },
      closers,
    )
    const { maps, drawings, sides } = mapping
    const remote = openRemote(settings, directory, ownPort)
    const importer = openImporter({
      ...{ settings, directory, database, broadcast, catalog, events, log, clock, remote, indexMaker, sides },
    })
    const drawn = openPictures(
      { settings, directory, catalog, maps, drawings, importer, events, log },
      closers,
    )
    const accounts = new Accounts({ database, clock, ...defined({ passwordCost: options.passwordCost }) })
    const keys = new IdempotencyKeys({ database, clock, log })
    const monitoring = await openMonitoring(
      { settings, directory, database, remote, events, clock, log },
      closers,
    )
    const context: Parts = {
      ...{ settings, directory, database, events, log, clock, version },
      ...{ accounts, catalog, importer, ...mapping, ...drawn },
      ...monitoring,
    }
    const observers = { events, log, clock, monitoring: monitoring.monitoring }
    const server = { keys, observers, explainError }
    const app = await createHttpServer({ ...context, ...server }, openAreas(context))
    serving.app = app
    closers.push(async () => {
      const answered = closeHttp(app)
      // A thread that ends moves the log of a file that it has open, and cannot tell that it was us.
      if (importer.workload().running === 0) await catalog.stores.close()
      await Promise.all([answered, importer.stop()])
    })
    startMaps()
    await importer.start()
    for (const part of [drawn.rasters, drawn.coverages, drawn.filtered]) part.start()
    return { ...context, ...server, app, close: closeAll }
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
  const terrane = await buildApp(settings, options)
  const { server } = settings
  return closedOnFailure(terrane, async () => {
    const localUrl = (await listen(terrane.app, server)) + server.basePath
    // Not before it listens: a start that fails must not use up the only showing of a password.
    await welcome(terrane, options)
    return { ...terrane, url: server.publicUrl ?? localUrl, localUrl }
  })
}

async function closedOnFailure<T>(terrane: Terrane, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await terrane.close()
    throw error
  }
}

/** From here on files are read from the import roots and from folders of our own alone. */
async function guardFiles({ data }: Settings, directory: DataDirectory): Promise<void> {
  const { uploads, stores, rejects, archives, indexes, maps, sides } = directory
  const temporary = tmpdir()
  // Where the temporary folder is reached by a link, what we put there is not found by its own path.
  const linked = (await realPathOf(temporary)) === temporary ? [] : [temporary]
  setGuard({
    roots: await Promise.all(data.importRoots.map(realPathOf)),
    own: [uploads, stores, rejects, archives, indexes, maps, sides, ...linked],
  })
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

function openImporter(
  needs: Omit<
    ImporterNeeds,
    'jobs' | 'folders' | 'roots' | 'limits' | 'retention' | 'acceptsUnknownFields' | 'vault'
  > &
    Pick<Parts, 'settings' | 'directory'>,
) {
  const { settings, directory, ...parts } = needs
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
    acceptsUnknownFields: settings.server.dialect === 'geoserver',
  })
}

/** Where it listens; undefined while it does not. */
function portOf(app: App | undefined): number | undefined {
  const address = app?.server.address()
  return typeof address === 'object' ? address?.port : undefined
}

async function closeHttp(app: App): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), drainMs)
  await app.close()
  clearTimeout(cut)
}
