import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { clientOf } from '../../support/importer-client.ts'

const crs84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'
const mercator = 'http://www.opengis.net/def/crs/EPSG/0/3857'
const collection = '/ogc/collections/default:trees'
const csv = 'name,seen,height,x,y\nfir,2024-02-29,12.5,8,48\nash,,3,9,49\noak,2024-03-01,,,\n'

interface Link {
  rel: string
  href: string
  type?: string
}
interface Described {
  type?: string
  format?: string
  title?: string
  'x-ogc-role'?: string
  'x-ogc-propertySeq'?: number
}
interface Schema {
  $schema: string
  $id: string
  type: string
  properties: Record<string, Described>
}
interface FgFeature {
  type: string
  id: unknown
  time: { date?: string; timestamp?: string; interval?: string[] } | null
  place: { type: string; coordinates: number[] } | null
  geometry: { type: string; coordinates: number[] } | null
  properties: Record<string, unknown>
  conformsTo?: string[]
  featureType?: string
  featureSchema?: string
  coordRefSys?: string
}
interface FgPage extends FgFeature {
  features: FgFeature[]
}

/** Requirements of both standards, tested on one layer with a date, numbers, and a row without geometry. */
describe('schemas and JSON-FG', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    const client = clientOf(server)
    const target = { targetWorkspace: { workspace: { name: 'default' } } }
    const { json } = await client.call('POST', '', { import: target })
    const id = Number(json.import?.id)
    await client.upload(id, [{ name: 'trees.csv', content: csv }])
    const transforms = [
      { type: 'AttributesToPointGeometryTransform', latField: 'y', lngField: 'x' },
      { type: 'DateFormatTransform', field: 'seen', format: 'yyyy-MM-dd' },
    ]
    await client.call('PUT', `/${id}/tasks/0`, { task: { transformChain: { type: 'vector', transforms } } })
    await client.call('PUT', `/${id}/tasks/0`, { task: { layer: { srs: 'EPSG:4326' } } })
    await client.call('POST', `/${id}`)
    const done = await client.call('GET', `/${id}`)
    assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
  })
  after(() => server.close())

  const get = (url: string, headers: Record<string, string> = {}) =>
    server.app.inject({ url, headers: { ...server.admin, ...headers } })
  const pathOf = (href = ''): string => {
    const { pathname, search } = new URL(href)
    return `${pathname}${search}`
  }
  const linksOf = async (url: string): Promise<Link[]> => (await get(url)).json<{ links: Link[] }>().links
  const linked = async (name: string): Promise<{ schema: Schema; type: string; link: Link }> => {
    const rel = `http://www.opengis.net/def/rel/ogc/1.0/${name}`
    const link = (await linksOf(collection)).find((one) => one.rel === rel)
    assert.ok(link, rel)
    const reply = await get(pathOf(link.href))
    assert.equal(reply.statusCode, 200, reply.body)
    return { schema: reply.json<Schema>(), type: String(reply.headers['content-type']), link }
  }

  it('/req/schemas: a schema of each kind is linked, is JSON Schema 2020-12, and is named by its address', async () => {
    for (const name of ['schema', 'queryables', 'sortables']) {
      const { schema, type, link } = await linked(name)
      assert.equal(link.type, 'application/schema+json', name)
      assert.match(type, /^application\/schema\+json/, name)
      assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema', name)
      assert.equal(schema.$id, link.href, name)
      assert.equal(schema.type, 'object', name)
    }
  })

  it('/req/schemas: each property has a type, a day its format, the geometry its format alone, in an order', async () => {
    const { schema } = await linked('schema')
    const short = Object.entries(schema.properties).map(([name, { type, format }]) => [name, type, format])
    assert.deepEqual(short.slice(0, 3), [
      ['name', 'string', undefined],
      ['seen', 'string', 'date'],
      ['height', 'number', undefined],
    ])
    const [name = '', geometry = {}] = Object.entries(schema.properties).at(-1) ?? []
    assert.match(String(geometry.format), /^geometry-(point|any)$/, name)
    assert.equal(geometry.type, undefined)
    const roles = Object.values(schema.properties).map((one) => one['x-ogc-role'])
    assert.deepEqual(
      roles.filter((role) => role !== undefined),
      ['primary-instant', 'primary-geometry'],
    )
    const order = Object.values(schema.properties).map((one) => Number(one['x-ogc-propertySeq']))
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    )
    for (const [key, { title }] of Object.entries(schema.properties)) assert.ok(title, key)
  })

  it('/req/returnables-and-receivables: what features have stands in the schema, and what it tells may be sent', async () => {
    const { schema } = await linked('schema')
    const { features } = (await get(`${collection}/items`)).json<{ features: FgFeature[] }>()
    assert.equal(features.length, 3)
    for (const { properties } of features)
      for (const [name, value] of Object.entries(properties)) {
        const type = schema.properties[name]?.type
        assert.ok(type, name)
        if (value !== null) assert.equal(typeof value, type === 'integer' ? 'number' : type, name)
      }
    const sent = (await get(`${collection}/schema?type=create`)).json<{
      properties: { properties: { properties: object } }
    }>()
    assert.deepEqual(
      Object.keys(sent.properties.properties.properties),
      Object.entries(schema.properties).flatMap(([name, { type }]) => (type === undefined ? [] : [name])),
    )
  })

  it('/req/sortables: only what has an order is listed, and each orders both ways', async () => {
    const { schema } = await linked('sortables')
    assert.deepEqual(
      Object.keys(schema.properties).filter((name) => !['x', 'y'].includes(name)),
      ['name', 'seen', 'height'],
    )
    for (const name of Object.keys(schema.properties))
      for (const sign of ['', '%2B', '-']) {
        const reply = await get(`${collection}/items?sortby=${sign}${name}`)
        assert.equal(reply.statusCode, 200, reply.body)
        assert.equal(reply.json<{ features: object[] }>().features.length, 3)
      }
    assert.equal((await get(`${collection}/items?sortby=geometry`)).statusCode, 400)
  })

  const page = async (query = '', accept = 'application/fg+json'): Promise<FgPage> => {
    const reply = await get(`${collection}/items?${query}`, { accept })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.match(String(reply.headers['content-type']), /^application\/vnd\.ogc\.fg\+json/)
    return reply.json<FgPage>()
  }

  it('/req/core/metadata: documents of JSON-FG say so at their root, and nowhere else', async () => {
    const one = (await get(`${collection}/items/1?f=jsonfg`)).json<FgFeature>()
    for (const root of [await page(), one])
      assert.ok(root.conformsTo?.includes('http://www.opengis.net/spec/json-fg-1/1.0/conf/core'))
    for (const feature of (await page()).features)
      assert.deepEqual(
        [feature.conformsTo, feature.coordRefSys, feature.featureType],
        [undefined, undefined, undefined],
      )
  })

  it('/req/core/place and coordrefsys: coordinates in CRS84 are the geometry, others the place', async () => {
    const plain = await page()
    assert.equal(plain.coordRefSys, crs84)
    for (const { place } of plain.features) assert.equal(place, null)
    assert.deepEqual(plain.features[0]?.geometry, { type: 'Point', coordinates: [8, 48] })
    const moved = await page(`crs=${encodeURIComponent(mercator)}`)
    assert.equal(moved.coordRefSys, mercator)
    for (const { geometry } of moved.features) assert.equal(geometry, null)
    const [x = 0, y = 0] = moved.features[0]?.place?.coordinates ?? []
    assert.ok(Math.abs(x - 890_555.93) < 0.01 && Math.abs(y - 6_106_854.83) < 0.01, `${x} ${y}`)
    const bare = moved.features.find(({ properties }) => properties['name'] === 'oak')
    assert.deepEqual([bare?.place, bare?.geometry], [null, null])
  })

  it('/req/core/instant: the day that a feature is of is its time, null where it has none', async () => {
    const { features } = await page()
    assert.deepEqual(
      features.map(({ time }) => time),
      [{ date: '2024-02-29' }, null, { date: '2024-03-01' }],
    )
  })

  it('/req/types-schemas: the root names the type and the schema, which is there', async () => {
    const root = await page()
    assert.equal(root.featureType, 'trees')
    assert.equal(root.featureSchema, (await linked('schema')).link.href)
    assert.ok(root.conformsTo?.includes('http://www.opengis.net/spec/json-fg-1/1.0/conf/types-schemas'))
  })
})
