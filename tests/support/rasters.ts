import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { TestAppOptions } from './app.ts'
import { translateRaster, warpRaster } from './gdal-session.ts'
import type { ImporterClient, Json } from './importer-client.ts'
import { listOf, startImporter } from './importer-client.ts'

export const rasterFixtures = join(import.meta.dirname, '..', 'fixtures', 'raster')

/** The bytes of a fixture. */
export function rasterBytes(name: string): Buffer {
  return readFileSync(join(rasterFixtures, name))
}

/** Runs one of GDAL's programs to make a file for a test. Of a conversion, the last arguments are the two paths. */
export function gdal(program: string, ...args: string[]): void {
  const [from = '', to = ''] = args.slice(-2)
  const options = args.slice(0, -2).filter((one) => !['-q', '-overwrite'].includes(one))
  if (args.includes('--config')) runGdal(program, args)
  else if (program === 'gdal_translate') translateRaster(from, to, options)
  else if (program === 'gdalwarp') warpRaster(from, to, options)
  else runGdal(program, args)
}

function runGdal(program: string, args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Imports a file of the import root, and gives the import with its tasks in full. */
export async function importRaster(client: ImporterClient, file: string): Promise<Json> {
  const created = await client.call('POST', '?exec=true', { import: { data: { type: 'file', file } } })
  assert.equal(created.status, 201, created.text)
  const { json, text } = await client.call('GET', `/${created.json.import?.id}?expand=3`)
  assert.equal(json.import?.state, 'COMPLETE', text)
  return json.import as Json
}

/** A server with one coverage, `default:RGB_byte`, which lies in the import root. */
export async function serveRaster(test: TestContext, options: TestAppOptions = {}): Promise<ImporterClient> {
  const client = await startImporter(test, options)
  client.provide('raster/RGB.byte.tif')
  await importRaster(client, 'RGB.byte.tif')
  return client
}

/** The only task of an import, in full. */
export async function taskOf(client: ImporterClient, importId: number): Promise<Json> {
  const { json, text } = await client.call('GET', `/${importId}?expand=3`)
  const [task, ...others] = listOf(json.import?.tasks)
  assert.equal(others.length, 0, text)
  return task ?? assert.fail(text)
}
