import { setTimeout as sleep } from 'node:timers/promises'
import { readImport } from '../src/cli/import-views.ts'
import type { RestClient } from '../src/cli/rest-client.ts'
import { listOf, readString } from '../src/cli/rest-client.ts'
import { dataFile } from './data.ts'
import { createStore } from './load.ts'
import { quantile } from './quantile.ts'
import type { SmallResult } from './report.ts'
import type { BenchServer } from './server.ts'
import { startBenchServer } from './server.ts'
import { MemoryWatch } from './tree-memory.ts'

const tries = 5
const targetMilliseconds = 1000
/** As long as it takes to load what is compared. */
const targetComparisonMilliseconds = 60_000
const betweenMs = 250
const defaultRows = 500_000

async function replace(client: RestClient, file: string, updateMode: 'CREATE' | 'REPLACE'): Promise<void> {
  const created = await client.post('/rest/imports', {
    import: { targetStore: { dataStore: { name: 'bench' } }, data: { type: 'file', file } },
  })
  const path = `/rest/imports/${readImport(created).id}`
  await client.put(`${path}/tasks/0`, { task: { updateMode, layer: { name: 'kept', nativeName: 'kept' } } })
  await client.post(path)
  const { state, message = '' } = readImport(await client.get(path))
  if (state !== 'COMPLETE') throw new Error(`${file}: ${state} ${message}`)
}

/**
 * Compares two versions row by row until the result is ready, and records the memory of the server and its
 * processes.
 */
async function compareVersions({ client, pid }: BenchServer, what: string): Promise<SmallResult> {
  const watch = new MemoryWatch(pid, 'compare-work')
  const start = performance.now()
  try {
    while (!(await isCompared(client))) await sleep(betweenMs)
  } finally {
    watch.stop()
  }
  const milliseconds = performance.now() - start
  const name = `changes between two versions of ${what}, at most ${watch.peak} MB, ${watch.peakOfFile} of them by the comparison`
  return { name, milliseconds, targetMilliseconds: targetComparisonMilliseconds }
}

/** Returns false as long as the server responds that the client must retry. */
async function isCompared(client: RestClient): Promise<boolean> {
  try {
    await client.get('/rest/layers/default:kept/versions/1/changes?against=2&limit=1')
    return true
  } catch (error) {
    if (/being compared/.test(String(error))) return false
    throw error
  }
}

/** Measures alternating restores of whole versions of polygons, including the request. */
export async function runRestores(
  folder: string,
  databaseUrl: URL,
  rows = defaultRows,
): Promise<SmallResult[]> {
  const file = await dataFile(folder, 'polygons', 'geopackage', rows)
  const results: SmallResult[] = []
  for (const target of ['GeoPackage', 'PostGIS'] as const) {
    const server = await startBenchServer(folder)
    try {
      const { client } = server
      await createStore(client, target, databaseUrl)
      await replace(client, file, 'CREATE')
      await replace(client, file, 'REPLACE')
      const times: number[] = []
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const path = '/rest/layers/default:kept/versions'
        const kept = listOf(await client.get(path), 'versions').find(
          (one) => readString(one, 'restorable') === 'true',
        )
        const start = performance.now()
        await client.post(`${path}/${readString(kept, 'version')}/restore`, { what: ['data'] })
        times.push(performance.now() - start)
      }
      const milliseconds = quantile(times, 0.5)
      results.push({ name: `restore of ${rows} polygons, ${target}`, milliseconds, targetMilliseconds })
      results.push(await compareVersions(server, `${rows} polygons, ${target}`))
    } finally {
      await server.stop()
    }
  }
  return results
}
