import { randomUUID } from 'node:crypto'
import { accessSync, constants, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { serialize } from 'node:v8'
import { conflict, invalid, notFound } from '../../core/errors/errors.ts'
import { defined } from '../../core/values/defined.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { fileState } from '../file-state.ts'
import type {
  FeaturePage,
  FeatureQuery,
  LoadHooks,
  LoadRequest,
  LoadResult,
  PreparedLoad,
  StagedLoad,
  TableDescription,
  TableState,
  TimeBounds,
  VectorStore,
} from '../store.ts'
import { scanTimeBounds } from '../time-bounds.ts'
import type { TablePlan } from './plan-table.ts'
import { planTable } from './plan-table.ts'
import { matchRows, pagesOf } from './read-rows.ts'
import type { StoredRow, StoredTable } from './row-file.ts'
import { describeTable, envelopeOf, readTables, removeStaged, stagedPath, writeTables } from './row-file.ts'
import { takeRows } from './take-rows.ts'

const longestName = 200

interface FileLocation {
  path: string
  isReadOnly: boolean
}

/** Every change reads the file and writes it anew without a pause: nobody else of this process comes in between. */
export class RowFileStore implements VectorStore {
  readonly type: string
  readonly #place: FileLocation

  constructor(type: string, place: FileLocation) {
    this.type = type
    this.#place = place
  }

  async check(): Promise<void> {
    const { path, isReadOnly } = this.#place
    try {
      accessSync(isReadOnly ? path : dirname(path), isReadOnly ? constants.R_OK : constants.W_OK)
    } catch (error) {
      throw invalid('store-file', `"${path}" cannot be read or written`, { cause: error })
    }
  }

  async listTables(): Promise<string[]> {
    return this.#tables().map(({ name }) => name)
  }

  async findTable(table: string): Promise<TableDescription | undefined> {
    const found = this.#tables().find(({ name }) => name === table)
    return found && describeTable(found)
  }

  tableName(requested: string, suffix = ''): string {
    return requested.slice(0, longestName - suffix.length) + suffix
  }

  async stage(
    request: LoadRequest,
    batches: AsyncIterable<FeatureBatch>,
    hooks: LoadHooks,
  ): Promise<StagedLoad> {
    this.#refuseReadOnly()
    const { path } = this.#place
    const existing = this.#tables().find(({ name }) => name === request.table)
    const plan = planTable(request, existing, hooks.onMessage)
    const rows = await takeRows(plan, batches, hooks)
    writeFileSync(stagedPath(path, request.loadId), serialize(rows))
    const discard = async (): Promise<void> => removeStaged(path, request.loadId)
    const envelope = envelopeOf(rows)
    const result: LoadResult = defined({ rowsLoaded: rows.length, renamed: plan.renamed, envelope })
    return {
      result,
      discard,
      prepare: async () => this.#prepare({ request, plan, rows, hooks }, result, discard),
    }
  }

  async outcome(token: string): Promise<'committed' | 'absent'> {
    return this.#tables().some(({ loads }) => loads.includes(token)) ? 'committed' : 'absent'
  }

  async sweep(loadId: string): Promise<void> {
    removeStaged(this.#place.path, loadId)
  }

  async count(query: Omit<FeatureQuery, 'limit' | 'offset'>): Promise<number> {
    return matchRows(this.#getTable(query.table), query).length
  }

  async *readFeatures(query: FeatureQuery, signal: AbortSignal): AsyncGenerator<FeaturePage> {
    const table = this.#getTable(query.table)
    const rows = matchRows(table, query).slice(query.offset, query.offset + query.limit)
    yield* pagesOf(table.schema, rows, signal)
  }

  async dropTable(table: string): Promise<void> {
    this.#refuseReadOnly()
    this.#getTable(table)
    writeTables(
      this.#place.path,
      this.#tables().filter(({ name }) => name !== table),
    )
  }

  timeBounds(table: string, attribute: string, signal: AbortSignal): Promise<TimeBounds | undefined> {
    const all = { table, limit: Number.POSITIVE_INFINITY, offset: 0 }
    return scanTimeBounds(this.readFeatures(all, signal), attribute)
  }

  async state(): Promise<TableState> {
    return { text: await fileState([this.#place.path]) }
  }

  async close(): Promise<void> {}

  #tables(): StoredTable[] {
    return readTables(this.#place.path)
  }

  #getTable(table: string): StoredTable {
    const found = this.#tables().find(({ name }) => name === table)
    if (found === undefined) throw notFound('unknown-table', `The file has no table "${table}"`)
    return found
  }

  #refuseReadOnly(): void {
    if (this.#place.isReadOnly) throw invalid('read-only-store', 'The file is served as it is')
  }

  /** The token stands in the table from the commit on, so that `outcome` finds it after a crash. */
  #prepare(load: Load, result: LoadResult, discard: () => Promise<void>): PreparedLoad {
    load.hooks.signal.throwIfAborted()
    const token = randomUUID()
    const commit = async (): Promise<void> => {
      try {
        load.hooks.signal.throwIfAborted()
        writeTables(this.#place.path, tablesAfter(this.#tables(), load, token))
      } finally {
        await discard()
      }
    }
    return { result, token, commit, discard }
  }
}

interface Load {
  request: LoadRequest
  plan: TablePlan
  rows: StoredRow[]
  hooks: LoadHooks
}

function tablesAfter(tables: StoredTable[], { request, plan, rows }: Load, token: string): StoredTable[] {
  const { table, mode } = request
  const old = tables.find(({ name }) => name === table)
  const isSame = old === undefined ? mode !== 'APPEND' : mode !== 'CREATE'
  if (!isSame) throw conflict('table-changed', `The table "${table}" was changed by others during the load`)
  const { rows: before = [], firstId = 1, loads = [] } = old ?? {}
  const isAppended = mode === 'APPEND'
  const changed: StoredTable = {
    name: table,
    schema: plan.schema,
    rows: isAppended ? [...before, ...rows] : rows,
    firstId: isAppended ? firstId : firstId + before.length,
    loads: [...loads, token],
  }
  return [...tables.filter(({ name }) => name !== table), changed]
}
