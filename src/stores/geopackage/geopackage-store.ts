import { basename } from 'node:path'
import { findTable, listTables } from '../../formats/geopackage/tables.ts'
import type { Clock } from '../../lib/clock.ts'
import { systemClock } from '../../lib/clock.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import { fileState } from '../file-state.ts'
import type { FeaturePage, FeatureQuery, TableDescription, VectorStore } from '../store.ts'
import { findChange } from './contents.ts'
import type { FindCrsDefinition } from './crs-rows.ts'
import { dropTable } from './drop-table.ts'
import { storeFailure } from './errors.ts'
import type { GeoPackageStoreSettings } from './file-access.ts'
import { checkFile, hasFile, look, openFile } from './file-access.ts'
import { loadTable } from './load.ts'
import { countFeatures, readPages } from './read-features.ts'
import { removeSideFile } from './stage.ts'
import { describeTable } from './table-description.ts'
import { toTableName } from './table-names.ts'
import { Writer } from './writer.ts'

export interface GeoPackageStoreParts {
  findDefinition: FindCrsDefinition
  clock?: Clock
  /** How long a connection stays open after a load, for the next one; by default not at all. */
  keepMs?: number
}

const dropTimeoutMs = 60_000

/**
 * A GeoPackage file (OGC 12-128r18) as a store. It is opened anew for each call, unless `keepMs` says otherwise, so that
 * a file nobody works with has nothing beside it and can be copied as it is.
 */
export function createGeoPackageStore(
  settings: GeoPackageStoreSettings,
  { findDefinition, clock = systemClock, keepMs = 0 }: GeoPackageStoreParts,
): VectorStore {
  const { path } = settings
  const writer = new Writer(path, keepMs)

  async function write<Result>(action: () => Promise<Result>): Promise<Result> {
    if (settings.isReadOnly === true) {
      throw invalid('read-only-store', `"${basename(path)}" is served as it is: it cannot be changed`)
    }
    try {
      return await action()
    } catch (error) {
      throw storeFailure(error, path)
    }
  }

  return {
    type: 'GeoPackage',
    check: async () => checkFile(settings),
    listTables: async () => look(settings, [], (db) => listTables(db).map(({ name }) => name)),
    findTable: async (table) =>
      look<TableDescription | undefined>(settings, undefined, (db) => describeTable(db, table)),
    tableName: toTableName,
    load: (request, batches, hooks) =>
      write(() => loadTable({ path, writer, clock, findDefinition }, request, batches, hooks)),
    outcome: async (token) => {
      const { table, lastChange } = JSON.parse(token) as { table: string; lastChange: string }
      return look(settings, 'absent', (db) => (findChange(db, table) === lastChange ? 'committed' : 'absent'))
    },
    sweep: async (loadId) => removeSideFile(path, loadId),
    count: async (query) => countTable(settings, query),
    readFeatures: (query, signal) => readTable(settings, query, signal),
    dropTable: (table) =>
      write(async () => {
        if (!hasFile(path)) throw unknownTable(path, table)
        await dropTable(path, table, AbortSignal.timeout(dropTimeoutMs))
      }),
    state: () => fileState([path, `${path}-wal`]),
    close: async () => writer.close(),
  }
}

function unknownTable(path: string, table: string): Error {
  return notFound('unknown-table', `"${basename(path)}" has no table "${table}"`)
}

function countTable(
  settings: GeoPackageStoreSettings,
  query: Omit<FeatureQuery, 'limit' | 'offset'>,
): number {
  const count = look<number | undefined>(settings, undefined, (db) => {
    const table = findTable(db, query.table)
    return table === undefined ? undefined : countFeatures(db, table, query)
  })
  if (count === undefined) throw unknownTable(settings.path, query.table)
  return count
}

async function* readTable(
  settings: GeoPackageStoreSettings,
  query: FeatureQuery,
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  signal.throwIfAborted()
  if (!hasFile(settings.path)) throw unknownTable(settings.path, query.table)
  const opened = openFile(settings)
  try {
    const table = findTable(opened.db, query.table)
    if (table === undefined) throw unknownTable(settings.path, query.table)
    yield* readPages(opened.db, table, query, signal)
  } catch (error) {
    throw storeFailure(error, settings.path)
  } finally {
    opened.close()
  }
}
