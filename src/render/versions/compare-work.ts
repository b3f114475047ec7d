import { requireFreeSpace } from '../../core/files/free-space.ts'
import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { Schema } from '../../geo/schema.ts'
import type { RowMatch, StatePath, StoreConnection, VectorStore } from '../../stores/index.ts'
import { openVectorStore } from '../../stores/registry.ts'
import { type ComparedState, compareStates, type StateChanges } from '../../stores/worker.ts'

/** Location of the rows of a version. Plain data. */
export interface VersionLocation {
  connection: StoreConnection
  table: string
  schema: Schema
  /** Absent if the table contains them. */
  path?: StatePath
}

/** Versions to compare, and the path of the change file. Plain data. */
export interface CompareRequest {
  before: VersionLocation
  after: VersionLocation
  match: RowMatch
  file: string
  /** Maximum number of listed changes. */
  limit: number
}

async function compare(
  { before, after, match, file, limit }: CompareRequest,
  { signal, notify }: CallContext<number>,
): Promise<StateChanges> {
  const stores = [before, after].map(({ connection }) => openVectorStore(connection, { isGuarded: true }))
  const [first, second] = stores as [VectorStore, VectorStore]
  const onPage = (): void => {
    requireFreeSpace(file)
    notify(1)
  }
  try {
    return await compareStates(
      stateOf(first, before, signal),
      stateOf(second, after, signal),
      { match, path: file, limit, onPage },
      signal,
    )
  } finally {
    await Promise.all(stores.map((store) => store.close()))
  }
}

function stateOf(store: VectorStore, location: VersionLocation, signal: AbortSignal): ComparedState {
  const { table, path, schema } = location
  const all = { table, limit: Number.MAX_SAFE_INTEGER, offset: 0, isExact: true }
  const pages = path === undefined ? store.readFeatures(all, signal) : store.states?.read(table, path, signal)
  if (pages === undefined) throw new Error(`No earlier state of "${table}" can be read`)
  return { schema, pages }
}

const handlers = { compare }
export type CompareHandlers = typeof handlers

serveWork(handlers)
