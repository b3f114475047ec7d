import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readImport } from '../src/cli/import-views.ts'
import { readField } from '../src/cli/rest-client.ts'
import { dataFile } from './data.ts'
import type { SmallResult } from './report.ts'
import type { BenchServer } from './server.ts'
import { startBenchServer } from './server.ts'

const pages = 9

/**
 * Measures the inspection of a large file before its load: the first rows, the first map of them, and all of
 * its columns.
 */
export async function runLooks(folder: string, rows: number): Promise<SmallResult[]> {
  const file = await dataFile(folder, 'polygons', 'geojson', rows)
  const gigabytes = (statSync(file).size / 1e9).toFixed(1)
  const data = mkdtempSync(join(tmpdir(), 'terrane-looks-'))
  let server = await startBenchServer(folder, { data })
  try {
    const body = { import: { data: { type: 'file', file } } }
    const { id } = readImport(await server.client.post('/rest/imports', body))
    const path = `/rest/imports/${id}/tasks/0`
    const first = await timeOf(server, `${path}/rows?limit=20`)
    const next: number[] = []
    for (let page = 1; page <= pages; page += 1)
      next.push(await timeOf(server, `${path}/rows?limit=20&offset=${page * 20}`))
    const begun = performance.now()
    const map = await timeOf(server, `${path}/preview.geojson?limit=20`)
    while (!(await isCounted(server, path)));
    const counted = performance.now() - begun
    await server.stop()
    server = await startBenchServer(folder, { data })
    const afterStart = await timeOf(server, `${path}/rows?limit=20`)
    const what = `GeoJSON of ${gigabytes} GB`
    return [
      { name: `preview of ${what}: first rows`, milliseconds: first, targetMilliseconds: 200 },
      {
        name: `preview of ${what}: next rows (median)`,
        milliseconds: next.sort((one, other) => one - other)[pages >> 1] ?? 0,
        targetMilliseconds: 200,
      },
      { name: `preview of ${what}: first features of its map`, milliseconds: map, targetMilliseconds: 1000 },
      {
        name: `preview of ${what}: columns of ${rows} rows, and a map of all`,
        milliseconds: counted,
        targetMilliseconds: 60_000,
      },
      {
        name: `preview of ${what}: the first rows after a start`,
        milliseconds: afterStart,
        targetMilliseconds: 200,
      },
    ]
  } finally {
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

async function timeOf({ client }: BenchServer, path: string): Promise<number> {
  const begun = performance.now()
  await client.get(path)
  return performance.now() - begun
}

async function isCounted({ client }: BenchServer, path: string): Promise<boolean> {
  return readField(readField(await client.get(`${path}/columns?wait=30`), 'rows'), 'whole') === true
}
