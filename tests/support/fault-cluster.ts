import assert from 'node:assert/strict'
import type { FaultyProxy } from './faulty-proxy.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { type Json, listOf } from './importer-client.ts'
import type { OwnCluster, PostgresCluster } from './postgres.ts'
import { runSql } from './postgres.ts'
import type { TestServer } from './server.ts'
import { startServer } from './server.ts'
import { pointsText, provideFile } from './slow-sources.ts'
import type { Cleanup } from './terrane-process.ts'
import { temporaryData } from './terrane-process.ts'
import { until } from './until.ts'

const rows = 60_000
/** Imports that run on the first server when the fault comes. */
const imports = 3
export const leaseSeconds = 1

/** Two servers of one catalogue and one data directory; the first reaches its database through a proxy. */
export interface FaultCluster {
  first: TestServer
  second: TestServer
  proxy: FaultyProxy
  dataDir: string
  databaseUrl: string
  env: Record<string, string>
}

/** Starts both servers, and provides the file that they import. */
export async function startFaultCluster(
  t: Cleanup,
  cluster: PostgresCluster | OwnCluster,
  {
    envOfFirst = {},
    isSecondProxied = false,
  }: { envOfFirst?: Record<string, string>; isSecondProxied?: boolean } = {},
): Promise<FaultCluster> {
  const databaseUrl = await cluster.createDatabase()
  const proxy = await startFaultyProxy(t, Number(new URL(databaseUrl).port))
  const dataDir = temporaryData(t)
  const env = {
    TERRANE_DATABASE_URL: databaseUrl,
    TERRANE_LEASE_SECONDS: String(leaseSeconds),
    TERRANE_LOADS: '2',
    TERRANE_REQUEST_SECONDS: '20',
  }
  const proxied = { ...env, TERRANE_DATABASE_URL: proxy.url(databaseUrl) }
  provideFile(dataDir, 'points.geojson', pointsText(rows))
  const second = await startServer(t, dataDir, isSecondProxied ? proxied : env)
  const first = await startServer(t, dataDir, { ...proxied, ...envOfFirst })
  return { first, second, proxy, dataDir, databaseUrl, env }
}

/** Starts imports on a server, and returns their ids when the first of them loads rows. */
export async function beginImports(server: TestServer): Promise<number[]> {
  const ids: number[] = []
  for (let number = 0; number < imports; number += 1) {
    const data = { type: 'file', file: 'points.geojson' }
    const { status, json, text } = await server.call('POST', '/rest/imports', { import: { data } })
    assert.equal(status, 201, text)
    ids.push(Number(json.import?.id))
  }
  const isLoading = await server.watch(ids[0] ?? 0)
  for (const id of ids) {
    const { status, text } = await server.call('POST', `/rest/imports/${id}?async=true`)
    assert.equal(status, 204, text)
  }
  assert.ok(await isLoading(/"phase":"loading","progress":[1-9]/))
  return ids
}

/** Waits at a server until all imports have ended, and asserts that they are complete. */
export async function assertComplete(server: TestServer, ids: number[]): Promise<void> {
  for (const id of ids) {
    const done = await endedImport(server, id)
    assert.equal(String(done.state), 'COMPLETE', JSON.stringify(done))
  }
}

async function endedImport(server: TestServer, id: number): Promise<Json> {
  let last: Json = {}
  await until(async () => {
    const { json } = await server
      .call('GET', `/rest/imports/${id}?expand=3`)
      .catch(() => ({ json: {} as Json }))
    last = (json.import ?? {}) as Json
    return ['COMPLETE', 'COMPLETE_ERROR'].includes(String(last.state))
  })
  return last
}

/** Asserts that each server shows one layer for each import, with every row once, and that no staging table is left. */
export async function assertExact(
  { databaseUrl }: Pick<FaultCluster, 'databaseUrl'>,
  servers: TestServer[],
  count: number,
): Promise<void> {
  for (const server of servers) {
    const { json } = await server.call('GET', '/rest/layers')
    const names = listOf(json.layers?.layer).map(({ name }) => String(name))
    assert.equal(names.length, count, names.join())
    for (const name of names) {
      const page = await server.call('GET', `/ogc/collections/${name}/items?limit=1`)
      assert.equal(Number(page.json.numberMatched), rows, `${name}: ${page.text}`)
    }
  }
  const tables = await runSql(
    databaseUrl,
    `select table_name as name, (xpath('/row/c/text()', query_to_xml(format(
       'select count(distinct row) * 1000000 + count(*) as c from ws_default.%I', table_name), false, true, '')))[1]::text as sums
     from information_schema.tables where table_schema = 'ws_default'`,
  )
  assert.deepEqual(
    tables.map(({ sums }) => Number(sums)),
    Array.from({ length: count }, () => rows * 1_000_000 + rows),
    JSON.stringify(tables),
  )
}

/**
 * Calls `GET path` again and again until `stop` or the end of the test. Returns the longest time, and the statuses
 * that came.
 */
export function keepAsking(
  t: Cleanup,
  server: TestServer,
  path: string,
): { stop(): Promise<{ longestMs: number; statuses: Set<number> }> } {
  let isStopped = false
  let longestMs = 0
  const statuses = new Set<number>()
  const work = (async () => {
    while (!isStopped) {
      const started = performance.now()
      statuses.add(
        await server.call('GET', path).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      longestMs = Math.max(longestMs, performance.now() - started)
    }
  })()
  t.after(() => {
    isStopped = true
  })
  return {
    stop: async () => {
      isStopped = true
      await work
      return { longestMs, statuses }
    },
  }
}
