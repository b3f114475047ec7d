import { createHash } from 'node:crypto'
import { type AnyConnection, Catalog, type StoreRecord } from '../catalog/index.ts'
import type { DataDirectory } from '../core/config/data-directory.ts'
import { freeStoreFile } from '../core/config/data-directory.ts'
import type { Settings } from '../core/config/settings.ts'
import type { Database } from '../core/db/connection.ts'
import { Failure } from '../core/errors/errors.ts'
import type { EventBus } from '../core/events/events.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Secret } from '../core/secrets/secret.ts'
import { createVault } from '../core/secrets/vault.ts'
import type { Clock } from '../core/time/clock.ts'
import {
  createServedStore,
  IndexedStore,
  type IndexMaker,
  type Readers,
  type StoreConnection,
  type StoreParameters,
} from '../stores/index.ts'
import { ownStores } from '../stores/registry.ts'

interface OpenCatalogDeps {
  settings: Settings
  directory: DataDirectory
  database: Database
  events: EventBus
  clock: Clock
  log: Logger
  /** The port that this server listens on. */
  ownPort(): number | undefined
  indexMaker: IndexMaker
  readers: Readers
}

/** Opens the catalogue and prepares it for use. */
export async function openCatalog(deps: OpenCatalogDeps): Promise<Catalog> {
  const { directory, database, events, clock, log, indexMaker, readers } = deps
  const catalog = new Catalog({
    database,
    events,
    clock,
    log,
    vault: createVault(directory.key),
    openVectorStore: (connection) => {
      const store = createServedStore(connection, readers)
      return connection.indexFolder !== undefined ? new IndexedStore(store, connection, indexMaker) : store
    },
    reachOfStaff: () => {
      const ownPort = deps.ownPort()
      return { allow: deps.settings.remote.allow, ownPort }
    },
    defaultStoreConnection: (workspace, taken) =>
      defaultStore(deps.settings.databaseUrl, deps.directory, deps.database, workspace, taken),
    storesFolder: directory.stores,
    refusesFiles: deps.settings.files.s3 !== undefined,
    indexFolder: directory.indexes,
    importRoots: deps.settings.data.importRoots,
    versionLimits: { days: deps.settings.retention.versionDays, bytes: deps.settings.retention.versionBytes },
  })
  await database.alone(async () => {
    await catalog.prepare()
    await followDatabase(deps.settings.databaseUrl, catalog)
  })
  for (const fault of await catalog.listUndecryptable()) log.error(fault)
  return catalog
}

/**
 * Points default stores to the present database, which may have been moved, or have another password. Schemas
 * are not changed. A store that is not reachable there is left unchanged and reports the error when used.
 */
async function followDatabase(databaseUrl: Secret | undefined, catalog: Catalog): Promise<void> {
  if (databaseUrl === undefined) return
  const place = placeOf(databaseUrl)
  const stores = (await catalog.stores.listAll()).filter(
    (one) => one.isDefault && one.type === ownStores.database.type,
  )
  for (const store of stores) {
    try {
      const { type, parameters } = await catalog.stores.connection(store).catch(withoutSecrets(store))
      if (Object.entries(place).every(([name, value]) => parameters[name] === value)) continue
      await catalog.stores.change(store, { connection: { type, parameters: { ...parameters, ...place } } })
    } catch {
      // Reported by requests that use the store.
    }
  }
}

/** Its password is that of the catalogue database: one stored with another key is not needed. */
function withoutSecrets({ type, parameters }: StoreRecord): (error: unknown) => AnyConnection {
  return (error) => {
    if (error instanceof Failure && error.code === 'wrong-secret-key') return { type, parameters }
    throw error
  }
}

/** The database of the catalogue, as connection parameters. */
function placeOf(databaseUrl: Secret): StoreParameters {
  const url = new URL(databaseUrl.reveal())
  return {
    host: decodeURIComponent(url.hostname),
    port: url.port === '' ? '5432' : url.port,
    database: decodeURIComponent(url.pathname.slice(1)),
    user: decodeURIComponent(url.username),
    passwd: decodeURIComponent(url.password),
  }
}

/** Returns the default store of a workspace: a GeoPackage, or a schema of the PostgreSQL database. */
async function defaultStore(
  databaseUrl: Secret | undefined,
  directory: DataDirectory,
  database: Database,
  workspace: string,
  taken: ReadonlySet<string>,
): Promise<StoreConnection> {
  if (databaseUrl === undefined) {
    const { type, file } = ownStores.file
    const path = freeStoreFile(directory, workspace, `${workspace}.${file.extension}`, taken)
    return { type, parameters: { path } }
  }
  const schema = dataSchema(workspace)
  await database.alone(() => database.kysely.schema.createSchema(schema).ifNotExists().execute())
  const { type, defaults } = ownStores.database
  return { type, parameters: { ...defaults, schema, ...placeOf(databaseUrl) } }
}

const maxIdentifierBytes = 63

/**
 * Returns the schema for the tables of a workspace: never one with other contents, such as `public` with the
 * catalogue.
 */
function dataSchema(workspace: string): string {
  const name = `ws_${workspace}`
  if (Buffer.byteLength(name) <= maxIdentifierBytes) return name
  const digest = createHash('sha256').update(workspace).digest('hex').slice(0, 16)
  return `ws_${digest}`
}
