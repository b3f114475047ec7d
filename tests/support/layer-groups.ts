import assert from 'node:assert/strict'
import { join } from 'node:path'
import sharp from 'sharp'
import { createTestApp } from './app.ts'
import { createCatalogDatabase } from './catalog-database.ts'
import type { Json } from './importer-client.ts'
import { clientOf } from './importer-client.ts'
import { gdal, rasterFixtures } from './rasters.ts'

/** Settings of a server with each kind of catalogue. */
export const groupCatalogues = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

/** A square of 10 degrees with its lower left corner at (x, 0). */
function square(x: number, kind: string): string {
  const ring = [
    [x, 0],
    [x + 10, 0],
    [x + 10, 10],
    [x, 10],
    [x, 0],
  ]
  const feature = {
    type: 'Feature',
    properties: { kind },
    geometry: { type: 'Polygon', coordinates: [ring] },
  }
  return JSON.stringify({ type: 'FeatureCollection', features: [feature] })
}

/** Returns an SLD that fills areas with a colour. */
export function filled(color: string): string {
  return `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>a</Name><UserStyle><FeatureTypeStyle><Rule><PolygonSymbolizer><Fill><CssParameter name="fill">${color}</CssParameter></Fill></PolygonSymbolizer></Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
}

/** The values of one property of each object of a list. */
export function each(list: unknown, property: string): unknown[] {
  return (list as Record<string, unknown>[]).map((one) => one[property])
}

export const red = [255, 0, 0, 255]
export const blue = [0, 0, 255, 255]
export const nothing = [0, 0, 0, 0]

export interface SentRequest {
  body?: unknown
  isAnonymous?: boolean
  headers?: Record<string, string>
}

export const published = (...names: string[]) => ({
  published: names.map((name) => ({ '@type': 'layer', name })),
})

/** Returns the address of a map of three squares side by side. */
export const map = (layers: string, more = ''): string =>
  `/wms?service=WMS&version=1.1.1&request=GetMap&layers=${layers}&styles=&srs=EPSG:4326&bbox=0,0,30,15&width=60&height=30&format=image/png&transparent=true${more}`

/** Starts a server with three squares (`west`, `middle`, `east`), a raster (`photo`) and two groups (`pair`, `all`). */
export async function startGroups(settings: Record<string, string>) {
  const client = clientOf(await createTestApp({ env: { TERRANE_LOADS: '1', ...settings } }))
  async function send(
    method: string,
    url: string,
    { body, isAnonymous = false, headers = {} }: SentRequest = {},
  ) {
    const { app, admin } = client.server
    const signedIn = isAnonymous ? {} : admin
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const json = payload === undefined ? {} : { 'content-type': 'application/json' }
    const reply = await app.inject({
      method: method as 'GET',
      url,
      headers: { ...signedIn, ...json, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    const isJson = /json/.test(String(reply.headers['content-type']))
    const read = (isJson && reply.body !== '' ? JSON.parse(reply.body) : {}) as Json
    return {
      status: reply.statusCode,
      headers: reply.headers,
      text: reply.body,
      bytes: reply.rawPayload,
      json: read,
    }
  }
  async function createGroup(path: string, layerGroup: object): Promise<void> {
    const made = await send('POST', path, { body: { layerGroup } })
    assert.equal(made.status, 201, made.text)
  }
  /** The cells of a map in the middle of the squares at 0, 10 and 20 degrees. */
  async function squaresOf(url: string, options: SentRequest = {}): Promise<number[][]> {
    const { status, bytes, text } = await send('GET', url, options)
    assert.equal(status, 200, text)
    const cells = await sharp(bytes).ensureAlpha().raw().toBuffer()
    return [10, 30, 50].map((x) => [...cells.subarray((20 * 60 + x) * 4, (20 * 60 + x) * 4 + 4)])
  }
  const { headers } = { headers: { 'content-type': 'application/vnd.ogc.sld+xml' } }
  for (const [name, color] of [
    ['red', '#ff0000'],
    ['blue', '#0000ff'],
  ] as const) {
    const made = await client.server.app.inject({
      method: 'POST',
      url: `/rest/styles?name=${name}`,
      headers: { ...client.server.admin, ...headers },
      payload: filled(color),
    })
    assert.equal(made.statusCode, 201, made.body)
  }
  gdal(
    'gdal_translate',
    '-q',
    join(rasterFixtures, 'RGB.byte.tif'),
    join(client.server.dataDir, 'incoming', 'photo.tif'),
  )
  const created = await client.call('POST', '', { import: { data: { type: 'file', file: 'photo.tif' } } })
  await client.call('POST', `/${created.json.import?.id}`)
  const vectors = await client.call('POST', '', {
    import: { targetStore: { dataStore: { name: 'default' } } },
  })
  const id = Number(vectors.json.import?.id)
  await client.upload(id, [
    { name: 'west.geojson', content: square(0, 'w') },
    { name: 'middle.geojson', content: square(10, 'm') },
    { name: 'east.geojson', content: square(20, 'e') },
  ])
  await client.call('POST', `/${id}`)
  for (const [layer, style] of [
    ['west', 'red'],
    ['middle', 'blue'],
    ['east', 'red'],
  ]) {
    const put = await send('PUT', `/rest/layers/default:${layer}`, {
      body: { layer: { defaultStyle: { name: style }, public: layer === 'west' } },
    })
    assert.equal(put.status, 200, put.text)
  }
  await createGroup('/rest/workspaces/default/layergroups', {
    name: 'pair',
    title: 'West and middle',
    publishables: published('west', 'default:middle'),
    styles: { style: ['', { name: 'red' }] },
  })
  await createGroup('/rest/layergroups', {
    name: 'all',
    mode: 'NAMED',
    abstractTxt: 'Everything',
    publishables: {
      published: [
        { '@type': 'layerGroup', name: 'default:pair' },
        { '@type': 'layer', name: 'default:east' },
      ],
    },
  })
  return { client, send, createGroup, squaresOf }
}
