import { isDeepStrictEqual } from 'node:util'
import type { StoreConnection, VectorStore } from '../../stores/index.ts'
import { openVectorStore } from '../../stores/registry.ts'

let latest: { connection: StoreConnection; store: VectorStore } | undefined

/**
 * Returns the store to load into. Reuses the store of the previous load if it is the same, with its open
 * connections.
 */
export async function latestStore(connection: StoreConnection): Promise<VectorStore> {
  if (latest !== undefined && isDeepStrictEqual(latest.connection, connection)) return latest.store
  const before = latest
  latest = undefined
  await before?.store.close()
  const store = openVectorStore(connection, { isKept: true })
  latest = { connection, store }
  return store
}
