import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestServer } from './server.ts'
import { startServer } from './server.ts'
import type { Cleanup } from './terrane-process.ts'
import { temporaryData } from './terrane-process.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const sample = join(root, 'sample', 'natural-earth')
const fixtures = join(root, 'tests', 'fixtures')

/** A server whose workspace `default` is public, with layers of every kind that maps are made of. */
export interface ServedMaps extends TestServer {
  /** The folder of the files that the layers were made of: `<layer>.<ending>`, as GDAL reads them. */
  sources: string
}

/** Crosses the 180th meridian, written as most programs write it: with longitudes beyond 180. */
const crossing = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { name: 'box' },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [170, -30],
            [190, -30],
            [190, -10],
            [170, -10],
            [170, -30],
          ],
        ],
      },
    },
    { type: 'Feature', properties: { name: 'west' }, geometry: { type: 'Point', coordinates: [-175, -20] } },
  ],
}

/**
 * `countries`, `states`, `boundary_lines`: the sample. `places`: points of a spreadsheet. `europe`: countries in EPSG:3035.
 * `crossing`: a polygon across the 180th meridian. `islands`: a picture in EPSG:32618. `secret`: like `states`, not public.
 */
async function makeSources(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(sample, 'countries.geojson'), join(folder, 'countries.geojson'))
  for (const name of ['states', 'boundary_lines'])
    for (const ending of ['shp', 'shx', 'dbf', 'prj'])
      copyFileSync(join(sample, `${name}.${ending}`), join(folder, `${name}.${ending}`))
  for (const ending of ['shp', 'shx', 'dbf', 'prj'])
    copyFileSync(join(sample, `states.${ending}`), join(folder, `secret.${ending}`))
  copyFileSync(join(fixtures, 'raster', 'RGB.byte.tif'), join(folder, 'islands.tif'))
  writeFileSync(join(folder, 'crossing.geojson'), JSON.stringify(crossing))
  const labels = join(fixtures, 'csv', 'country-labels.csv')
  const asPoints = [
    '-oo',
    'X_POSSIBLE_NAMES=lon',
    '-oo',
    'Y_POSSIBLE_NAMES=lat',
    '-oo',
    'KEEP_GEOM_COLUMNS=NO',
  ]
  const typed = ['-oo', 'AUTODETECT_TYPE=YES', '-a_srs', 'EPSG:4326']
  await run('ogr2ogr', ['-nln', 'places', join(folder, 'places.geojson'), labels, ...asPoints, ...typed])
  const isEurope = "CONTINENT = 'Europe' AND NAME NOT IN ('Russia', 'France', 'Norway')"
  const fields = ['-select', 'NAME,ISO_A3_EH,POP_EST,MAPCOLOR7', '-where', isEurope]
  const national = ['-t_srs', 'EPSG:3035', '-nlt', 'MULTIPOLYGON', '-nln', 'europe', ...fields]
  await run('ogr2ogr', [...national, join(folder, 'europe.gpkg'), join(sample, 'countries.geojson')])
}

/** Starts the server with generated data; everything is removed after the test. */
export async function serveMaps(t: Cleanup, env: Record<string, string> = {}): Promise<ServedMaps> {
  const folder = temporaryData(t)
  const sources = join(folder, 'maps')
  await makeSources(sources)
  const server = await startServer(t, join(folder, 'data'), { TERRANE_IMPORT_ROOTS: folder, ...env })
  const created = await server.call('POST', '/rest/imports?exec=true', {
    import: { data: { type: 'directory', location: 'maps' } },
  })
  assert.equal(created.json.import?.state, 'COMPLETE', created.text)
  const isPublic = await server.call('PUT', '/rest/workspaces/default', { workspace: { public: true } })
  assert.equal(isPublic.status, 200, isPublic.text)
  const closed = await server.call('PUT', '/rest/layers/default:secret', { layer: { public: false } })
  assert.equal(closed.status, 200, closed.text)
  return { ...server, sources }
}
