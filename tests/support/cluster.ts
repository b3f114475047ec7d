import assert from 'node:assert/strict'
import { testCluster } from './postgres.ts'
import type { TestServer } from './server.ts'
import { startServer } from './server.ts'
import type { Cleanup } from './terrane-process.ts'
import { temporaryData } from './terrane-process.ts'

/** Places in which the servers of one catalogue store shared data. */
export interface SharedStorage {
  dataDir: string
  env: Record<string, string>
  databaseUrl: string
}

/** A new PostgreSQL database and a data directory. */
export async function makeSharedPlace(t: Cleanup): Promise<SharedStorage> {
  const databaseUrl = await (await testCluster()).createDatabase()
  const env = { TERRANE_DATABASE_URL: databaseUrl, TERRANE_LOADS: '2', TERRANE_REMOTE_ALLOW: '127.0.0.1' }
  return { dataDir: temporaryData(t), env, databaseUrl }
}

/** Starts two real servers at the same time that share one PostgreSQL catalogue and one data directory. */
export async function startPair(
  t: Cleanup,
  envOfFirst: Record<string, string> = {},
  envOfSecond: Record<string, string> = {},
): Promise<SharedStorage & { first: TestServer; second: TestServer }> {
  const place = await makeSharedPlace(t)
  const [first, second] = await Promise.all([
    startServer(t, place.dataDir, { ...place.env, ...envOfFirst }),
    startServer(t, place.dataDir, { ...place.env, ...envOfSecond }),
  ])
  assert.ok(first !== undefined && second !== undefined)
  return { ...place, first, second }
}
