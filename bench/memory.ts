import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadCases } from './cases.ts'
import { dataFile } from './data.ts'
import { createStore, timeLoad } from './load.ts'
import { startBenchServer } from './server.ts'
import { MemoryWatch } from './tree-memory.ts'

const rows = 200_000
const caseName = 'points-shapefile-geopackage'
/** Longer than a thread without work stays. */
const restMs = 15_000
const maxLoads = 2 * availableParallelism()

interface MemoryResult {
  name: string
  megabytes: number
  targetMegabytes: number
}

/** The memory of a server with its processes: idle, and at most while it loads. */
export async function runMemory(folder: string, databaseUrl: URL): Promise<MemoryResult[]> {
  const one = loadCases.find(({ name }) => name === caseName)
  if (one === undefined) throw new Error(`There is no case ${caseName}`)
  const file = await dataFile(folder, one.dataset, one.kind, rows)
  const server = await startBenchServer(folder)
  try {
    await createStore(server.client, one.target, databaseUrl)
    await sleep(restMs)
    const peakOf = async (loads: number): Promise<number> => {
      const watch = new MemoryWatch(server.pid)
      await Promise.all(Array.from({ length: loads }, () => timeLoad(server.client, one, file)))
      watch.stop()
      await sleep(restMs)
      return watch.peak
    }
    const watch = new MemoryWatch(server.pid)
    const idle = watch.now()
    watch.stop()
    return [
      { name: 'idle', megabytes: idle, targetMegabytes: 350 },
      { name: 'two loads', megabytes: await peakOf(2), targetMegabytes: 350 },
      { name: `${maxLoads} loads`, megabytes: await peakOf(maxLoads), targetMegabytes: 450 },
    ]
  } finally {
    await server.stop()
  }
}

/** The section of `bench/results.md`; empty where nothing was measured. */
export function memoryReport(results: MemoryResult[]): string {
  if (results.length === 0) return ''
  const lines = results.map((one) => `| ${one.name} | ${one.megabytes} | ${one.targetMegabytes} |`)
  return `
## Memory

Megabytes that the server holds with its processes, at most; loads are of ${rows} points into one GeoPackage.

| while | MB | wanted |
|---|---:|---:|
${lines.join('\n')}
`
}
