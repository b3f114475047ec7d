import { setTimeout as sleep } from 'node:timers/promises'
import { readImport } from '../src/cli/import-views.ts'
import { dataFile } from './data.ts'
import type { SmallResult } from './report.ts'
import { startBenchServer } from './server.ts'

const paths = ['/health', '/rest/imports', '/rest/workspaces/default/layers', '/ogc/collections']
const betweenMs = 5
const targetMilliseconds = 50

/** Measures the 99th percentile (of 100 samples) of response times for other requests while two loads run. */
export async function runAnswers(folder: string, rows: number): Promise<SmallResult[]> {
  const file = await dataFile(folder, 'points', 'geojson', rows)
  const server = await startBenchServer(folder)
  try {
    const { client } = server
    const loads = await Promise.all(
      [0, 1].map(async () => {
        const created = await client.post('/rest/imports', { import: { data: { type: 'file', file } } })
        return `/rest/imports/${readImport(created).id}`
      }),
    )
    let isLoading = true
    const running = Promise.all(loads.map((path) => client.post(path))).finally(() => {
      isLoading = false
    })
    const times: number[] = []
    for (let turn = 0; isLoading; turn += 1) {
      const start = performance.now()
      await client.get(paths[turn % paths.length] as string)
      times.push(performance.now() - start)
      await sleep(betweenMs)
    }
    await running
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
    return [
      {
        name: `other requests while two loads run, p99 of ${sorted.length}`,
        milliseconds: at(0.99),
        targetMilliseconds,
      },
    ]
  } finally {
    await server.stop()
  }
}
