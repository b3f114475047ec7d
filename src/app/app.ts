import { join } from 'node:path'
import { AccessRules, Accounts, createPermit, openProviders, type PasswordCost } from '../access/index.ts'
import type { App } from '../api/app-types.ts'
import { acceptsUnknownFields } from '../api/compat/dialect.ts'
import type { ServerDeps } from '../api/server/server.ts'
import { createHttpServer } from '../api/server/server.ts'
import type { DataDirectory } from '../core/config/data-directory.ts'
import type { RemoteSettings } from '../core/config/remote-settings.ts'
import type { Settings } from '../core/config/settings.ts'
import { version } from '../core/config/version.ts'
import type { Broadcast } from '../core/db/broadcast.ts'
import type { Database } from '../core/db/connection.ts'
import { explainError } from '../core/db/errors.ts'
import { IdempotencyKeys } from '../core/idempotency/idempotency-keys.ts'
import { EmbeddedJobs } from '../core/jobs/embedded/embedded-jobs.ts'
import type { Jobs } from '../core/jobs/jobs.ts'
import { traceJobs } from '../core/jobs/traced-jobs.ts'
import type { Logger } from '../core/log/logger.ts'
import { createLogger } from '../core/log/logger.ts'
import type { Secret } from '../core/secrets/secret.ts'
import { createVault } from '../core/secrets/vault.ts'
import type { Clock } from '../core/time/clock.ts'
import { reuseThreads } from '../core/workers/start-thread.ts'
import { createImporter, type ImporterDeps } from '../importer/index.ts'
import { createRemoteAccess, type RemoteAccess } from '../inputs/index.ts'
import type { Sources } from '../sources/index.ts'
import { IndexMaker, Readers, type ReadersSettings } from '../stores/index.ts'
import { openAreas } from './areas.ts'
import { stateReader } from './audit-states.ts'
import { listen } from './listen.ts'
import { openAudit, openProviderChecks } from './open-audit.ts'
import { openBase, openOutbox } from './open-base.ts'
import { openCatalog } from './open-catalog.ts'
import { openMaps } from './open-maps.ts'
import { openExport, openMetrics } from './open-metrics.ts'
import { openMonitoring } from './open-monitoring.ts'
import { openPictures } from './open-pictures.ts'
import { openReportMails } from './open-report-mails.ts'
import { openSources, reportedProblems } from './open-sources.ts'
import { Readiness } from './readiness.ts'
import type { AppBase, AppServices } from './services.ts'

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
  /** True: its idle threads serve later applications of this process. */
  reusesThreads?: boolean
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
  audit: ServerDeps['audit']
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

