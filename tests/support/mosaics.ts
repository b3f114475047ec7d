import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { defined } from '../../src/core/values/defined.ts'
import { createCatalogDatabase } from './catalog-database.ts'
import type { ImporterClient, Json } from './importer-client.ts'
import { startImporter } from './importer-client.ts'
import { gdal } from './rasters.ts'

/** Default stores of a workspace, which also contain the indexes of its mosaics. */
export const indexStores = ['GeoPackage', 'PostGIS'] as const
export type IndexStore = (typeof indexStores)[number]

export interface MosaicServer extends ImporterClient {
  /** Creates a small GeoTIFF of one band below the import root. */
  granule(path: string, options?: GranuleOptions): void
  /** Reads below the collection of a layer of the workspace `default`. */
  read(layer: string, path?: string): Promise<{ status: number; json: Json; body: Buffer }>
}

export interface GranuleOptions {
  /** Position, as a number of granule widths. */
  column?: number
  srs?: string
  bands?: number
  dataType?: string
  /** Without a place. */
  isPlaceless?: boolean
}

const cells = 8
const width = 100

export function makeGranule(path: string, options: GranuleOptions = {}): void {
  const { column = 0, srs = 'EPSG:32618', bands = 1, dataType = 'Byte', isPlaceless = false } = options
  mkdirSync(dirname(path), { recursive: true })
  const left = 400_000 + column * width
  const edges = [left, 4_000_000, left + width, 4_000_000 - width].map(String)
  gdal(
    'gdal_create',
    '-q',
    '-of',
    'GTiff',
    '-outsize',
    String(cells),
    String(cells),
    '-bands',
    String(bands),
    '-ot',
    dataType,
    '-burn',
    String(column),
    ...(isPlaceless ? [] : ['-a_srs', srs, '-a_ullr', ...edges]),
    path,
  )
}

export async function startMosaics(
  test: TestContext,
  store: IndexStore = 'GeoPackage',
): Promise<MosaicServer> {
  const env: Record<string, string> =
    store === 'GeoPackage' ? {} : { TERRANE_DATABASE_URL: await createCatalogDatabase() }
  return mosaicServerOf(await startImporter(test, { env }))
}

export function mosaicServerOf(client: ImporterClient): MosaicServer {
  const { server } = client
  return {
    ...client,
    granule: (path, options) => makeGranule(join(server.dataDir, 'incoming', path), options),
    read: async (layer, path = '') => {
      const collection = encodeURIComponent(`default:${layer}`)
      const url = `/ogc/collections/${collection}${path}`
      const reply = await server.app.inject({ method: 'GET', url, headers: server.admin })
      const isJson = /json/.test(String(reply.headers['content-type']))
      const json = (isJson ? JSON.parse(reply.body) : {}) as Json
      return { status: reply.statusCode, json, body: reply.rawPayload }
    },
  }
}

/** Imports a folder as a mosaic; gives the import's id. */
export async function createMosaic(
  client: ImporterClient,
  location: string | undefined,
  time?: object,
): Promise<number> {
  const data = { type: 'mosaic', ...defined({ location, time }) }
  const created = await client.call('POST', '', { import: { data } })
  assert.equal(created.status, 201, created.text)
  return Number(created.json.import?.id)
}

/** Runs an import and gives its only task. */
export async function runMosaic(client: ImporterClient, importId: number): Promise<Json> {
  const ran = await client.call('POST', `/${importId}`)
  assert.equal(ran.status, 204, ran.text)
  const { json, text } = await client.call('GET', `/${importId}/tasks/0`)
  return json.task ?? assert.fail(text)
}
