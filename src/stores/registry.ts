import { invalid } from '../lib/errors.ts'
import { createPostgisStore } from './postgis/postgis-store.ts'
import type { StoreConnection, StoreType, VectorStore } from './store.ts'

/** What opens each type of store: one line for each. */
const openers: Partial<Record<StoreType, (connection: StoreConnection) => VectorStore>> = {
  PostGIS: ({ parameters }) => createPostgisStore(parameters),
}

/** Opens a store of any type; the connection itself is tried by `check` or at first use. */
export function openVectorStore(connection: StoreConnection): VectorStore {
  const open = openers[connection.type]
  if (open !== undefined) return open(connection)
  throw invalid('unknown-store-type', `Stores of type "${connection.type}" are not known`)
}
