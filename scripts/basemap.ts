// Makes the background map, `basemap/natural-earth.mbtiles`, from the countries in `sample/`: `node scripts/basemap.ts`.
// Its tiles are made by a server like those of any layer.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gzipSync } from 'node:zlib'
import { createApp } from '../src/app/app.ts'
import { loadSettings } from '../src/core/config/settings.ts'
import { createLogger } from '../src/core/log/logger.ts'
import { basicAuthorization } from '../src/core/network/node-http.ts'
import type { Point } from './basemap/shared-edges.ts'
import { sharedEdges } from './basemap/shared-edges.ts'
import { simplifyAreas } from './basemap/simplify-areas.ts'

const root = join(import.meta.dirname, '..')
const source = join(root, 'sample', 'natural-earth', 'countries.geojson')
const target = join(root, 'basemap', 'natural-earth.mbtiles')
/** A unit of these tiles is 300 m at the equator, and the source is drawn for 1:50 million. */
const deepestZoom = 5
/** Per zoom level: degrees of longitude per pixel, and the area below which triangles are not visible. */
const scales = Array.from({ length: deepestZoom + 1 }, (_, zoom) => ({
  workspace: `zoom${zoom}`,
  leastArea: zoom === deepestZoom ? 0 : (360 / 512 / 2 ** zoom) ** 2 / 3,
}))
const password = 'only-for-this-run'

interface Country {
  properties: Record<string, string | number | null>
  geometry: { type: 'Polygon'; coordinates: Point[][] } | { type: 'MultiPolygon'; coordinates: Point[][][] }
}

function collection(features: { properties: object; geometry: object }[]): string {
  return JSON.stringify({
    type: 'FeatureCollection',
    features: features.map((one) => ({ type: 'Feature', ...one })),
  })
}

/** Returns the content of the map, by layer. */
function drawn(countries: readonly Country[], leastArea: number): Record<string, string> {
  const whole = countries.flatMap(({ geometry }) =>
    geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates,
  )
  const polygons = simplifyAreas(whole, leastArea)
  const edges = sharedEdges(polygons)
  const lines = (['coast', 'border'] as const).flatMap((kind) =>
    edges[kind].map((coordinates) => ({
      properties: { kind },
      geometry: { type: 'LineString', coordinates },
    })),
  )
  const labels = countries.map(({ properties: one }) => ({
    properties: {
      name: one['NAME'],
      name_de: one['NAME_DE'],
      rank: one['LABELRANK'],
      zoom: one['MIN_LABEL'],
    },
    geometry: { type: 'Point', coordinates: [one['LABEL_X'], one['LABEL_Y']] },
  }))
  const land = polygons.map((coordinates) => ({ properties: {}, geometry: { type: 'Polygon', coordinates } }))
  return { land: collection(land), lines: collection(lines), labels: collection(labels) }
}

const folder = mkdtempSync(join(tmpdir(), 'terrane-basemap-'))
const data = join(folder, 'data')
const settings = loadSettings({
  TERRANE_DATA: data,
  TERRANE_SAMPLE: 'off',
  TERRANE_MONITORING: 'off',
  TERRANE_LOG: 'error',
  TERRANE_ADMIN_PASSWORD: password,
})
const server = await createApp(settings, { notice: () => undefined, log: createLogger('error') })
const headers = { authorization: basicAuthorization('admin', password) }

async function call(method: 'GET' | 'POST', url: string, payload?: object) {
  const reply = await server.app.inject({
    method,
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  })
  if (reply.statusCode >= 400) throw new Error(`${method} ${url}: ${reply.body}`)
  return reply
}

async function publish(workspace: string, name: string, text: string): Promise<void> {
  const file = `${workspace}/${name}.geojson`
  mkdirSync(join(data, 'incoming', workspace), { recursive: true })
  writeFileSync(join(data, 'incoming', file), text)
  const store = await server.catalog.stores.getDefault(workspace)
  const targetWorkspace = { workspace: { name: workspace } }
  const targetStore = { dataStore: { name: store.name } }
  const requested = { targetWorkspace, targetStore, data: { type: 'file', file } }
  const { id } = (await call('POST', '/rest/imports', { import: requested })).json<{
    import: { id: number }
  }>().import
  await call('POST', `/rest/imports/${id}`)
  const { state } = (await call('GET', `/rest/imports/${id}`)).json<{ import: { state: string } }>().import
  const tasks = (await call('GET', `/rest/imports/${id}/tasks?expand=all`)).body
  if (state !== 'COMPLETE') throw new Error(`${name} was not loaded: ${tasks}`)
}

/** Writes the tiles that hold anything; gives how many bytes they are. */
async function writeTiles(): Promise<number> {
  rmSync(target, { force: true })
  const archive = new DatabaseSync(target)
  archive.exec(`pragma page_size = 1024; pragma journal_mode = off; begin;
    create table metadata (name text, value text);
    create table tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)`)
  const insert = archive.prepare('insert into tiles values (?, ?, ?, ?)')
  let bytes = 0
  for (let z = 0; z <= deepestZoom; z += 1)
    for (let x = 0; x < 2 ** z; x += 1)
      for (let y = 0; y < 2 ** z; y += 1) {
        const layers = ['land', 'lines', 'labels'].map((name) => `zoom${z}:${name}`)
        const url = `/tiles/${layers.join(',')}/${z}/${x}/${y}.mvt`
        const { rawPayload, statusCode } = await call('GET', url)
        if (statusCode === 204 || rawPayload.length === 0) continue
        const packed = gzipSync(rawPayload, { level: 9 })
        bytes += packed.length
        insert.run(z, x, 2 ** z - 1 - y, packed)
      }
  const facts = {
    name: 'Natural Earth',
    format: 'pbf',
    minzoom: '0',
    maxzoom: String(deepestZoom),
    attribution: 'Natural Earth',
  }
  const metadata = archive.prepare('insert into metadata values (?, ?)')
  for (const [name, value] of Object.entries(facts)) metadata.run(name, value)
  archive.exec('create unique index tile_index on tiles (zoom_level, tile_column, tile_row); commit; vacuum')
  archive.close()
  return bytes
}

try {
  const { features } = JSON.parse(readFileSync(source, 'utf8')) as { features: Country[] }
  for (const { workspace, leastArea } of scales) {
    await call('POST', '/rest/workspaces', { workspace: { name: workspace } })
    for (const [layer, text] of Object.entries(drawn(features, leastArea)))
      await publish(workspace, layer, text)
  }
  process.stdout.write(`${await writeTiles()} bytes of tiles\n`)
} finally {
  await server.close()
  rmSync(folder, { recursive: true })
}
