import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { StoreRecord } from '../../../src/catalog/records.ts'
import { publishNewLayer } from '../../../src/catalog/rows/publication.ts'
import { defined } from '../../../src/core/values/defined.ts'
import type { Schema } from '../../../src/geo/schema.ts'
import type { StoreConnection } from '../../../src/stores/store.ts'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import type { Row } from '../../support/batches.ts'
import { schemaOf, wkb } from '../../support/batches.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { loadRows } from '../store-session.ts'

const cities = schemaOf(
  { name: 'text', people: 'int64', founded: 'date', seen: 'timestamp', share: 'decimal' },
  'Point',
)
const day = (text: string): number => Date.parse(text) / 86_400_000
const rows: Row[] = [
  {
    geometry: wkb('Point', [13.4, 52.5]),
    values: ['Berlin "Mitte"', 9007199254740993n, day('1237-10-28'), 0n, '0.10'],
  },
  { geometry: wkb('Point', [-179.9, -16.5]), values: ['Fiji', 2n, day('1970-10-10'), 1_500_000n, null] },
  { geometry: wkb('Point', [179.9, -16.6]), values: ['Fidschi', null, day('1970-10-11'), null, '1e400'] },
  { geometry: null, values: [null, 4n, null, -1n, '7'] },
]
const utm: Schema = schemaOf(
  { name: 'text' },
  { name: 'geom', type: 'Point', hasZ: true, hasM: false, crs: { srs: 'EPSG:25832' } },
)

interface Page {
  numberMatched: number
  numberReturned: number
  features: { id: number; geometry: { coordinates: number[] } | null; properties: Record<string, unknown> }[]
  links: { rel: string; href: string }[]
}

async function publish(
  app: TestApp,
  store: StoreRecord,
  table: string,
  schema: Schema,
  data: Row[],
): Promise<void> {
  const vectorStore = await app.catalog.stores.open(store)
  const { result } = await loadRows(vectorStore, { table, schema, rows: data })
  const srs = schema.geometry?.crs?.srs
  await publishNewLayer(
    app.database.kysely,
    {
      workspace: store.workspace,
      name: table,
      storeId: store.id,
      nativeName: table,
      details: {
        kind: 'vector',
        title: table,
        originalName: table,
        schema,
        style: 'point',
        ...defined({ srs, envelope: result.envelope }),
      },
    },
    '2026-01-01T00:00:00.000Z',
  )
}

