import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { seededRandom } from '../../../bench/random.ts'
import type { TestApp } from '../../support/app.ts'
import { adminPassword, basicAuth, createTestApp } from '../../support/app.ts'
import type { ListedLayer } from '../../support/listed-layers.ts'
import { listLayers } from '../../support/listed-layers.ts'
import { databases } from '../../support/monitoring-client.ts'
import { box, reported } from '../../support/record-layers.ts'

const run = promisify(execFile)
const root = '/ogc/catalogue'
const collection = `${root}/collections/layers`
const items = `${collection}/items`
const classes = 'http://www.opengis.net/spec/ogcapi-records-1/1.0/conf'

interface Link {
  rel: string
  href: string
  type?: string
}
interface Found {
  id: string
  type: string
  time: { interval: string[] } | null
  geometry: { type: string; coordinates: unknown } | null
  bbox?: number[]
  properties: Record<string, unknown> & { title: string; updated: string; created: string }
  links: Link[]
}
interface Page {
  type: string
  features: Found[]
  numberMatched: number
  numberReturned: number
  links: Link[]
}

for (const [name, environment] of Object.entries(databases))
  describe(`OGC API Records over ${name}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: await environment() })
      await listLayers(server, reported)
      const user = { name: 'reader', password: 'long-enough-password', role: 'user' }
      await server.app.inject({
        method: 'POST',
        url: '/rest/security/users',
        headers: server.admin,
        payload: { user },
      })
    })
    after(() => server.close())
    const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers })
    const page = async (query = '', headers: Record<string, string> = {}): Promise<Page> => {
      const reply = await get(`${items}?${query}`, headers)
      assert.equal(reply.statusCode, 200, reply.body)
      assert.match(String(reply.headers['content-type']), /^application\/geo\+json/)
      return reply.json<Page>()
    }
    const idsOf = async (query: string, headers: Record<string, string> = {}): Promise<string[]> =>
      (await page(query, headers)).features.map(({ id }) => id.replace(/^open:/, ''))

    it('declares its classes, and describes every path that links lead to', async () => {
      const landing = (await get(root)).json<{ links: Link[] }>()
      const pathOf = (rel: string): string =>
        new URL(landing.links.find((one) => one.rel === rel)?.href ?? '').pathname
      const { conformsTo } = (await get(pathOf('conformance'))).json<{ conformsTo: string[] }>()
      for (const one of [
        'searchable-catalog',
        'searchable-catalog-sorting',
        'record-core',
        'record-collection',
        'record-core-query-parameters',
        'records-api',
        'sorting',
        'json',
        'oas30',
      ])
        assert.ok(conformsTo.includes(`${classes}/${one}`), one)
      assert.ok(conformsTo.includes('http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core'))
      const { paths } = (await get(pathOf('service-desc'))).json<{ paths: Record<string, object> }>()
      for (const path of [
        '/',
        '/conformance',
        '/api',
        '/collections',
        '/collections/layers',
        '/collections/layers/sortables',
        '/collections/layers/items',
        '/collections/layers/items/{recordId}',
      ])
        assert.ok(paths[path], path)
      const start = (await get('/ogc')).json<{ links: Link[] }>()
      const way = start.links.find(({ rel }) => rel.endsWith('/ogc-catalog'))
      assert.equal(new URL(way?.href ?? '').pathname, root)
    })

    it('describes its parameters by the letter of the standard', async () => {
      const { components } = (await get(`${root}/api`)).json<{
        components: {
          parameters: Record<string, { schema: { type: string; items?: object }; explode?: boolean }>
        }
      }>()
      for (const one of ['q', 'type', 'ids', 'externalIds', 'sortby'])
        assert.deepEqual(
          [components.parameters[one]?.schema.type, components.parameters[one]?.explode],
          ['array', false],
          one,
        )
      for (const one of ['bbox', 'datetime', 'limit']) assert.ok(components.parameters[one], one)
    })

    it('has one collection of records', async () => {
      const { collections } = (await get(`${root}/collections`)).json<{
        collections: { id: string; type: string; itemType: string; links: Link[] }[]
      }>()
      assert.deepEqual(
        collections.map(({ id, type, itemType }) => ({ id, type, itemType })),
        [{ id: 'layers', type: 'Collection', itemType: 'record' }],
      )
      const reply = await get(collection)
      assert.match(String(reply.headers['content-type']), /^application\/ogc-catalog\+json/)
      const reported = reply.json<{ links: Link[] }>()
      const own = reported.links.filter(({ rel }) => rel !== 'alternate')
      assert.deepEqual({ ...reported, links: own }, collections[0])
      const plain = await get(collection, { accept: 'application/json' })
      assert.match(String(plain.headers['content-type']), /^application\/json/)
      for (const rel of ['self', 'items', 'profile'])
        assert.ok(
          collections[0]?.links.some((one) => one.rel === rel),
          rel,
        )
      const hidden = (await get('/ogc/collections')).json<{ collections: { id: string }[] }>()
      assert.ok(hidden.collections.every(({ id }) => id.startsWith('open:')))
    })

    it('lists what records can be ordered by', async () => {
      const reply = await get(`${collection}/sortables`)
      assert.match(String(reply.headers['content-type']), /^application\/schema\+json/)
      const { properties, $id, type } = reply.json<{
        properties: Record<string, { type: string }>
        $id: string
        type: string
      }>()
      assert.equal(type, 'object')
      assert.match($id, /\/ogc\/catalogue\/collections\/layers\/sortables$/)
      for (const [name, one] of Object.entries(properties)) {
        assert.ok(one.type, name)
        assert.equal((await get(`${items}?sortby=-${name}`)).statusCode, 200, name)
      }
    })

    it('tells of a layer what is known of it', async () => {
      const { features, numberMatched, numberReturned } = await page('ids=open:trees')
      assert.deepEqual([numberMatched, numberReturned], [1, 1])
      const [trees] = features
      assert.ok(trees)
      const { created, updated, ...properties } = trees.properties
      assert.ok(Date.parse(created) <= Date.parse(updated))
      assert.deepEqual(properties, {
        type: 'dataset',
        title: 'Bäume  der\nStadt',
        description: 'Every tree,\nby street',
        keywords: ['Forst', 'Green  city'],
        license: 'CC-BY-4.0',
        rights: '© City',
        citation: 'City (2026): Trees',
        externalIds: [{ scheme: 'https://doi.org', value: '10.1234/trees' }],
        contacts: [
          { name: 'City maps', emails: [{ value: 'maps@city.example' }], roles: ['pointOfContact'] },
        ],
        formats: trees.properties['formats'],
      })
      const cited = trees.links.find(({ rel }) => rel === 'cite-as')
      assert.equal(cited?.href, 'https://doi.org/10.1234/trees')
      const formats = trees.properties['formats'] as { name: string; mediaType: string }[]
      assert.deepEqual(formats[0], { name: 'GeoJSON', mediaType: 'application/geo+json' })
      const file = trees.links.find(({ rel, type }) => rel === 'enclosure' && type === 'application/geo+json')
      assert.match(file?.href ?? '', /\/ogc\/collections\/open%3Atrees\/download\?f=geojson$/)
      assert.equal(trees.time, null)
      assert.deepEqual(trees.bbox, [13, 52, 14, 53])
      const rels = trees.links.map(({ rel }) => rel)
      assert.ok(rels.includes('items'))
      for (const rel of ['self', 'collection', 'profile', 'describedby', 'stylesheet', 'preview'])
        assert.equal(rels.filter((one) => one === rel).length, 1, rel)
      const self = trees.links.find(({ rel }) => rel === 'self')
      const alone = await get(new URL(self?.href ?? '').pathname)
      const { links, ...rest } = alone.json<Found>()
      assert.deepEqual({ ...rest, links: links.filter(({ rel }) => rel !== 'alternate') }, trees)
      const [roads] = (await page(`ids=${encodeURIComponent('open:straßen')}`)).features
      assert.equal(roads?.properties.license, 'other')
      assert.equal(roads?.links.find(({ rel }) => rel === 'license')?.href, 'https://city.example/terms')
      const [islands] = (await page('ids=open:fiji')).features
      assert.deepEqual([islands?.properties.license, islands?.properties.rights], [undefined, 'ask us'])
      assert.deepEqual([islands?.bbox, islands?.geometry?.type], [[177, -20, -177, -15], 'MultiPolygon'])
      const [codes] = (await page('ids=open:codes')).features
      assert.deepEqual([codes?.bbox, codes?.geometry], [undefined, null])
      const [sky] = (await page('ids=open:sky')).features
      assert.deepEqual(sky?.time, { interval: ['2020-01-01T00:00:00.000Z', '2020-06-30T12:00:00.000Z'] })
    })

    it('finds by words, box, time, type and ids, each narrowing the others', async () => {
      const all = ['codes', 'fiji', 'sky', 'straßen', 'trees']
      const cases: [query: string, ids: string[]][] = [
        ['', all],
        ['q=BAUME', ['trees']],
        [`q=${encodeURIComponent('bäume   der stadt')}`, ['trees']],
        ['q=der+baume', []],
        ['q=tree,+by', ['trees']],
        ['q=strassen,forst', ['straßen', 'trees']],
        ['q=green+city', ['trees']],
        ['q=city+every', []],
        ['q=code', ['codes']],
        ['q=%25', []],
        ['q=', all],
        ['bbox=0,0,1,1', ['codes', 'straßen']],
        ['bbox=14,53,20,60', ['codes', 'trees']],
        ['bbox=179,-18,-179,-17', ['codes', 'fiji']],
        ['bbox=-179.5,-18,-179,-17', ['codes', 'fiji']],
        ['bbox=-180,-90,180,90', all],
        ['datetime=2019-12-31', ['codes', 'fiji', 'straßen', 'trees']],
        ['datetime=2020-01-01', all],
        ['datetime=2020-07-01/..', ['codes', 'fiji', 'straßen', 'trees']],
        ['datetime=../2020-06-30', all],
        ['type=dataset', all],
        ['type=service,dataset', all],
        ['type=service', []],
        ['ids=open:sky,open:trees,open:none,closed:secret', ['sky', 'trees']],
        ['externalIds=a:b', []],
        ['workspace=open', all],
        ['workspace=closed', []],
        ['q=trees,roads&bbox=0,0,1,1', ['straßen']],
        ['sortby=-id', [...all].reverse()],
        ['sortby=title', ['trees', 'codes', 'fiji', 'sky', 'straßen']],
        ['sortby=%2Btitle,-updated', ['trees', 'codes', 'fiji', 'sky', 'straßen']],
        ['sortby=+title', ['trees', 'codes', 'fiji', 'sky', 'straßen']],
        ['limit=2', ['codes', 'fiji']],
        ['limit=2&offset=4', ['trees']],
        ['offset=9', []],
      ]
      for (const [query, ids] of cases) assert.deepEqual(await idsOf(query), ids, query)
    })

    it('refuses what it does not understand, with the name of it', async () => {
      for (const query of [
        'bbox=1,2,3',
        'bbox=a,b,c,d',
        'datetime=yesterday',
        'limit=0',
        'limit=x',
        'offset=-1',
        'sortby=price',
        'after=x',
        'foo=bar',
        'sortby=id,id,id,id,id,id',
        'datetime=2020/2019',
      ]) {
        const reply = await get(`${items}?${query}`)
        assert.equal(reply.statusCode, 400, query)
        assert.match(reply.body, new RegExp(query.slice(0, query.indexOf('='))), query)
      }
      for (const path of [root, collection, `${root}/collections`])
        assert.equal((await get(`${path}?foo=bar`)).statusCode, 400, path)
    })

    it('shows to each caller what they may read, and the anonymous do not learn what else there is', async () => {
      const reader = basicAuth('reader', 'long-enough-password')
      assert.equal((await page('', reader)).numberMatched, 6)
      assert.deepEqual(await idsOf('q=secret', reader), ['closed:secret'])
      assert.deepEqual(await idsOf('q=secret'), [])
      const [hidden, absent] = await Promise.all([
        get(`${items}/closed:secret`),
        get(`${items}/closed:nothing`),
      ])
      assert.deepEqual(
        [hidden.statusCode, hidden.body],
        [absent.statusCode, absent.body.replace('nothing', 'secret')],
      )
      assert.equal(hidden.statusCode, 401)
      assert.equal((await get(`${items}/closed:secret`, reader)).statusCode, 200)
      assert.equal((await get(`${items}/closed:nothing`, reader)).statusCode, 404)
      assert.equal((await get(`${items}/nothing`, reader)).statusCode, 404)
    })

    it('says how long answers may be kept, and 304 where nothing has changed', async () => {
      const first = await get(items)
      assert.match(String(first.headers['cache-control']), /^private, max-age=300$/)
      const { etag = '' } = first.headers
      const again = await get(items, { 'if-none-match': String(etag) })
      assert.deepEqual([again.statusCode, again.body], [304, ''])
      assert.notEqual((await get(items, server.admin)).headers.etag, etag)
      assert.match(String((await get(items, server.admin)).headers['cache-control']), /^private/)
      const layer = await server.catalog.layers.get('open', 'codes')
      await server.catalog.layers.change(layer, { title: 'Codes anew' })
      const changed = await get(items, { 'if-none-match': String(etag) })
      assert.equal(changed.statusCode, 200)
      await server.catalog.layers.change(layer, { title: 'Codes' })
    })

    it('leads page by page to every record once, in any order', async () => {
      for (const sort of ['id', '-title,updated']) {
        const seen: string[] = []
        let next: string | undefined = `${items}?limit=2&sortby=${sort}`
        while (next !== undefined) {
          const { features, links }: Page = (await get(next)).json<Page>()
          seen.push(...features.map(({ id }) => id))
          const href: string | undefined = links.find(({ rel }) => rel === 'next')?.href
          next = href === undefined ? undefined : new URL(href).pathname + new URL(href).search
        }
        assert.equal(seen.length, 5)
        assert.equal(new Set(seen).size, 5)
        assert.deepEqual(
          seen,
          (await page(`sortby=${sort}`)).features.map(({ id }) => id),
        )
      }
    })

    it('is read by OWSLib and GDAL', async () => {
      const address = await server.app.listen({ host: '127.0.0.1', port: 0 })
      const script = [
        'import json, sys',
        'from owslib.ogcapi.records import Records',
        'from owslib.util import Authentication',
        'w = Records(sys.argv[1], auth=Authentication("admin", sys.argv[2]))',
        'i = w.collection_items("layers", q="trees", limit=5)',
        'r = w.collection_item("layers", "open:trees")',
        'print(json.dumps([w.records(), i["numberMatched"], r["properties"]["license"], w.api()["openapi"]]))',
      ].join('\n')
      const { stdout } = await run('/usr/bin/python3', ['-c', script, `${address}${root}/`, adminPassword])
      assert.deepEqual(JSON.parse(stdout), [['layers'], 2, 'CC-BY-4.0', '3.0.3'])
      const { stdout: read } = await run('ogrinfo', ['-al', `OAPIF:${address}${root}`, 'layers'])
      assert.match(read, /Feature Count: 5/)
      assert.match(read, /title \(String\) = Pictures of the sky/)
    })
  })

describe('the records of many layers', () => {
  it('are those that a plain pass over all of them leaves', async (t) => {
    const server = await createTestApp()
    t.after(() => server.close())
    const draw = seededRandom(5)
    const layers = Array.from({ length: 300 }, (_, index): ListedLayer => {
      const [x, y] = [Math.floor(draw() * 370) - 180, Math.floor(draw() * 160) - 80]
      const [width, height] = [Math.floor(draw() * 20), Math.floor(draw() * 10)]
      return {
        workspace: `w${index % 3}`,
        name: `layer_${index}`,
        isPublic: draw() < 0.7,
        details: { title: `Title ${Math.floor(draw() * 40)}`, ...box(x, y, x + width, y + height) },
      }
    })
    await listLayers(server, layers)
    const overlaps = (layer: ListedLayer, [west, south, east, north]: number[]): boolean => {
      const { minX, minY, maxX, maxY } = layer.details?.envelope ?? { minX: 0, minY: 0, maxX: 0, maxY: 0 }
      const parts: [number, number][] =
        (west ?? 0) <= (east ?? 0)
          ? [[west ?? 0, east ?? 0]]
          : [
              [west ?? 0, 180],
              [-180, east ?? 0],
            ]
      return parts.some(
        ([from, to]) =>
          [-360, 0, 360].some((turn) => minX + turn <= to && maxX + turn >= from) &&
          minY <= (north ?? 0) &&
          maxY >= (south ?? 0),
      )
    }
    for (let round = 0; round < 40; round += 1) {
      const west = Math.floor(draw() * 360) - 180
      const south = Math.floor(draw() * 160) - 80
      const east = draw() < 0.2 ? west - 20 : Math.min(180, west + Math.floor(draw() * 60))
      const requested = [west, south, Math.max(-180, east), Math.min(90, south + 30)]
      const expected = layers
        .filter((layer) => layer.isPublic === true && overlaps(layer, requested))
        .map(({ workspace, name }) => `${workspace}:${name}`)
        .sort()
      const reply = await server.app.inject(`${items}?limit=1000&bbox=${requested.join()}`)
      assert.deepEqual(
        reply
          .json<Page>()
          .features.map(({ id }) => id)
          .sort(),
        expected,
        requested.join(),
      )
    }
  })
})
