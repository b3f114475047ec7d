import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { invalid } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { systemClock } from '../../core/time/clock.ts'
import { readyFor } from '../../filters/row-filter.ts'
import { hasCatalogue, listTables } from '../../formats/geopackage/index.ts'
import type { TableDescription, UniqueKey, VectorStore } from '../store.ts'
import type { TableSummary } from '../table-summary.ts'
import { describeTable, findChange } from './contents.ts'
import type { FindCrsDefinition } from './crs-rows.ts'
import { fingerprintDatabaseNow } from './database-fingerprint.ts'
import { dropTable } from './drop-table.ts'
import { createTableEdits } from './edit/prepare-edit.ts'
import { storeFailure } from './errors.ts'
import type { GeoPackageStoreSettings } from './file-access.ts'
import { checkStoreFile, hasFile } from './file-access.ts'
import { stageLoad } from './load/stage-load.ts'
import { takeUp } from './load/take-up.ts'
import { GeoPackageReading, unknownTable } from './reading/reading.ts'
import { databaseState } from './server-writes.ts'
import { createTableStates } from './snapshots/table-states.ts'
import { removeSideFile } from './stage-rows.ts'
import { summarizeTables } from './summarize-tables.ts'
import { toTableName } from './table-names.ts'
import { indexedColumns, uniqueKeys } from './unique-keys.ts'
import { Writer } from './writer.ts'

export interface GeoPackageStoreOptions {
  findDefinition: FindCrsDefinition
  clock?: Clock
  /**
   * Time for which a connection is retained after a load for the next one, in milliseconds; by default not at
   * all.
   */
  keepMs?: number
  /** The same for read connections. */
  keepReadingMs?: number
  /** True if `close` moves a log into the file. */
  leavesWhole?: boolean
}

const dropTimeoutMs = 60_000

/**
 * Creates a store for a GeoPackage file (OGC 12-128r18). The file is opened for each call, unless `keepMs` is
 * set, so that an idle file has no other files next to it and can be copied.
 */
export function createGeoPackageStore(
  settings: GeoPackageStoreSettings,
  {
    findDefinition,
    clock = systemClock,
    keepMs = 0,
    keepReadingMs = 0,
    leavesWhole = false,
  }: GeoPackageStoreOptions,
): VectorStore {
  const { path } = settings
  const writer = new Writer(path, keepMs)
  const reading = new GeoPackageReading(settings, keepReadingMs)

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

  /** Reads the file; returns `absent` if there is no GeoPackage yet. */
  function read<Result>(absent: Result, action: (db: DatabaseSync) => Result): Result {
    return reading.use(
      ({ db }) => (hasCatalogue(db) ? action(db) : absent),
      () => absent,
    )
  }

  const surroundings = { path, writer, clock, findDefinition }
  return {
    type: 'GeoPackage',
    check: async () => checkStoreFile(settings, () => read(!hasFile(path), () => true)),
    listTables: async () => read([], (db) => listTables(db).map(({ name }) => name)),
    findTable: async (table) =>
      read<TableDescription | undefined>(undefined, (db) => describeTable(db, table)),
    summarizeTables: async () => read<TableSummary[]>([], summarizeTables),
    uniqueKeys: async (table) => read<UniqueKey[]>([], (db) => uniqueKeys(db, table)),
    indexedColumns: async (table) => read<string[]>([], (db) => indexedColumns(db, table)),
    tableName: toTableName,
    stage: (request, batches, hooks) => write(() => stageLoad(surroundings, request, batches, hooks)),
    takeUp: (request, retainedRows, hooks) => write(() => takeUp(surroundings, request, retainedRows, hooks)),
    ...(settings.isReadOnly === true ? {} : changesOf(surroundings, reading)),
    outcome: async (token) => {
      const { table, lastChange } = JSON.parse(token) as { table: string; lastChange: string }
      return read('absent', (db) => (findChange(db, table) === lastChange ? 'committed' : 'absent'))
    },
    sweep: async (loadId) => removeSideFile(path, loadId),
    count: async (query, signal) => {
      await readyFor(query.filter)
      return reading.count(query, signal)
    },
    estimateRows: async (table, boxes) => reading.estimateRows(table, boxes),
    readFeatures: (query, signal) => reading.read(query, signal),
    tiles: reading,
    dropTable: (table) =>
      write(async () => {
        if (!hasFile(path)) throw unknownTable(path, table)
        await dropTable(path, table, AbortSignal.timeout(dropTimeoutMs))
      }),
    timeBounds: async (table, attribute) => reading.timeBounds(table, attribute),
    state: () => databaseState(path),
    stateNow: () => {
      const { text, settlesInMs } = fingerprintDatabaseNow(path)
      return settlesInMs === 0 ? text : undefined
    },
    close: async () => {
      reading.close()
      await writer.close()
      if (leavesWhole && settings.isReadOnly !== true) await writer.moveRest()
    },
  }
}

function changesOf(
  surroundings: Parameters<typeof createTableStates>[0] & Parameters<typeof createTableEdits>[0],
  reading: GeoPackageReading,
): Pick<VectorStore, 'states' | 'edits'> {
  return { states: createTableStates(surroundings, reading), edits: createTableEdits(surroundings, reading) }
}
