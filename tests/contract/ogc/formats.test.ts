import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { flatgeobuf } from '../../../src/formats/flatgeobuf/flatgeobuf.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { untilTagged } from '../../support/known-answers.ts'
import { readLayer } from '../../support/read-layer.ts'
import { temporaryFiles } from '../../support/temporary-files.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const collection = '/ogc/collections/default:spots'
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

const keep = temporaryFiles()

describe('formats of answers below /ogc', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await importPoints(server, {
      name: 'spots',
      points: [
        ['one', 1, 2],
        ['two', 3, 4],
      ],
    })
  })
  after(() => server.close())
  const get = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    server.app.inject({ method, url: path, headers: { ...server.admin, ...headers } })

  const documents = [
    '/ogc',
    '/ogc/conformance',
    '/ogc/api',
    '/ogc/collections',
    collection,
    `${collection}/schema`,
    `${collection}/queryables`,
    `${collection}/items`,
    `${collection}/items/1`,
    `${collection}/tiles`,
    `${collection}/tiles/WebMercatorQuad`,
    '/ogc/tileMatrixSets',
    '/ogc/tileMatrixSets/WebMercatorQuad',
  ]

  it('are JSON where nothing, anything or JSON is asked for, and say that Accept counts', async () => {
    for (const path of documents) {
      const plain = await get(path)
      const type = String(plain.headers['content-type'])
      assert.match(type, /^application\/([\w.]+\+)?json/, path)
      assert.match(String(plain.headers.vary), /(^|, )Accept(,|$)/, path)
      for (const accept of ['*/*', 'application/*', 'application/json', type])
        assert.equal((await get(path, { accept })).headers['content-type'], type, `${path} ${accept}`)
      for (const headers of [{} as Record<string, string>, { accept: 'image/png' }, { accept: browser }])
        assert.equal((await get(`${path}?f=json`, headers)).headers['content-type'], type, path)
    }
  })

  it('give features as CSV, with what has no place in it in headers', async () => {
    const page = await get(`${collection}/items?limit=1&offset=1&f=csv`)
    assert.equal(page.headers['content-type'], 'text/csv; charset=utf-8; header=present')
    assert.equal(page.headers['ogc-numbermatched'], '2')
    assert.match(page.body, /^id,.*,WKT\r\n2,.*,"POINT \(3 4\)"\r\n$/)
    const link = String(page.headers.link)
    const self = /<([^>]*)>; rel="self"; type="text\/csv"/.exec(link)?.[1] ?? ''
    assert.equal(new URL(self).search, '?limit=1&offset=1&f=csv')
    assert.match(link, /rel="prev"; type="text\/csv"/)
    assert.match(link, /rel="collection"; type="application\/json"/)
    assert.match(link, /f=geojson>; rel="alternate"; type="application\/geo\+json"/)
    assert.equal((await get(`${collection}/items`, { accept: 'text/csv' })).body.split('\r\n').length, 4)
    assert.equal((await get(`${collection}/items?datetime=..%2F..&filter=1%3D2&f=csv`)).statusCode, 200)
    const one = await get(`${collection}/items/2`, { accept: 'text/csv' })
    assert.equal(one.body, page.body)
    assert.match(String(one.headers.etag), /^W\/"/)
    assert.equal((await get(`${collection}/items/77?f=csv`)).statusCode, 404)
    assert.equal(
      (await get(`${collection}/items?f=csv`, {}, 'HEAD')).headers['content-type'],
      page.headers['content-type'],
    )
  })

  it('give features as JSON-FG, in the CRS that is asked for', async () => {
    const crs = 'http://www.opengis.net/def/crs/EPSG/0/4326'
    const page = await get(`${collection}/items?limit=1&crs=${encodeURIComponent(crs)}`, {
      accept: 'application/fg+json',
    })
    assert.equal(page.headers['content-type'], 'application/vnd.ogc.fg+json')
    assert.equal(page.headers['content-crs'], `<${crs}>`)
    const root = page.json<{
      coordRefSys: string
      features: object[]
      links: { rel: string; type: string }[]
    }>()
    assert.equal(root.coordRefSys, crs)
    assert.deepEqual(root.features[0] as { place: unknown; geometry: unknown }, {
      ...(root.features[0] as object),
      place: { type: 'Point', coordinates: [2, 1] },
      geometry: null,
    })
    assert.deepEqual(
      root.links.slice(0, 3).map(({ rel, type }) => [rel, type]),
      [
        ['self', 'application/vnd.ogc.fg+json'],
        ['collection', 'application/json'],
        ['next', 'application/vnd.ogc.fg+json'],
      ],
    )
    const one = (await get(`${collection}/items/1?f=jsonfg`)).json<Record<string, unknown>>()
    assert.deepEqual([one.type, one.id, one.featureType, one.place], ['Feature', 1, 'spots', null])
    assert.ok(Array.isArray(one.links) && Array.isArray(one.conformsTo))
  })

  it('give features as FlatGeobuf', async () => {
    for (const path of [`${collection}/items?f=flatgeobuf`, `${collection}/items/1?f=flatgeobuf`]) {
      const reply = await get(path)
      assert.equal(reply.headers['content-type'], 'application/flatgeobuf')
      const { layer, rows } = await readLayer(flatgeobuf, keep('spots.fgb', reply.rawPayload))
      assert.equal(layer.schema.geometry?.crs?.srs, 'EPSG:4326')
      assert.deepEqual(rows[0]?.geometry, 'POINT (1 2)')
      assert.deepEqual(rows[0]?.values[0], '1')
      assert.equal(rows.length, path.includes('items/1') ? 1 : 2)
    }
  })

  it('give features as GML, with the schema that they name', async () => {
    const page = await get(`${collection}/items?f=gml&limit=1`)
    assert.equal(page.headers['content-type'], 'application/gml+xml; version=3.2')
    assert.match(String(page.headers.link), /rel="next"; type="application\/gml\+xml"/)
    const [, namespace = '', location = ''] = /xsi:schemaLocation="(\S+) (\S+) /.exec(page.body) ?? []
    assert.equal(/xmlns:a="([^"]*)"/.exec(page.body)?.[1], namespace)
    assert.match(page.body, /<a:spots gml:id="spots\.1">.*<gml:pos>1 2<\/gml:pos>.*<\/a:spots>/)
    const { pathname, search } = new URL(location.replaceAll('&amp;', '&'))
    const schema = await get(pathname + search)
    assert.equal(schema.headers['content-type'], page.headers['content-type'])
    assert.ok(schema.body.includes(` targetNamespace="${namespace}"`))
    assert.ok(schema.body.includes('<xs:element name="spots" type="a:spotsType"'))
    const one = await get(`${collection}/items/1`, { accept: 'application/gml+xml;version=3.2' })
    assert.match(one.body, /^<\?xml [^>]*>\n<a:spots /)
  })

  it('lead from GeoJSON to the others, which are kept apart', async () => {
    for (const path of [`${collection}/items`, `${collection}/items/1`]) {
      const { links } = (await get(path)).json<{ links: { rel: string; type: string; href: string }[] }>()
      const others = links.filter(({ rel }) => rel === 'alternate')
      assert.ok(others.some(({ type }) => type === 'text/csv'))
      for (const { type, href } of others) {
        const { pathname, search } = new URL(href)
        const reply = await get(pathname + search)
        assert.equal(String(reply.headers['content-type']).split(';')[0], type)
      }
    }
    const [json, csv] = await Promise.all(
      [{} as Record<string, string>, { accept: 'text/csv' }].map((headers) =>
        untilTagged(() => get(`${collection}/items`, headers)),
      ),
    )
    assert.notEqual(json?.headers.etag, csv?.headers.etag)
  })

  it('are refused by name where they are not offered', async () => {
    for (const path of documents) {
      for (const f of ['gif', '', '__proto__']) {
        const reply = await get(`${path}?f=${f}`)
        assert.equal(reply.statusCode, 400, path)
        const { code, detail } = reply.json<{ code: string; detail: string }>()
        assert.equal(code, 'unknown-format')
        assert.match(detail, /expected one of (geo)?json/)
      }
      const reply = await get(path, { accept: 'image/png, text/turtle;q=0.5' })
      assert.equal(reply.statusCode, 406, path)
      assert.equal(reply.json<{ code: string }>().code, 'not-acceptable')
      assert.match(String(reply.headers.vary), /Accept/)
    }
  })

  it('are described where they are offered', async () => {
    const api = (await get('/ogc/api')).json<{
      paths: Record<string, { get: { parameters: { name?: string; schema?: { enum: string[] } }[] } }>
    }>()
    for (const path of ['/', '/collections', '/collections/{collectionId}/items']) {
      const f = api.paths[path]?.get.parameters.find(({ name }) => name === 'f')
      assert.ok(f?.schema?.enum.length, path)
    }
  })
})