async function buildApp(settings: Settings, options: AppOptions): Promise<Terrane> {
  if (options.reusesThreads === true) reuseThreads()
  const log = options.log ?? createLogger(settings.logLevel, { isTraced: settings.telemetry !== undefined })
  const { closers, closeAll } = createClosers(log)
  try {
    const { base, nodes, broadcast } = await openBase(settings, { clock: options.clock, log }, closers)
    const { directory, database, events, clock } = base
    const { auditLog, auditSealer } = await openAudit(base, closers)
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
    const { accounts, rules, permit } = await openAccess(base, options.passwordCost)
    const catalog = await openCatalog({ ...base, indexMaker, readers, ownPort })
    closers.push(() => catalog.close())
    const jobs = openJobs({ ...base, broadcast, id: nodes.id })
    if (database.kind === 'postgres')
      await openOutbox({ database, broadcast, log }, { events, jobs }, closers)
    const { start: startMaps, ...mapping } = openMaps({ ...base, permit, catalog, readers, jobs }, closers)
    const { maps, drawings, sides } = mapping
    const remote = openRemote(settings.limits, settings.remote, directory, ownPort)
    const importer = openImporter({ ...base, permit, jobs, broadcast, catalog, remote, indexMaker, sides })
    const drawn = openPictures(
      { settings, directory, catalog, maps, drawings, importer, events, log },
      closers,
    )
    const providerChecks = openProviderChecks({ ...base, accounts, auditLog }, closers)
    const keys = new IdempotencyKeys({ database, clock, log })
    const observed = await openObserved({ ...base, accounts, catalog, importer, remote, nodes }, closers)
    const { monitoring, sources } = observed
    const context: AppServices = {
      ...base,
      version,
      nodes,
      jobs,
      readiness: new Readiness(database),
      accounts,
      rules,
      auditLog,
      auditSealer,
      providerChecks,
      catalog,
      importer,
      ...mapping,
      ...drawn,
      ...observed,
      ...openReportMails({ ...base, ...observed, catalog, rules, accounts, remote }, closers),
    }
    const observers = { events, log, clock, monitoring }
    const audit = { log: auditLog, clock, readState: stateReader({ accounts, catalog }) }
    const server = { keys, observers, explainError, audit }
    const app = await createHttpServer({ ...context, ...server }, openAreas(context))
    serving.app = app
    closers.push(async () => {
      const answered = closeHttp(app)
      // A thread that ends moves the log of its open file, and cannot report that as Terrane's change.
      if (importer.workload().running === 0) await catalog.stores.close()
      await Promise.all([answered, sources.stop(), importer.stop()])
    })
    startMaps()
    await importer.start()
    if (settings.roles.includes('work')) {
      sources.start()
      catalog.follower.start()
    }
    for (const part of [drawn.rasters, drawn.coverages, drawn.filtered]) part.start()
    return { ...context, ...server, app, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Returns a list of functions that close parts, and a function that calls them, the last one first. */
function createClosers(log: Logger) {
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
  return { closers, closeAll }
}

async function openAccess(
  { database, clock, directory, settings }: AppBase,
  passwordCost: PasswordCost | undefined,
) {
  const vault = createVault(directory.key)
  const { access } = settings
  const providers = await openProviders(access, clock)
  const accounts = new Accounts({ database, clock, vault, passwordCost, settings: access, providers })
  const rules = new AccessRules(database, settings.access)
  return { accounts, rules, permit: createPermit(rules, accounts.users) }
}

/** Opens monitoring, the sources that report problems to it, and the metrics of both. */
async function openObserved(
  deps: AppBase & Pick<AppServices, 'accounts' | 'catalog' | 'importer' | 'nodes'> & { remote: RemoteAccess },
  closers: (() => void | Promise<void>)[],
) {
  const { events, nodes, importer, directory, settings } = deps
  const opened: { sources?: Sources } = {}
  const reported = () => reportedProblems(opened.sources)
  const services = await openMonitoring({ ...deps, reported }, closers)
  const sources = openSources({ ...deps, checks: services.notifications.checks })
  opened.sources = sources
  const { monitoring } = services
  const metrics = openMetrics({ events, nodes, importer, monitoring, directory, sources })
  await openExport(settings.telemetry, nodes, metrics, closers)
  return { ...services, sources, metrics }
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

function openJobs({ settings, ...parts }: AppBase & { broadcast: Broadcast; id: string }): Jobs {
  const { leaseSeconds, concurrentLoads: preferredConcurrency } = settings.limits
  const concurrency = preferredConcurrency * 2
  const isWorking = settings.roles.includes('work')
  return traceJobs(new EmbeddedJobs({ ...parts, concurrency, preferredConcurrency, leaseSeconds, isWorking }))
}

function openImporter(
  needs: Omit<
    ImporterDeps,
    'stored' | 'mirror' | 'folders' | 'roots' | 'limits' | 'retention' | 'acceptsUnknownFields' | 'vault'
  > &
    Pick<AppServices, 'settings' | 'directory' | 'files'>,
) {
  const { settings, directory, files, ...parts } = needs
  const { limits, retention, data } = settings
  const { concurrentLoads, maxTasks, silenceSeconds, databaseWaitSeconds } = limits
  return createImporter({
    ...parts,
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
