import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parseCrsUri } from '../../../src/api/crs-uris.ts'
import { createReprojector } from '../../../src/geo/crs-reproject.ts'
import { coverEnvelope } from '../../../src/geo/reproject-envelope.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { askFilter, cql2Collections, cql2Stores, loadCql2, unpackCql2 } from '../../support/cql2-data.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const languages: Record<string, string>[] = [
  {},
  { 'filter-lang': 'cql2-text' },
  { 'filter-lang': 'cql2-json' },
]
const relation = 'http://www.opengis.net/def/rel/ogc/1.0/queryables'
const conformance = 'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/'

interface Schema {
  $schema: string
  $id: string
  type: string
  additionalProperties: boolean
  properties: Record<string, { type?: string; format?: string; $ref?: string }>
}

interface CollectionDocument {
  id: string
  crs: string[]
  extent: { spatial: { bbox: [[number, number, number, number]] } }
  links: { rel: string; href: string; type: string }[]
}

describe('the abstract tests of filters (OGC 19-079r2, Annex A)', () => {
  let server: TestApp
  const cleanups: (() => unknown)[] = []
  before(async () => {
    server = await createTestApp()
    const folder = temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
    await unpackCql2(folder)
    await loadCql2(server, folder)
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await server.close()
  })

  async function get<Document>(url: string, accept: string): Promise<{ document: Document; type: string }> {
    const reply = await server.app.inject({ url, headers: { ...server.admin, accept } })
    assert.equal(reply.statusCode, 200, `${url} ${reply.body}`)
    return { document: reply.json<Document>(), type: String(reply.headers['content-type']) }
  }

  const layers = cql2Stores.flatMap((store) => cql2Collections.map((name) => `${store}_${name}`))
  const path = (layer: string): string => `/ogc/collections/default%3A${layer}`

  async function queryables(layer: string): Promise<Schema> {
    return (await get<Schema>(`${path(layer)}/queryables`, 'application/schema+json')).document
  }

  async function spatial(layer: string): Promise<string> {
    const { properties } = await queryables(layer)
    return Object.keys(properties).find((name) => properties[name]?.format?.startsWith('geometry-')) ?? ''
  }

  async function matched(
    layer: string,
    filter: string,
    parameters: Record<string, string> = {},
  ): Promise<number> {
    const { status, text, json } = await askFilter(server, layer, filter, parameters)
    assert.equal(status, 200, `${layer} ${filter} ${text}`)
    return Number(json['numberMatched'])
  }

  async function refuses(
    layer: string,
    filter: string,
    parameters: Record<string, string> = {},
  ): Promise<void> {
    const { status, text } = await askFilter(server, layer, filter, parameters)
    assert.equal(status, 400, `${layer} ${filter} ${text}`)
  }

  it('/conf/queryables/get-conformance, /conf/filter/get-conformance, /conf/features-filter/get-conformance', async () => {
    const { document, type } = await get<{ conformsTo: string[] }>('/ogc/conformance', 'application/json')
    assert.match(type, /^application\/json/)
    for (const name of ['queryables', 'filter', 'features-filter'])
      assert.ok(document.conformsTo.includes(`${conformance}${name}`), name)
  })

  it('/conf/queryables/get-queryables-uris: each filterable resource links to its queryables, by HEAD and GET', async () => {
    for (const layer of layers)
      for (const method of ['HEAD', 'GET'] as const)
        for (const [url, accept] of [
          [path(layer), 'application/json'],
          [`${path(layer)}/items?limit=1`, 'application/json'],
          [`${path(layer)}/items?limit=1`, 'text/csv'],
        ] as const) {
          const headers = { ...server.admin, accept }
          const reply = await server.app.inject({ method, url, headers })
          assert.equal(reply.statusCode, 200)
          const links = String(reply.headers['link'])
          assert.ok(
            links.includes(`${path(layer)}/queryables>; rel="${relation}"`),
            `${method} ${url} ${links}`,
          )
        }
    const { document } = await get<CollectionDocument>(
      `${path(layers[0] ?? '')}/items?limit=1`,
      'application/geo+json',
    )
    assert.equal(document.links.filter(({ rel }) => rel === relation).length, 1)
  })

  it('/conf/queryables/get-queryables: is a JSON schema with a type or a geometry for each', async () => {
    for (const layer of layers) {
      const url = `${path(layer)}/queryables`
      const { document, type } = await get<Schema>(url, 'application/schema+json')
      assert.match(type, /^application\/schema\+json/)
      assert.equal(document.$schema, 'https://json-schema.org/draft/2020-12/schema')
      assert.ok(document.$id.endsWith(url), document.$id)
      assert.deepEqual([document.type, document.additionalProperties], ['object', false])
      const all = Object.entries(document.properties)
      assert.ok(all.length > 0)
      for (const [name, { type: of, format = '', $ref }] of all) {
        assert.equal($ref, undefined)
        assert.equal(of === undefined, format.startsWith('geometry-'), name)
      }
    }
  })

  it('/conf/features-filter/get-collections, get-collection: each collection links to its queryables', async () => {
    const { document } = await get<{ collections: CollectionDocument[] }>(
      '/ogc/collections',
      'application/json',
    )
    assert.deepEqual(
      document.collections.map(({ id }) => id).sort(),
      layers.map((one) => `default:${one}`).sort(),
    )
    for (const { id, links } of document.collections) {
      const own = await get<CollectionDocument>(
        `/ogc/collections/${encodeURIComponent(id)}`,
        'application/json',
      )
      for (const reported of [links, own.document.links]) {
        const link = reported.find(({ rel }) => rel === relation)
        assert.ok(link?.href.endsWith(`/ogc/collections/${encodeURIComponent(id)}/queryables`), id)
      }
    }
  })

  it('/conf/filter/filter-param, filter-lang-default: good filters are answered, others refused', async () => {
    for (const layer of layers)
      for (const [name, { type }] of Object.entries((await queryables(layer)).properties)) {
        if (type === undefined) continue
        for (const parameters of languages.slice(0, 2)) {
          const none = await matched(layer, `"${name}" IS NULL`, parameters)
          const some = await matched(layer, `"${name}" IS NOT NULL`, parameters)
          assert.equal(none + some, await matched(layer, 'TRUE'), `${layer} ${name}`)
        }
      }
    for (const layer of layers)
      for (const parameters of languages) await refuses(layer, 'THIS IS NOT A FILTER', parameters)
  })

  it('/conf/filter/expression-construction: what is not a queryable is refused', async () => {
    for (const layer of layers) await refuses(layer, 'this_is_not_a_queryable IS NULL')
  })

  it('/conf/filter/filter-crs-wgs84: boxes are longitudes and latitudes where no CRS is named', async () => {
    for (const layer of layers) {
      const geometry = await spatial(layer)
      const { document } = await get<CollectionDocument>(path(layer), 'application/json')
      const [bbox] = document.extent.spatial.bbox
      const all = await matched(layer, 'TRUE')
      assert.equal(await matched(layer, `S_INTERSECTS(${geometry},BBOX(${bbox.join(',')}))`), all, layer)
      await refuses(layer, `S_INTERSECTS(${geometry},BBOX(1000000,1000000,2000000,2000000))`)
    }
  })

  it('/conf/filter/filter-crs-param: boxes are in the CRS that is named, of all that a collection tells', async () => {
    for (const layer of layers) {
      const geometry = await spatial(layer)
      const { document } = await get<CollectionDocument>(path(layer), 'application/json')
      const [[west, south, east, north]] = document.extent.spatial.bbox
      const all = await matched(layer, 'TRUE')
      assert.ok(document.crs.length > 2)
      for (const uri of document.crs) {
        const { srs, isYx } = parseCrsUri('filter-crs', uri)
        const reprojector = await createReprojector('EPSG:4326', srs)
        const envelope = await coverEnvelope(reprojector, {
          minX: west,
          minY: south,
          maxX: east,
          maxY: north,
        })
        await reprojector.close()
        assert.ok(envelope)
        // Points on the edge return with an error in the last digit.
        const [minX, minY] = [envelope.minX - 1e-6, envelope.minY - 1e-6]
        const [maxX, maxY] = [envelope.maxX + 1e-6, envelope.maxY + 1e-6]
        const sides = isYx ? [minY, minX, maxY, maxX] : [minX, minY, maxX, maxY]
        const filter = `S_INTERSECTS(${geometry},BBOX(${sides.join(',')}))`
        assert.equal(await matched(layer, filter, { 'filter-crs': uri }), all, `${layer} ${uri}`)
      }
      const unknown = { 'filter-crs': 'http://www.opengis.net/def/crs/OGC/0/does_not_exist' }
      await refuses(layer, `S_INTERSECTS(${geometry},BBOX(1,2,3,4))`, unknown)
    }
  })

  it('/req/filter/mixing-expressions: the other parameters hold besides', async () => {
    for (const store of cql2Stores) {
      const layer = `${store}_ne_110m_populated_places_simple`
      const [filter, bbox] = ["name > 'København'", '0,40,10,50']
      const both = await matched(layer, `${filter} AND S_INTERSECTS(geom,BBOX(${bbox}))`)
      assert.ok(both > 0)
      assert.equal(await matched(layer, filter, { bbox }), both)
      assert.equal(await matched(layer, 'TRUE', { bbox, boolean: 'true' }), 0)
      assert.equal(
        await matched(layer, filter, { boolean: 'true' }),
        await matched(layer, `${filter} AND boolean = TRUE`),
      )
    }
  })
})
