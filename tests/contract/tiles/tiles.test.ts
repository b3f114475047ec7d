import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { clientOf } from '../../support/importer-client.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'
import { until } from '../../support/until.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints, versionOf } from '../../support/versioned-layers.ts'

/**
 * Data in a GeoPackage with the catalogue in SQLite, or in a schema of the PostgreSQL that contains the
 * catalogue.
 */
const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}
const odd = 'Straße, 50% / 道'
const points: Points = [
  ['a', 10, 50],
  ['b', 11, 51],
]

for (const [name, environment] of Object.entries(shapes))
  describe(`vector tiles over ${name}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: await environment() })
      for (const workspace of ['open', 'closed'])
        await send('POST', '/rest/workspaces', {
          workspace: { name: workspace, public: workspace === 'open' },
        })
      for (const layer of ['open:roads', 'open:trees', 'closed:roads']) {
        const [workspace = '', plain = ''] = layer.split(':')
        await importPoints(server, { workspace, name: plain, points })
      }
      await send('POST', '/rest/security/users', {
        user: { name: 'reader', password: 'long-enough-password', role: 'user' },
      })
    })
    after(() => server.close())
    const send = (method: 'POST' | 'PUT', url: string, payload: object) =>
      server.app.inject({ method, url, headers: server.admin, payload })
    const reader = basicAuth('reader', 'long-enough-password')
    const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      server.app.inject({ method, url, headers })
    const tileOf = (bytes: Buffer) => new VectorTile(new PbfReader(bytes))
    const namesIn = (bytes: Buffer) =>
      Object.values(tileOf(bytes).layers).flatMap((layer) =>
        Array.from({ length: layer.length }, (_, at) => `${layer.name}:${layer.feature(at).properties.name}`),
      )

    it('are sent as they are kept, or unpacked for who takes no gzip', async () => {
      const packed = await get('/tiles/open:roads/0/0/0.mvt', { 'accept-encoding': 'br, gzip' })
      assert.equal(packed.statusCode, 200, packed.body)
      assert.equal(packed.headers['content-type'], 'application/vnd.mapbox-vector-tile')
      assert.equal(packed.headers['content-encoding'], 'gzip')
      const plain = await get('/tiles/open:roads/0/0/0.mvt')
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.deepEqual(gunzipSync(packed.rawPayload), plain.rawPayload)
      assert.deepEqual(namesIn(plain.rawPayload), ['roads:a', 'roads:b'])
      for (const one of [packed, plain]) assert.match(String(one.headers.vary), /Accept-Encoding/)
      const refused = await get('/tiles/open:roads/0/0/0.mvt', { 'accept-encoding': 'gzip;q=0, br' })
      assert.deepEqual(refused.rawPayload, plain.rawPayload)
    })

    it('say what became of the rows', async () => {
      const { headers } = await get('/tiles/open:roads/0/0/0.mvt')
      assert.match(String(headers['terrane-tile']), /^[a-z-]+=\d+(?:, [a-z-]+=\d+)*$/)
      assert.match(String(headers['terrane-tile']), /\bdrawn=2\b/)
      assert.match(String(headers['access-control-expose-headers']), /Terrane-Tile/)
    })

    it('are 204 where nothing is, and 404 where there is no such tile or no such layer', async () => {
      const empty = await get('/tiles/open:roads/4/0/0.mvt')
      assert.deepEqual([empty.statusCode, empty.body], [204, ''])
      assert.match(String(empty.headers.etag), /^W\//)
      for (const tile of [
        '1/2/0',
        '1/0/2',
        '23/0/0',
        '-1/0/0',
        '1/0.5/0',
        '01/0/0',
        '1e0/0/0',
        'a/b/c',
        '0/0/ ',
      ])
        assert.equal(
          (await get(`/tiles/open:roads/${tile}.mvt`)).json<{ code: string }>().code,
          'unknown-tile',
          tile,
        )
      for (const layer of [
        'open:none',
        'none:roads',
        'roads',
        'closed:roads',
        'closed:none',
        'open:roads,open:none',
      ]) {
        const reply = await get(`/tiles/${layer}/0/0/0.mvt`)
        assert.equal(reply.statusCode, 404, layer)
        assert.equal(reply.json<{ code: string }>().code, 'unknown-layer', layer)
      }
    })

    it('answer HEAD as GET, without the body', async () => {
      const [head, whole] = [
        await get('/tiles/open:roads/0/0/0.mvt', {}, 'HEAD'),
        await get('/tiles/open:roads/0/0/0.mvt'),
      ]
      assert.deepEqual([head.statusCode, head.body], [200, ''])
      for (const header of ['etag', 'cache-control', 'content-type', 'content-length', 'terrane-tile'])
        assert.equal(head.headers[header], whole.headers[header], header)
      assert.equal((await get('/tiles/open:roads', {}, 'HEAD')).statusCode, 200)
    })

    it('hold several layers, each with its name, rights and version', async () => {
      for (const headers of [{} as Record<string, string>, { 'accept-encoding': 'gzip' }]) {
        const both = await get('/tiles/open:trees,open:roads/0/0/0.mvt', headers)
        const bytes =
          both.headers['content-encoding'] === 'gzip' ? gunzipSync(both.rawPayload) : both.rawPayload
        assert.deepEqual(namesIn(bytes), ['trees:a', 'trees:b', 'roads:a', 'roads:b'])
      }
      assert.equal((await get('/tiles/open:trees,closed:roads/0/0/0.mvt')).statusCode, 404)
      assert.equal((await get('/tiles/open:trees,closed:roads/0/0/0.mvt', reader)).statusCode, 200)
      const equal = await get('/tiles/open:roads,closed:roads/0/0/0.mvt', reader)
      assert.deepEqual([equal.statusCode, equal.json<{ code: string }>().code], [400, 'equal-layers'])
      const many = Array.from({ length: 21 }, (_, at) => `open:l${at}`).join(',')
      assert.equal((await get(`/tiles/${many}/0/0/0.mvt`)).json<{ code: string }>().code, 'too-many-layers')
    })

    it('choose attributes, and name those that are not there', async () => {
      const keys = async (query: string) => {
        const reply = await get(`/tiles/open:roads/0/0/0.mvt${query}`)
        const { roads } = tileOf(reply.rawPayload).layers
        return [Object.keys(roads?.feature(0).properties ?? {}), reply.headers['terrane-ignored']]
      }
      assert.deepEqual(await keys(''), [['name'], undefined])
      assert.deepEqual(await keys('?properties=name'), [['name'], undefined])
      assert.deepEqual(await keys('?properties='), [[], undefined])
      assert.deepEqual(await keys('?properties=name,nothing'), [['name'], 'properties%3Dnothing'])
      assert.deepEqual(await keys('?properties=%FF'), [[], 'properties%3D%25FF'])
    })

    it('are known by the version of the layer, and 304 is made of nothing else', async () => {
      const url = '/tiles/open:trees/0/0/0.mvt'
      const { etag } = (await untilTagged(() => get(url))).headers
      const known = await untilUnchanged(() => get(url, { 'if-none-match': String(etag) }))
      assert.deepEqual([known.statusCode, known.body], [304, ''])
      assert.equal(known.headers['cache-control'], 'public, max-age=300, s-maxage=60')
      assert.equal(known.headers.etag, etag)
      await importPoints(server, {
        workspace: 'open',
        name: 'trees',
        mode: 'REPLACE',
        points: [['c', 10, 50]],
      })
      const changed = await get(url, { 'if-none-match': String(etag) })
      assert.equal(changed.statusCode, 200)
      assert.notEqual(changed.headers.etag, etag)
      assert.deepEqual(namesIn(changed.rawPayload), ['trees:c'])
    })

    it('say how long they may be kept', async () => {
      const version = await versionOf(server, 'open:roads')
      const cases: [url: string, headers: Record<string, string>, expected: string][] = [
        ['/tiles/open:roads/0/0/0.mvt', {}, 'public, max-age=300, s-maxage=60'],
        [`/tiles/open:roads/0/0/0.mvt?v=${version}`, {}, 'public, max-age=300, s-maxage=60'],
        [`/tiles/open:roads/0/0/0.mvt?v=${version + 1}`, {}, 'no-store'],
        ['/tiles/open:roads/0/0/0.mvt?v=x', {}, 'no-store'],
        ['/tiles/open:roads/0/0/0.mvt', reader, 'private, no-cache'],
        ['/tiles/closed:roads/0/0/0.mvt', reader, 'private, no-cache'],
        // It has links, whose host is that of the request.
        ['/tiles/open:roads', {}, 'private, max-age=300'],
        ['/tiles/closed:roads', reader, 'private, no-cache'],
        ['/tiles/closed:roads', {}, 'private, no-cache'],
      ]
      for (const [url, headers, expected] of cases) {
        // While the log of a load is moved into its file, no cache may store the response; the next check
        // ends that state.
        let reply = await get(url, headers)
        await until(async () => {
          if (reply.headers['cache-control'] !== 'no-store' || expected === 'no-store') return true
          reply = await get(url, headers)
          return false
        })
        assert.equal(reply.headers['cache-control'], expected, url)
        if (expected === 'private, no-cache')
          assert.match(String(reply.headers.vary), /Authorization, Cookie/)
        const origin = Object.keys(headers).length === 0 ? '*' : undefined
        assert.equal(reply.headers['access-control-allow-origin'], origin, url)
      }
    })

    it('have names with every letter', async () => {
      const client = clientOf(server)
      const { json } = await client.call('POST', '', {
        import: { targetWorkspace: { workspace: { name: 'open' } } },
      })
      const id = Number(json.import?.id)
      const feature = {
        type: 'Feature',
        properties: { 'größe,_%': 1 },
        geometry: { type: 'Point', coordinates: [9, 9] },
      }
      await client.upload(id, [{ name: 'odd.geojson', content: JSON.stringify(feature) }])
      await client.call('POST', `/${id}`)
      // The importer makes plainer names; those of layers that are published otherwise may be anything.
      await server.database.kysely
        .updateTable('layers')
        .set({ name: odd })
        .where('name', '=', 'odd')
        .execute()
      const segment = `open:${encodeURIComponent(odd)}`
      const reported = (await get(`/tiles/${segment},open:roads`)).json<{
        tiles: string[]
        vector_layers: { id: string }[]
      }>()
      assert.deepEqual(
        reported.vector_layers.map((layer) => layer.id),
        [odd, 'roads'],
      )
      const { pathname, search } = new URL(reported.tiles[0]?.replace(/\{[zxy]\}/g, '0') ?? '')
      const tile = tileOf((await get(pathname + search)).rawPayload)
      assert.deepEqual(Object.keys(tile.layers), [odd, 'roads'])
      const chosen = await get(`/tiles/${segment}/0/0/0.mvt?properties=${encodeURIComponent('größe,_%')}`)
      assert.deepEqual({ ...tileOf(chosen.rawPayload).layers[odd]?.feature(0).properties }, { 'größe,_%': 1 })
    })

    it('tell owner, citation and DOI of their layers in TileJSON, and a DOI that is none is refused', async () => {
      const change = (layer: string, doi: string) =>
        send('PUT', `/rest/layers/open:${layer}`, {
          layer: { owner: 'Office', citation: `Office (2026): ${layer}`, doi },
        })
      for (const layer of ['roads', 'trees'])
        assert.equal((await change(layer, `https://doi.org/10.1234/${layer}`)).statusCode, 200)
      const termsOf = async (layers: string) => {
        const { owner, citation, doi } = (await get(`/tiles/${layers}`)).json<Record<string, unknown>>()
        return { owner, citation, doi }
      }
      assert.deepEqual(await termsOf('open:roads,open:trees'), {
        owner: 'Office',
        citation: 'Office (2026): roads\nOffice (2026): trees',
        doi: '10.1234/roads, 10.1234/trees',
      })
      const refused = await change('roads', 'roads of the city')
      assert.deepEqual([refused.statusCode, refused.json().code], [400, 'invalid-body'])
      assert.equal((await change('roads', '')).statusCode, 200)
      assert.equal((await termsOf('open:roads')).doi, undefined)
    })
  })
