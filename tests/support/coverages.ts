import assert from 'node:assert/strict'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImporterClient } from './importer-client.ts'
import { startImporter } from './importer-client.ts'
import type { FoundRaster } from './raster-cells.ts'
import { readRaster } from './raster-cells.ts'
import { gdal, importRaster, rasterFixtures } from './rasters.ts'
import type { Cleanup } from './terrane-process.ts'

/** Cells of every type that coverages have here. */
export const cellTypes = ['Byte', 'UInt16', 'Int16', 'UInt32', 'Int32', 'Float32', 'Float64']

/** The URI of a system of EPSG. */
export const crsUri = (code: number): string => `http://www.opengis.net/def/crs/EPSG/0/${code}`

/** First part of the query of a GetCoverage request in the workspace `default`. */
export const cover = 'service=WCS&version=2.0.1&request=GetCoverage&coverageId=default__'

interface WcsAnswer {
  status: number
  text: string
  body: Buffer
  headers: Record<string, unknown>
}

/** A server with coverages of many kinds, made by GDAL. */
export interface CoverageServer {
  client: ImporterClient
  folder: string
  ask(query: string): Promise<WcsAnswer>
  /** Returns the raster in the response to a request. */
  raster(query: string): Promise<FoundRaster>
  /** The file that a coverage was imported from. */
  source(name: string): FoundRaster
  /** Returns the raster that a GDAL program creates from the source file. */
  made(program: 'gdal_translate' | 'gdalwarp', name: string, ...args: string[]): FoundRaster
}

/** Values beyond a byte, less than nothing, with decimals, and a hole: 11.25 to each column, 3 to each row. */
const slope = [
  'ncols 23',
  'nrows 17',
  'xllcorner 400000',
  'yllcorner 5000000',
  'cellsize 30',
  'NODATA_value 7',
  ...Array.from({ length: 17 }, (_, row) =>
    Array.from({ length: 23 }, (__, at) => (at === 4 && row === 5 ? 7 : at * 11.25 + row * 3)).join(' '),
  ),
].join('\n')

function makeSources(folder: string): string[] {
  const path = (name: string): string => join(folder, `${name}.tif`)
  const translate = (...args: string[]): void => gdal('gdal_translate', '-q', ...args)
  copyFileSync(join(rasterFixtures, 'RGB.byte.tif'), path('rgb'))
  gdal('gdalwarp', '-q', '-t_srs', 'EPSG:4326', path('rgb'), path('geo'))
  for (const name of ['float_nan', 'rotated'])
    translate('-a_srs', 'EPSG:32618', join(rasterFixtures, `${name}.tif`), path(name))
  writeFileSync(join(folder, 'slope.asc'), slope)
  for (const type of cellTypes)
    translate('-ot', type, '-a_srs', 'EPSG:25832', join(folder, 'slope.asc'), path(`t_${type}`))
  translate('-a_ullr', '400000', '5000000', '400690', '5000510', path('t_Byte'), path('upside'))
  const bands = Array.from({ length: 40 }, (_, at) => ['-b', String((at % 3) + 1)]).flat()
  translate(...bands, path('rgb'), path('many'))
  return ['rgb', 'geo', 'float_nan', 'rotated', 'upside', 'many', ...cellTypes.map((type) => `t_${type}`)]
}

export async function serveCoverages(t: Cleanup): Promise<CoverageServer> {
  const client = await startImporter(t as never)
  const folder = join(client.server.dataDir, 'incoming')
  for (const name of makeSources(folder)) await importRaster(client, `${name}.tif`)
  const { app, admin } = client.server
  const ask = async (query: string): Promise<WcsAnswer> => {
    const reply = await app.inject({ url: `/wcs?${query}`, headers: admin })
    return { status: reply.statusCode, text: reply.body, body: reply.rawPayload, headers: reply.headers }
  }
  const written = (body: Buffer): FoundRaster => {
    writeFileSync(join(folder, 'answer.tif'), body)
    return readRaster(join(folder, 'answer.tif'))
  }
  return {
    client,
    folder,
    ask,
    raster: async (query) => {
      const { status, text, body } = await ask(query)
      assert.equal(status, 200, `${query}: ${text.slice(0, 500)}`)
      return written(body)
    },
    source: (name) => readRaster(join(folder, `${name}.tif`)),
    made: (program, name, ...args) => {
      const path = join(folder, 'made.tif')
      gdal(program, ...args, join(folder, `${name}.tif`), path)
      return readRaster(path)
    },
  }
}

export function assertSameRaster(found: FoundRaster, expected: FoundRaster, why: string): void {
  const { cells, geoTransform, ...facts } = found
  const { cells: expectedCells, geoTransform: expectedPlace, ...expectedFacts } = expected
  assert.deepEqual(facts, expectedFacts, why)
  for (const [at, value] of geoTransform.entries())
    assert.ok(
      Math.abs(value - (expectedPlace[at] ?? 0)) <= 1e-9 * Math.max(1, Math.abs(value)),
      `${why}: ${geoTransform} is not ${expectedPlace}`,
    )
  assert.ok(cells.equals(expectedCells), `${why}: the cells are others`)
}
