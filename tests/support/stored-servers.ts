import { createCatalogDatabase } from './catalog-database.ts'
import type { SharedStorage } from './cluster.ts'
import { s3Environment, testBucket } from './file-stores.ts'
import { startS3 } from './remote-servers.ts'
import type { TestServer } from './server.ts'
import { startServer } from './server.ts'
import type { Cleanup } from './terrane-process.ts'
import { temporaryData } from './terrane-process.ts'

/** Servers that share nothing but PostgreSQL and an object store. */
export interface StoredServers extends Pick<SharedStorage, 'databaseUrl'> {
  /** Address of the object store, for servers. */
  endpoint: string
  env: Record<string, string>
  /** Starts a further server with a data directory of its own. */
  start(more?: Record<string, string>): Promise<TestServer>
}

const secretKey = '5f'.repeat(32)

/** Prepares a database and an object store for servers. `endpoint` replaces the address of the object store. */
export async function makeStoredServers(t: Cleanup, endpoint?: string): Promise<StoredServers> {
  const databaseUrl = await createCatalogDatabase()
  const address = endpoint ?? (await startS3(t, testBucket))
  const env = {
    ...s3Environment(address, 'cluster'),
    TERRANE_DATABASE_URL: databaseUrl,
    TERRANE_SECRET_KEY: secretKey,
    TERRANE_LOADS: '2',
  }
  return {
    databaseUrl,
    endpoint: address,
    env,
    start: (more = {}) => startServer(t, temporaryData(t), { ...env, ...more }),
  }
}
