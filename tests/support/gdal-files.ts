import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findProgram } from '../../src/core/process/process.ts'
import type { DataFile, Format, LayerDescription } from '../../src/formats/format.ts'
import { detectFormat } from '../../src/formats/registry.ts'
import type { FeatureBatch } from '../../src/geo/batch.ts'
import { dataFile } from './read-layer.ts'
import type { Cell } from './table-batches.ts'
import { tableRows } from './table-batches.ts'

export const context = { signal: new AbortController().signal }
export const needsGdal = { skip: (await findProgram('ogr2ogr')) === undefined }

export function gdalFixture(name: string): DataFile {
  return { path: fileURLToPath(new URL(`../fixtures/gdal/${name}`, import.meta.url)), sidecars: {} }
}

/** A folder that goes with the test. */
export async function testFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'terrane-test-'))
  test.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Sets a folder of the test as the temporary folder and returns its path. */
export async function ownTemporaryFolder(test: TestContext): Promise<string> {
  const folder = await testFolder(test)
  const { TMPDIR } = process.env
  process.env.TMPDIR = folder
  test.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  return folder
}

/** The format that takes the file. */
export function formatOf(file: DataFile): Promise<Format | undefined> {
  return detectFormat(file, context.signal)
}

async function getFormat(file: DataFile): Promise<Format> {
  const format = await formatOf(file)
  if (format === undefined) throw new Error(`No format takes ${file.path}`)
  return format
}

export async function describeFile(file: DataFile): Promise<LayerDescription[]> {
  return (await getFormat(file)).describe(file, context)
}

export async function readBatches(file: DataFile, layer: LayerDescription): Promise<FeatureBatch[]> {
  const batches: FeatureBatch[] = []
  for await (const batch of (await getFormat(file)).read(file, layer, context)) batches.push(batch)
  return batches
}

export interface GdalTable {
  layer: LayerDescription
  /** `name type` of each attribute. */
  columns: string[]
  rows: Cell[][]
  batches: FeatureBatch[]
}

/** Reads every layer of a file with its rows; its sidecar files are in the same folder. */
export async function readTables(path: string): Promise<GdalTable[]> {
  const file = statSync(path).isDirectory() ? { path, sidecars: {} } : dataFile(path)
  const tables: GdalTable[] = []
  for (const layer of await describeFile(file)) {
    const batches = await readBatches(file, layer)
    const columns = layer.schema.attributes.map(({ name, type }) => `${name} ${type}`)
    tables.push({ layer, columns, rows: batches.flatMap(tableRows), batches })
  }
  return tables
}