function describeFeatures(name: string, connect: (app: TestApp) => Promise<StoreConnection>): void {
  describe(`OGC API Features over ${name}`, () => {
    let app: TestApp
    before(async () => {
      app = await createTestApp()
      const connection = await connect(app)
      const store = await app.catalog.stores.create({
        workspace: 'default',
        name: 'places',
        kind: 'dataStore',
        connection,
      })
      await publish(app, store, 'cities', cities, rows)
      await publish(app, store, 'masts', utm, [
        { geometry: wkb('Point', [500000, 5500000, 12], 'xyz'), values: ['a'] },
      ])
      await publish(app, store, 'notes', schemaOf({ text: 'text' }), [{ values: ['only text'] }])
    })
    after(() => app.close())

    const get = async (path: string, headers: Record<string, string> = app.admin) =>
      app.app.inject({ method: 'GET', url: path, headers })
    const items = async (query: string, collection = 'default:cities'): Promise<Page> => {
      const reply = await get(`/ogc/collections/${collection}/items?${query}`)
      assert.equal(reply.statusCode, 200, reply.body)
      return reply.json<Page>()
    }
    const idsOf = async (query: string): Promise<number[]> =>
      (await items(query)).features.map(({ id }) => id)

    it('leads from the landing page to the collections', async () => {
      const landing = (await get('/ogc/')).json<{ links: { rel: string; href: string }[] }>()
      const data = landing.links.find(({ rel }) => rel === 'data')
      assert.ok(data)
      const reply = await get(new URL(data.href).pathname)
      const { collections } = reply.json<{
        collections: { id: string; storageCrs?: string; extent: object }[]
      }>()
      assert.deepEqual(
        collections.map(({ id }) => id),
        ['default:cities', 'default:masts', 'default:notes'],
      )
      assert.equal(collections[1]?.storageCrs, 'http://www.opengis.net/def/crs/EPSG/0/25832')
      assert.equal(collections[2]?.storageCrs, undefined)
    })

    it('gives the extent of a projected layer in longitude and latitude', async () => {
      const reply = await get('/ogc/collections/default:masts')
      const { extent } = reply.json<{ extent: { spatial: { bbox: number[][] } } }>()
      const [minX = 0, minY = 0] = extent.spatial.bbox[0] ?? []
      assert.ok(Math.abs(minX - 9) < 1e-6 && Math.abs(minY - 49.65) < 0.01, JSON.stringify(extent))
    })

    it('tells when its features are of', async () => {
      const extent = async (collection: string): Promise<{ temporal?: { interval: string[][] } }> =>
        (await get(`/ogc/collections/default:${collection}`)).json<{ extent: object }>().extent
      assert.deepEqual((await extent('cities')).temporal?.interval, [
        ['1237-10-28T00:00:00Z', '1970-10-11T23:59:59Z'],
      ])
      assert.equal((await extent('notes')).temporal, undefined)
    })

    it('keeps values exact: large integers, decimals, dates, times, nulls and quotes', async () => {
      const reply = await get('/ogc/collections/default:cities/items')
      assert.match(reply.headers['content-type'] as string, /^application\/geo\+json/)
      assert.ok(reply.body.includes('"people":9007199254740993'), reply.body)
      assert.ok(reply.body.includes('"name":"Berlin \\"Mitte\\""'))
      // GeoPackage has no decimals: the server stores their digits as text.
      assert.match(reply.body, /"share":("?)0\.10\1[,}]/)
      assert.ok(reply.body.includes('"founded":"1237-10-28"'))
      assert.ok(reply.body.includes('"seen":"1970-01-01T00:00:01.500Z"'))
      assert.ok(reply.body.includes('"seen":"1969-12-31T23:59:59.999999Z"'))
      const page = reply.json<Page>()
      assert.equal(page.numberMatched, 4)
      assert.equal(page.numberReturned, 4)
      assert.equal(page.features[3]?.geometry, null)
    })

    it('pages through everything once by its next links', async () => {
      const seen: number[] = []
      let url: string | undefined = '/ogc/collections/default:cities/items?limit=3'
      while (url !== undefined) {
        const reply = await get(url)
        assert.equal(reply.statusCode, 200, `${url} ${reply.body}`)
        const page: Page = reply.json()
        seen.push(...page.features.map(({ id }) => id))
        assert.equal(page.numberMatched, 4)
        const next = page.links.find(({ rel }) => rel === 'next')
        const { pathname, search } = new URL(next?.href ?? 'http://none')
        url = next === undefined ? undefined : pathname + search
      }
      assert.deepEqual(seen, [1, 2, 3, 4])
    })

    it('filters by bbox, also across the antimeridian; what has no geometry is always in', async () => {
      assert.deepEqual(await idsOf('bbox=10,50,20,60'), [1, 4])
      assert.deepEqual(await idsOf('bbox=179,-20,-179,-10'), [2, 3, 4])
      assert.deepEqual(await idsOf('bbox=0,0,0,1,1,1'), [4])
      assert.equal((await items('bbox=1,1,2,2', 'default:notes')).numberMatched, 1)
    })

    it('reads bbox in the CRS that bbox-crs names, in the order of its authority', async () => {
      const crs = encodeURIComponent('http://www.opengis.net/def/crs/EPSG/0/4326')
      assert.deepEqual(await idsOf(`bbox=50,10,60,20&bbox-crs=${crs}`), [1, 4])
    })

    it('filters by date with open and closed ends', async () => {
      assert.deepEqual(await idsOf('datetime=1970-10-10'), [2])
      assert.deepEqual(await idsOf('datetime=1970-10-11/..'), [3])
      assert.deepEqual(await idsOf('datetime=../1970-10-10'), [1, 2])
      assert.deepEqual(await idsOf('datetime=1970-10-09/P1DT6H'), [2])
      assert.deepEqual(await idsOf('datetime=P1M/1970-10-10T00:00:00Z'), [2])
    })

    it('answers in the storage CRS, with heights kept, and says so in Content-Crs', async () => {
      const crs = 'http://www.opengis.net/def/crs/EPSG/0/25832'
      const reply = await get(`/ogc/collections/default:masts/items?crs=${encodeURIComponent(crs)}`)
      assert.equal(reply.headers['content-crs'], `<${crs}>`)
      assert.deepEqual(reply.json<Page>().features[0]?.geometry?.coordinates, [500000, 5500000, 12])
      const [x = 0, y = 0, z] = (await items('', 'default:masts')).features[0]?.geometry?.coordinates ?? []
      assert.ok(Math.abs(x - 9) < 1e-9 && Math.abs(y - 49.6525429235568) < 1e-9, `${x} ${y}`)
      assert.equal(z, 12)
    })

    it('writes latitude first where the CRS says so', async () => {
      const crs = encodeURIComponent('http://www.opengis.net/def/crs/EPSG/0/4326')
      const page = await items(`crs=${crs}&limit=1`)
      assert.deepEqual(page.features[0]?.geometry?.coordinates, [52.5, 13.4])
    })

    it('gives one feature by its id, and 404 for another', async () => {
      const reply = await get('/ogc/collections/default:cities/items/2')
      assert.equal(reply.json<{ properties: { name: string } }>().properties.name, 'Fiji')
      assert.equal((await get('/ogc/collections/default:cities/items/99')).statusCode, 404)
      assert.equal((await get('/ogc/collections/default:cities/items/x')).statusCode, 404)
    })

    it('gives a table without geometry', async () => {
      const page = await items('', 'default:notes')
      assert.deepEqual(page.features[0]?.properties, { text: 'only text' })
      assert.equal(page.features[0]?.geometry, null)
    })

    it('refuses parameters that make no sense with a message that names them', async () => {
      for (const query of [
        'limit=0',
        'limit=x',
        'bbox=1,2,3',
        'bbox=1,9,3,4',
        'datetime=yesterday',
        'datetime=P1D',
        'datetime=../P1D',
        'datetime=9999-12-31/P1Y',
        'datetime=P1D/P1D',
        'crs=moon',
        'offset=-1',
      ]) {
        const reply = await get(`/ogc/collections/default:cities/items?${query}`)
        assert.equal(reply.statusCode, 400, query)
        assert.ok(reply.json<{ detail: string }>().detail.includes(query.split('=')[0] ?? ''), reply.body)
      }
    })

    it('shows a collection without login only where its workspace is public', async () => {
      assert.equal((await get('/ogc/collections/default:cities', {})).statusCode, 401)
      assert.equal((await get('/ogc/collections', {})).json<{ collections: [] }>().collections.length, 0)
      const change = { method: 'PUT', url: '/rest/workspaces/default', headers: app.admin } as const
      const reply = await app.app.inject({
        ...change,
        payload: { workspace: { name: 'default', public: true } },
      })
      assert.equal(reply.statusCode, 200, reply.body)
      assert.equal((await get('/ogc/collections/default:cities/items', {})).statusCode, 200)
      assert.equal((await get('/ogc/collections/default:nothing', {})).statusCode, 401)
      assert.equal(
        (await get('/ogc/collections/default:cities', basicAuth('admin', 'wrong'))).statusCode,
        401,
      )
    })
  })
}

describeFeatures('PostGIS', async () => ({
  type: 'PostGIS',
  parameters: storeParameters(await fileDatabase()),
}))

describeFeatures('GeoPackage', async (app) => ({
  type: 'GeoPackage',
  parameters: { path: join(app.directory.stores, 'places.gpkg') },
}))
