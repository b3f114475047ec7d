import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { storeParameters } from '../support/postgis-store.ts'
import { testCluster } from '../support/postgres.ts'
import { gdal, rasterFixtures } from '../support/rasters.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'
import { openStarvation } from '../support/starve.ts'
import { temporaryData } from '../support/terrane-process.ts'

/** Rows of the small layers. */
const sizes = [15, 51, 120, 243]

function collection(rows: number): string {
  const features = Array.from({ length: rows }, (_, row) => ({
    type: 'Feature',
    properties: { name: `row ${row}`, number: row },
    geometry: { type: 'Point', coordinates: [(row % 30) * 2 - 60, Math.floor(row / 30) * 5 - 20] },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

/** Creates files to import: the small layers in a folder and in one GeoPackage, and a raster of 1.7 MB. */
function makeSources(folder: string): void {
  mkdirSync(join(folder, 'small'), { recursive: true })
  const together = join(folder, 'others.gpkg')
  for (const [at, rows] of sizes.entries()) {
    const path = join(folder, 'small', `rows${rows}.geojson`)
    writeFileSync(path, collection(rows))
    const adding = at === 0 ? [] : ['-update', '-append']
    gdal('ogr2ogr', '-f', 'GPKG', ...adding, together, path, '-nln', `rows${rows}`)
  }
  copyFileSync(join(rasterFixtures, 'RGB.byte.tif'), join(folder, 'photo.tif'))
}

async function expect(server: TestServer, status: number, ...call: Parameters<TestServer['call']>) {
  const answer = await server.call(...call)
  assert.equal(answer.status, status, `${call[0]} ${call[1]}: ${answer.text.slice(0, 500)}`)
  return answer
}

async function importInto(server: TestServer, data: object, place: object): Promise<void> {
  const { json } = await expect(server, 201, 'POST', '/rest/imports?exec=true', {
    import: { data, ...place },
  })
  const { text } = await server.call('GET', `/rest/imports/${json.import?.id}?expand=3`)
  assert.equal(json.import?.state, 'COMPLETE', text)
}

/** Publishes the layers of a GeoPackage of the server, of an external one, and of PostGIS. */
async function makeLayers(server: TestServer): Promise<void> {
  for (const name of ['others', 'tables'])
    await expect(server, 201, 'POST', '/rest/workspaces', { workspace: { name } })
  const database = await (await testCluster()).createDatabase()
  const dataStore = { name: 'tables', type: 'PostGIS', connectionParameters: storeParameters(database) }
  await expect(server, 201, 'POST', '/rest/workspaces/tables/datastores', { dataStore })
  const small = { type: 'directory', location: 'small' }
  await importInto(server, { type: 'file', file: 'photo.tif' }, {})
  await importInto(server, small, {})
  await importInto(server, small, {
    targetWorkspace: { workspace: { name: 'tables' } },
    targetStore: { dataStore: { name: 'tables' } },
  })
  const others = { targetWorkspace: { workspace: { name: 'others' } } }
  await importInto(server, { type: 'file', file: 'others.gpkg' }, others)
}

const workspaces = ['default', 'others', 'tables']
const layers = workspaces.flatMap((workspace) => sizes.map((rows) => `${workspace}:rows${rows}`))

function map(layer: string, box: number[]): string {
  const query = {
    service: 'WMS',
    version: '1.1.1',
    request: 'GetMap',
    layers: layer,
    styles: '',
    srs: 'EPSG:4326',
  }
  const size = { bbox: box.join(), width: '256', height: '256', format: 'image/png' }
  return `/wms?${new URLSearchParams({ ...query, ...size })}`
}

describe('a server with a quarter of a processor', () => {
  it('answers reads, maps, tiles and pages', async (t) => {
    const starve = openStarvation(t)
    const folder = temporaryData(t)
    makeSources(folder)
    const env = { TERRANE_IMPORT_ROOTS: folder }
    const first = await startServer(t, join(folder, 'data'), env)
    await makeLayers(first)
    await first.stop()

    const server = await startServer(t, join(folder, 'data'), env, { onSpawn: starve })
    const photo = [-79, 23, -76, 26]
    const firstOf: string[] = [
      '/tiles/default:photo/7/36/54.png',
      map('default:photo', photo),
      '/tiles/default:photo/thumbnail.png',
      ...workspaces
        .map((workspace) => `${workspace}:rows243`)
        .flatMap((layer) => [map(layer, [-70, -30, 10, 40]), `/tiles/${layer}/0/0/0.mvt`]),
      ...layers.map((layer) => `/ogc/collections/${layer}/items?limit=1000`),
      '/',
      '/app',
      '/ogc?f=html',
      '/rest/layers',
      '/health',
    ]
    const failed: string[] = []
    await Promise.all(
      firstOf.map(async (path) => {
        const startedMs = performance.now()
        const { status, text, json } = await server.call('GET', path)
        const tookMs = Math.round(performance.now() - startedMs)
        t.diagnostic(`${status} ${tookMs} ms ${path}`)
        if (status !== 200) failed.push(`${path}: ${status} ${text.slice(0, 300)}`)
        else if (path.includes('/items')) {
          const rows = Number(/rows(\d+)/.exec(path)?.[1])
          assert.equal(json.numberReturned, rows, path)
        }
      }),
    )
    assert.deepEqual(failed, [])
    await server.stop()
  })
})
