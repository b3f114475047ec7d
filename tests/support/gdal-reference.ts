import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../src/core/process/process.ts'

/** Debian's, which GDAL's package brings its bindings for. */
const python = '/usr/bin/python3'
const script = fileURLToPath(new URL('gdal-reference.py', import.meta.url))

/**
 * Value as GDAL's own interface returns it: numbers as exact text, bytes as hexadecimal digits, times as
 * parts.
 */
export type GdalValue = string | string[] | number[] | null

export interface GdalLayer {
  name: string
  /** The column that numbers its features; empty where there is none. */
  key: string
  fields: { name: string; type: string }[]
  rows: { geometry: string | null; fid: number; values: GdalValue[] }[]
  geometryType: string
}

export interface GdalFile {
  name: string
  path: string
  driver: string
  layers: GdalLayer[]
  error?: string
}

type Config = Record<string, Record<string, string>>

/** Returns true if the Python bindings of GDAL are available. */
export async function hasGdalBindings(): Promise<boolean> {
  if (!existsSync(python)) return false
  return runProgram(python, ['-c', 'from osgeo import ogr']).then(
    () => true,
    () => false,
  )
}

async function ask(query: object): Promise<GdalFile[]> {
  const { stdout } = await runProgram(python, [script], { stdin: JSON.stringify(query) })
  const lines = stdout.toString('utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as GdalFile)
}

/**
 * Makes GDAL write a file with each of its drivers, with values of every type, and returns what GDAL reads
 * from them.
 */
export function writtenByGdal(folder: string, config: Config): Promise<GdalFile[]> {
  return ask({ folder, write: true, config })
}

/** Returns what GDAL reads from files. */
export function readByGdal(
  files: { name: string; path: string; driver: string }[],
  config: Config,
): Promise<GdalFile[]> {
  return ask({ files, config })
}
