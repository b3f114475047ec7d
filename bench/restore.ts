import { readImport } from '../src/cli/import-views.ts'
import { listOf, textOf } from '../src/cli/json-views.ts'
import type { RestClient } from '../src/cli/rest-client.ts'
import { dataFile } from './data.ts'
import { createStore } from './load.ts'
import { quantile } from './quantile.ts'
import type { SmallResult } from './report.ts'
import { startBenchServer } from './server.ts'

const tries = 5
const wantedMilliseconds = 1000
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

/** Whole versions of polygons that are brought back, by turns, with the request and all. */
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
          (one) => textOf(one, 'restorable') === 'true',
        )
        const start = performance.now()
        await client.post(`${path}/${textOf(kept, 'version')}/restore`, { what: ['data'] })
        times.push(performance.now() - start)
      }
      const milliseconds = quantile(times, 0.5)
      results.push({ name: `restore of ${rows} polygons, ${target}`, milliseconds, wantedMilliseconds })
    } finally {
      await server.stop()
    }
  }
  return results
}
