import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../src/core/process/process.ts'
import { runSql } from '../tests/support/postgres.ts'
import type { LoadCase } from './cases.ts'

const hourMilliseconds = 3600_000
const csvOptions = [
  'X_POSSIBLE_NAMES=lon',
  'Y_POSSIBLE_NAMES=lat',
  'KEEP_GEOM_COLUMNS=NO',
  'AUTODETECT_TYPE=YES',
]

/** Runs the same load with `ogr2ogr` and removes the layer again; returns the duration in seconds. */
export async function timePeer(
  one: LoadCase,
  file: string,
  databaseUrl: URL,
  folder: string,
): Promise<number> {
  const source = one.kind === 'csv' ? [file, ...csvOptions.flatMap((option) => ['-oo', option])] : [file]
  const options = [...source, '-nln', 'peer', '-a_srs', 'EPSG:4326']
  return one.target === 'PostGIS' ? toPostgis(options, databaseUrl) : toGeoPackage(options, folder)
}

async function toPostgis(options: string[], databaseUrl: URL): Promise<number> {
  const { hostname, port, pathname, username, password } = databaseUrl
  const connection = `PG:host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  const target = ['-f', 'PostgreSQL', '--config', 'PG_USE_COPY', 'YES', connection]
  const seconds = await timeOgr([...target, ...options])
  await runSql(databaseUrl.href, 'drop table peer')
  return seconds
}

async function toGeoPackage(options: string[], folder: string): Promise<number> {
  const place = mkdtempSync(join(folder, 'peer-'))
  try {
    return await timeOgr(['-f', 'GPKG', join(place, 'peer.gpkg'), ...options])
  } finally {
    rmSync(place, { recursive: true })
  }
}

async function timeOgr(args: string[]): Promise<number> {
  const start = performance.now()
  await runProgram('ogr2ogr', args, { timeoutMs: hourMilliseconds })
  return (performance.now() - start) / 1000
}
