import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readImport } from '../src/cli/import-views.ts'
import { writeShapefile } from '../tests/support/shapefile-writer.ts'
import type { SmallResult } from './report.ts'
import { startBenchServer } from './server.ts'

const files = 10_000
const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.017453292519943295]]'

/**
 * Measures a directory of 10,000 small shapefiles: the time until the import is created, and until its tasks
 * exist.
 */
export async function runScan(folder: string): Promise<SmallResult[]> {
  const location = shapefiles(join(folder, 'shapefiles'))
  const server = await startBenchServer(folder)
  try {
    const start = performance.now()
    const body = { import: { data: { type: 'directory', location } } }
    const path = `/rest/imports/${readImport(await server.client.post('/rest/imports?async=true', body)).id}`
    const answered = performance.now() - start
    let state = 'INIT'
    while (state === 'INIT') {
      await sleep(50)
      state = readImport(await server.client.get(`${path}?expand=0`)).state
    }
    const scanned = performance.now() - start
    if (state !== 'PENDING') throw new Error(`scan: ${state}`)
    return [
      {
        name: `creation over ${files} shapefiles answers (async)`,
        milliseconds: answered,
        targetMilliseconds: 1000,
      },
      { name: `${files} shapefiles scanned into tasks`, milliseconds: scanned, targetMilliseconds: 20_000 },
    ]
  } finally {
    await server.stop()
  }
}

function shapefiles(directory: string): string {
  if (existsSync(join(directory, `f${files - 1}.prj`))) return directory
  mkdirSync(directory, { recursive: true })
  writeShapefile(join(directory, 'f0.shp'), {
    shapeType: 1,
    fields: [
      { name: 'name', type: 'C', width: 20 },
      { name: 'number', type: 'N', width: 10 },
    ],
    rows: Array.from({ length: 10 }, (_, row) => ({
      shape: { parts: [[row, row]] },
      values: [`place ${row}`, row],
    })),
    prj: wgs84,
  })
  for (let at = 1; at < files; at += 1) {
    for (const ending of ['shp', 'shx', 'dbf', 'prj']) {
      copyFileSync(join(directory, `f0.${ending}`), join(directory, `f${at}.${ending}`))
    }
  }
  return directory
}
