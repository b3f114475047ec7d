import type { MapLayer } from '../own-map-server.ts'
import { startBenchMapServer } from '../own-map-server.ts'
import type { RequestTimes } from './ask-tiles.ts'
import { askOnce } from './ask-tiles.ts'
import { tilesWithin } from './tile-addresses.ts'
import type { TileDataset } from './tile-data.ts'
import { regions } from './tile-data.ts'

const types = { polygons: 'POLYGON', points: 'POINT', lines: 'LINE' } as const
const connections = 4
const zooms = [12, 14, 16]
const most = 60

export interface MapServerResult {
  name: string
  z: number
  single: RequestTimes
  many: RequestTimes
}

interface MapServerSource {
  dataset: TileDataset
  /** GeoPackage with the data in EPSG:4326. */
  file: string
  databaseUrl: URL
  table: string
}

function layersOf({ dataset, file, databaseUrl, table }: MapServerSource): MapLayer[] {
  const { hostname, port, pathname, username, password } = databaseUrl
  const database = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password} application_name=terrane`
  const type = types[dataset]
  return [
    {
      name: `${dataset}-geopackage`,
      type,
      source: ['CONNECTIONTYPE OGR', `CONNECTION "${file}"`, `DATA "${dataset}"`],
    },
    {
      name: `${dataset}-postgis`,
      type,
      source: [
        'CONNECTIONTYPE POSTGIS',
        `CONNECTION "${database}"`,
        `DATA 'geometry from (select * from "${table}") as t using unique fid using srid=4326'`,
      ],
    },
  ]
}

/** Measures MapServer's vector tiles of the same data, with one connection and with four. */
export async function askMapServer(source: MapServerSource): Promise<MapServerResult[]> {
  const layers = layersOf(source)
  const server = await startBenchMapServer(layers)
  const results: MapServerResult[] = []
  try {
    for (const { name } of layers) {
      for (const z of zooms) {
        const tiles = tilesWithin(regions[source.dataset], z, most)
        const urls = tiles.map((tile) => server.tileUrl(name, tile))
        await askOnce(urls.slice(0, 8), { connections })
        results.push({ name, z, single: await askOnce(urls), many: await askOnce(urls, { connections }) })
      }
    }
    return results
  } finally {
    server.stop()
  }
}
