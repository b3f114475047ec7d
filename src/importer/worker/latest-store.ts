import { isDeepStrictEqual } from 'node:util'
import { openVectorStore } from '../../stores/registry.ts'
import type { StoreConnection, VectorStore } from '../../stores/store.ts'

let latest: { connection: StoreConnection; store: VectorStore } | undefined

/** The store to load into: that of the load before where it is the same, so that what it keeps open serves again. */
export async function latestStore(connection: StoreConnection): Promise<VectorStore> {
  if (latest !== undefined && isDeepStrictEqual(latest.connection, connection)) return latest.store
  const before = latest
  latest = undefined
  await before?.store.close()
  const store = openVectorStore(connection, { isKept: true })
  latest = { connection, store }
  return store
}
