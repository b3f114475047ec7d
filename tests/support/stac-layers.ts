import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestApp } from './app.ts'
import { startClient } from './importer-client.ts'
import type { MosaicServer } from './mosaics.ts'
import { createMosaic, mosaicServerOf, runMosaic } from './mosaics.ts'
import { gdal, importRaster } from './rasters.ts'
import type { StacDocument, StacPage } from './stac-rules.ts'

/** The mosaic `m` of four granules, the last without a time; a raster in UTM, and one across the antimeridian. */
export async function startStacLayers(): Promise<MosaicServer> {
  const client = mosaicServerOf(await startClient())
  for (const [column, name] of ['a_2020', 'b_2021', 'c_2022', 'd'].entries())
    client.granule(`m/${name}.tif`, { column })
  const task = await runMosaic(client, await createMosaic(client, 'm', { mode: 'auto' }))
  assert.equal(task.state, 'COMPLETE', String(task.errorMessage))
  client.provide('raster/RGB.byte.tif')
  const corners = ['700000', '4000000', '850000', '3900000']
  const far = join(client.server.dataDir, 'incoming/far.tif')
  gdal(
    'gdal_create',
    '-q',
    '-of',
    'GTiff',
    '-outsize',
    '30',
    '20',
    '-a_srs',
    'EPSG:32660',
    '-a_ullr',
    ...corners,
    far,
  )
  for (const file of ['RGB.byte.tif', 'far.tif']) await importRaster(client, file)
  writeFileSync(
    join(client.server.dataDir, 'incoming/places.geojson'),
    '{"type":"Feature","properties":{"name":"Ulm"},"geometry":{"type":"Point","coordinates":[10,48.4]}}',
  )
  await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: 'places.geojson' } } })
  return client
}

/** Returns path and query of a link of the server. */
export function pathOf(href: string): string {
  const { pathname, search } = new URL(href)
  return pathname + search
}

/** Returns a document without the links to its other formats, which documents within others do not have. */
export function withoutAlternates(document: StacDocument): StacDocument {
  return { ...document, links: document.links.filter(({ rel }) => rel !== 'alternate') }
}

/** Reads the catalogue of a server as its administrator. */
export function stacReader(server: () => TestApp) {
  const get = (url: string) => server().app.inject({ method: 'GET', url, headers: server().admin })
  const read = async <T = StacDocument>(url: string) => {
    const { statusCode: status, headers, body: text } = await get(url)
    return { status, headers, text, json: JSON.parse(text) as T }
  }
  const post = async (payload: object) => {
    const { app, admin } = server()
    const reply = await app.inject({ method: 'POST', url: '/stac/search', headers: admin, payload })
    return { status: reply.statusCode, json: JSON.parse(reply.body) as StacPage }
  }
  const search = async (query: string): Promise<StacPage> => {
    const { json, status, text } = await read<StacPage>(`/stac/search?${query}`)
    assert.equal(status, 200, text)
    return json
  }
  const idsOf = async (query: string) => (await search(query)).features.map(({ id }) => id)
  return { get, read, post, search, idsOf }
}
