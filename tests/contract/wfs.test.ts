import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestApp } from '../support/app.ts'
import type { ImporterClient } from '../support/importer-client.ts'
import { clientOf } from '../support/importer-client.ts'
import { testCluster } from '../support/postgres.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({
    TERRANE_DATABASE_URL: await (await testCluster()).createDatabase(),
  }),
}

const features = [
  { kind: 'oak', n: 1, geometry: { type: 'Point', coordinates: [10, 50] } },
  { kind: 'Größe "x" <&>', n: 2, geometry: { type: 'Point', coordinates: [11, 51] } },
  { kind: '', n: 3, geometry: { type: 'Point', coordinates: [12, 52] } },
  { kind: null, n: null, geometry: null },
]
const collection = JSON.stringify({
  type: 'FeatureCollection',
  features: features.map(({ geometry, ...properties }) => ({ type: 'Feature', properties, geometry })),
})

interface Answer {
  status: number
  type: string
  text: string
}

for (const [shape, settings] of Object.entries(shapes)) {
  describe(`WFS with ${shape}`, () => {
    let client: ImporterClient
    const ask = async (query: string, { path = '/wfs', isAnonymous = false } = {}): Promise<Answer> => {
      const reply = await client.server.app.inject({
        ...{ method: 'GET', url: `${path}?${query}` },
        headers: isAnonymous ? {} : client.server.admin,
      })
      return { status: reply.statusCode, type: String(reply.headers['content-type']), text: reply.body }
    }
    const get = 'service=WFS&version=2.0.0&request=GetFeature&typeNames=default:trees'
    const ids = (text: string): string[] =>
      [...text.matchAll(/gml:id="(trees\.[^."]*)"/g)].map(([, id = '']) => id)

    before(async () => {
      client = clientOf(await createTestApp({ env: { TERRANE_LOADS: '1', ...(await settings()) } }))
      const created = await client.call('POST', '', {
        import: { targetStore: { dataStore: { name: 'default' } } },
      })
      const id = Number(created.json.import?.id)
      await client.upload(id, [{ name: 'trees.geojson', content: collection }])
      await client.call('POST', `/${id}`)
    })
    after(() => client.server.close())

    it('tells what it has in both versions', async () => {
      for (const version of ['2.0.0', '1.1.0']) {
        const { status, text } = await ask(`service=WFS&request=GetCapabilities&version=${version}`)
        assert.equal(status, 200, text)
        assert.match(text, new RegExp(`<WFS_Capabilities version="${version}"`))
        assert.match(text, /<Name>default:trees<\/Name>/)
      }
    })

    it('gives features as GML 3.2, with authority axes for urns and x first for codes', async () => {
      const { status, text } = await ask(get)
      assert.equal(status, 200, text)
      assert.match(text, /numberMatched="4" numberReturned="4"/)
      assert.match(text, /srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>50 10<\/gml:pos>/)
      assert.equal(ids(text).length, 4)
      const plain = await ask(`${get}&srsName=EPSG:4326`)
      assert.match(plain.text, /srsName="EPSG:4326"><gml:pos>10 50<\/gml:pos>/)
    })

    it('gives pages with links', async () => {
      const { text } = await ask(`${get}&count=2&sortBy=n%20DESC`)
      assert.match(text, /numberMatched="4" numberReturned="2"/)
      const [, next = ''] = /next="([^"]*)"/.exec(text) ?? []
      assert.match(next, /startindex=2/)
    })

    it('gives features by their ids', async () => {
      const { text } = await ask(
        'service=WFS&version=2.0.0&request=GetFeature&resourceId=trees.3,trees.1,trees.99',
      )
      assert.deepEqual(ids(text), ['trees.1', 'trees.3'])
      assert.match(text, /numberMatched="2" numberReturned="2"/)
      assert.deepEqual(ids((await ask(`${get}&featureID=trees.2,shrubs.3`)).text), ['trees.2'])
      const stored =
        'service=WFS&version=2.0.0&request=GetFeature&storedquery_id=urn:ogc:def:query:OGC-WFS::GetFeatureById'
      const one = await ask(`${stored}&id=trees.2`)
      assert.match(
        one.text,
        /^<\?xml [^>]*\?>\n<default:trees xmlns:default="[^"]*".* gml:id="trees.2">.*<\/default:trees>\n$/,
      )
      const gone = await ask(`${stored}&id=trees.99`)
      assert.equal(gone.status, 404)
      assert.match(gone.text, /exceptionCode="NotFound"/)
    })

    it('gives a Shapefile', async () => {
      const reply = await client.server.app.inject({
        ...{ method: 'GET', url: `/wfs?${get}&outputFormat=SHAPE-ZIP&count=2&startIndex=1&sortBy=n` },
        headers: client.server.admin,
      })
      assert.equal(reply.statusCode, 200, reply.body)
      assert.equal(reply.headers['content-type'], 'application/zip')
      assert.ok(reply.rawPayload.subarray(0, 4).equals(Buffer.from('PK\x03\x04')))
    })
  })
}
