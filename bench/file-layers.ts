import { basename, extname } from 'node:path'
import { readImport, readTasks } from '../src/cli/import-views.ts'
import type { FileKind } from './data.ts'
import { dataFile } from './data.ts'
import { quantile } from './quantile.ts'
import type { SmallResult } from './report.ts'
import type { BenchServer } from './server.ts'
import { startBenchServer } from './server.ts'

const kinds = ['geopackage', 'shapefile', 'flatgeobuf'] as const satisfies FileKind[]
const defaultRows = [500_000, 5_000_000]
const tries = 15
const readers = 8
const targetRatio = 3
const targetMegabytes = 350
/** Fixed cost of any request, whatever its content: no request to a GeoPackage is expected to be faster. */
const minMilliseconds = 3

/** Questions to a layer of `rows` points over the world. */
function queries(rows: number): Record<string, string> {
  return {
    'one feature': 'limit=1',
    'a page in the middle': `limit=100&offset=${rows / 2}`,
    'a large page': 'limit=5000',
    'a small box': 'bbox=10,45,10.5,45.3&limit=100',
    'a box with a tenth': 'bbox=-60,-30,60,0&limit=100',
    'the whole world': 'bbox=-180,-90,180,90&limit=100',
    'a year': 'datetime=2019-01-01/2019-12-31&limit=100',
  }
}

async function publish({ client }: BenchServer, file: string): Promise<string> {
  const created = await client.post('/rest/imports', { import: { data: { type: 'file', file } } })
  const path = `/rest/imports/${readImport(created).id}`
  await client.post(path)
  const { state, message = '' } = readImport(await client.get(path))
  const [task] = readTasks(await client.get(`${path}/tasks?expand=1`))
  if (state !== 'COMPLETE') throw new Error(`${file}: ${state} ${message} ${task?.errorMessage ?? ''}`)
  return `/ogc/collections/default:${encodeURIComponent(task?.layer ?? basename(file, extname(file)))}/items`
}

async function timeOf(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await action()
  return performance.now() - start
}

async function medianOf({ client }: BenchServer, path: string): Promise<number> {
  await client.get(path)
  const times: number[] = []
  for (let attempt = 0; attempt < tries; attempt += 1) times.push(await timeOf(() => client.get(path)))
  return quantile(times, 0.5)
}

/**
 * Sends the same requests to one file of points, as a GeoPackage and as files that are served through an
 * index.
 */
async function askAll(folder: string, rows: number): Promise<SmallResult[]> {
  const results: SmallResult[] = []
  const ofGeoPackage = new Map<string, number>()
  for (const kind of kinds) {
    const file = await dataFile(folder, 'points', kind, rows)
    const server = await startBenchServer(folder)
    const add = (what: string, milliseconds: number): void => {
      const base = ofGeoPackage.get(what) ?? milliseconds
      if (kind === 'geopackage') ofGeoPackage.set(what, milliseconds)
      const targetMilliseconds = Math.round(10 * targetRatio * Math.max(base, minMilliseconds)) / 10
      results.push({ name: `${kind} of ${rows}, ${what}`, milliseconds, targetMilliseconds })
    }
    try {
      let path = ''
      const published = await timeOf(async () => {
        path = await publish(server, file)
      })
      results.push({
        name: `${kind} of ${rows}, publication`,
        milliseconds: published,
        targetMilliseconds: rows / 50,
      })
      for (const [what, query] of Object.entries(queries(rows)))
        add(what, await medianOf(server, `${path}?${query}`))
      add('one feature by its id', await medianOf(server, `${path}/${rows / 2}`))
      const box = `${path}?${queries(rows)['a box with a tenth']}`
      const requested = Array.from({ length: readers }, (_, at) => `${box}&offset=${at * 100}`)
      add(
        `${readers} readers at once`,
        await timeOf(() => Promise.all(requested.map((one) => server.client.get(one)))),
      )
      const peak = { milliseconds: server.peakMegabytes(), targetMilliseconds: targetMegabytes }
      results.push({ name: `${kind} of ${rows}, peak memory in MB`, ...peak })
    } finally {
      await server.stop()
    }
  }
  return results
}

/**
 * Compares layers served from their file with the same layer in a GeoPackage. `rows` replaces the usual
 * sizes.
 */
export async function runFileLayers(folder: string, rows?: number): Promise<SmallResult[]> {
  const results: SmallResult[] = []
  for (const size of rows === undefined ? defaultRows : [rows]) results.push(...(await askAll(folder, size)))
  return results
}
