import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { rasterInfo } from '../../support/gdal-session.ts'
import { shareImporter } from '../../support/importer-client.ts'
import { pathOf, stacReader, startStacLayers, withoutAlternates } from '../../support/stac-layers.ts'
import {
  checkCatalog,
  checkCollection,
  checkItem,
  type StacCollection,
  type StacDocument,
  type StacItem,
  type StacPage,
} from '../../support/stac-rules.ts'

const run = promisify(execFile)
const mosaic = '/stac/collections/default%3Am'
const raster = '/stac/collections/default%3ARGB_byte'

describe('STAC', () => {
  const shared = shareImporter(startStacLayers)
  const client = () => shared().server
  const { read, get, post, search, idsOf } = stacReader(client)
  const all = ['default:RGB_byte', 'default:far', ...[1, 2, 3, 4].map((id) => `default:m.${id}`)]

  it('has a root whose links lead to its parts, and which declares its classes', async () => {
    const { json } = await read('/stac')
    checkCatalog(json)
    const { conformsTo } = (await read<{ conformsTo: string[] }>('/stac/conformance')).json
    assert.deepEqual(json.conformsTo, conformsTo)
    for (const name of ['core', 'collections', 'ogcapi-features', 'item-search'])
      assert.ok(conformsTo.includes(`https://api.stacspec.org/v1.0.0/${name}`), name)
    const children = json.links.filter(({ rel }) => rel === 'child').map(({ href }) => new URL(href).pathname)
    assert.deepEqual(children, [raster, '/stac/collections/default%3Afar', mosaic])
    const searches = json.links.filter(({ rel }) => rel === 'search')
    assert.deepEqual(
      searches.map(({ method, type }) => [method, type]),
      [
        ['GET', 'application/geo+json'],
        ['POST', 'application/geo+json'],
      ],
    )
    for (const { href, rel, method } of json.links.filter((one) => one.method !== 'POST')) {
      const { pathname } = new URL(href)
      const reply = await get(pathname)
      assert.equal(reply.statusCode, 200, `${rel} ${method} ${pathname}`)
    }
    const api = await read<{ openapi: string; paths: Record<string, { post?: object }> }>('/stac/api')
    assert.equal(api.headers['content-type'], 'application/vnd.oai.openapi+json;version=3.0')
    assert.ok(api.json.paths['/search']?.post !== undefined)
  })

  it('has a collection for each raster and mosaic, and none for features', async () => {
    const { json } = await read<{ collections: StacCollection[]; links: unknown[] }>('/stac/collections')
    assert.deepEqual(
      json.collections.map(({ id }) => id),
      ['default:RGB_byte', 'default:far', 'default:m'],
    )
    for (const one of json.collections) {
      checkCollection(one)
      assert.deepEqual(
        withoutAlternates((await read(`/stac/collections/${encodeURIComponent(one.id)}`)).json),
        one,
      )
    }
    const [utm, far, timed] = json.collections
    const own = await read<{ extent: { spatial: { bbox: number[][] } } }>('/ogc/collections/default:RGB_byte')
    for (const [at, value] of (utm?.extent.spatial.bbox[0] ?? []).entries())
      assert.ok(Math.abs(value - (own.json.extent.spatial.bbox[0]?.[at] ?? 0)) < 0.001, String(value))
    const [west = 0, , east = 0] = far?.extent.spatial.bbox[0] ?? []
    assert.ok(west > 179 && east < -178, `${west} ${east}`)
    assert.deepEqual(timed?.extent.temporal.interval, [
      ['2020-01-01T00:00:00.000Z', '2022-01-01T00:00:00.000Z'],
    ])
    const features = await read<{ code: string; detail: string }>('/stac/collections/default:places')
    assert.deepEqual([features.status, features.json.code], [404, 'unknown-collection'])
    assert.match(features.json.detail, /\/ogc\/collections\/default:places/)
  })

  it('pages through collections', async () => {
    const seen: string[] = []
    let path: string | undefined = '/stac/collections?limit=1'
    while (path !== undefined) {
      const { json }: { json: { collections: StacCollection[]; links: StacDocument['links'] } } =
        await read(path)
      seen.push(...json.collections.map(({ id }) => id))
      const next = json.links.find(({ rel }) => rel === 'next')
      path = next && pathOf(next.href)
    }
    assert.deepEqual(seen, ['default:RGB_byte', 'default:far', 'default:m'])
  })

  it('has one item for a raster, with the grid that GDAL reads', async () => {
    const { json } = await read<StacPage>(`${raster}/items`)
    assert.deepEqual([json.numberMatched, json.numberReturned], [1, 1])
    const [item] = json.features
    assert.ok(item)
    checkItem(item)
    assert.deepEqual(withoutAlternates((await read(`${raster}/items/default%3ARGB_byte`)).json), item)
    const file = join(client().dataDir, 'incoming/RGB.byte.tif')
    const found = rasterInfo<{ size: number[]; geoTransform: number[] }>(file)
    const [c, a, b, f, d, e] = found.geoTransform
    assert.equal(item.properties['proj:epsg'], 32618)
    assert.deepEqual(item.properties['proj:shape'], found.size.toReversed())
    assert.deepEqual(item.properties['proj:transform'], [a, b, c, d, e, f])
    assert.deepEqual(Object.keys(item.assets), ['data', 'cog', 'map', 'thumbnail'])
    for (const { href, type } of Object.values(item.assets)) {
      const url = pathOf(href)
      const reply = await client().app.inject({ method: 'GET', url, headers: client().admin })
      assert.equal(reply.statusCode, 200, `${url} ${reply.body.slice(0, 200)}`)
      assert.equal(String(reply.headers['content-type']).split(';')[0], type?.split(';')[0], url)
    }
  })

  it('has an item for each granule, with its time, grid and file', async () => {
    const { json } = await read<StacPage>(`${mosaic}/items`)
    assert.deepEqual(
      json.features.map(({ id }) => id),
      all.slice(2),
    )
    const granules = await read<StacPage>('/ogc/collections/default%3Am/granules')
    for (const [at, item] of json.features.entries()) {
      checkItem(item)
      assert.deepEqual(
        withoutAlternates((await read(`${mosaic}/items/${encodeURIComponent(item.id)}`)).json),
        item,
      )
      const { properties, links } = granules.json.features[at] as unknown as StacItem
      assert.equal(item.properties['title'], properties['file'])
      assert.equal(item.assets['data']?.href, links.find(({ rel }) => rel === 'enclosure')?.href)
      assert.equal(item.assets['data']?.['file:size'], properties['size_bytes'])
      assert.deepEqual(item.properties['proj:bbox'], [
        400_000 + at * 100,
        3_999_900,
        400_100 + at * 100,
        4_000_000,
      ])
      assert.deepEqual(item.properties['proj:transform'], [12.5, 0, 400_000 + at * 100, 0, -12.5, 4_000_000])
    }
    const times = json.features.map(({ properties }) => [properties.datetime, properties['start_datetime']])
    assert.deepEqual(times, [
      ['2020-01-01T00:00:00Z', undefined],
      ['2021-01-01T00:00:00Z', undefined],
      ['2022-01-01T00:00:00Z', undefined],
      [null, '2020-01-01T00:00:00.000Z'],
    ])
    const map = json.features[1]?.assets['map']?.href ?? ''
    const reply = await get(pathOf(map))
    assert.equal(reply.statusCode, 200, reply.body.slice(0, 300))
  })

  it('writes a raster across the antimeridian as two polygons', async () => {
    const [item] = (await search('ids=default:far')).features
    assert.ok(item)
    checkItem(item)
    assert.equal(item.geometry?.type, 'MultiPolygon')
    const [west = 0, south = 0, east = 0, north = 0] = item.bbox ?? []
    assert.ok(west > 179 && west < 180 && east > -180 && east < -178, String(item.bbox))
    const inside = `${(north + south) / 2 - 0.01},`
    for (const box of [`179.99,${inside}180,40`, `-180,${inside}-179.9,40`, `179.9,${inside}-179.9,40`])
      assert.deepEqual(await idsOf(`bbox=${box}`), ['default:far'], box)
    assert.deepEqual(await idsOf(`bbox=180.1,${inside}190,40`), ['default:far'])
    assert.deepEqual(await idsOf('bbox=170,30,175,40'), [])
  })

  it('searches by area, time, collections and ids, by GET and POST alike', async () => {
    assert.deepEqual(await idsOf(''), all)
    const second = (await search('ids=default:m.2')).features[0]
    const [west = 0, south = 0, east = 0, north = 0] = second?.bbox ?? []
    const [x, y] = [(west + east) / 2, (south + north) / 2]
    const point = { type: 'Point', coordinates: [x, y] }
    const line = {
      type: 'LineString',
      coordinates: [
        [-77.9, 24.5],
        [-77.8, 24.6],
      ],
    }
    const cases: [query: Record<string, string>, body: object, ids: string[]][] = [
      [{ collections: 'default:m' }, { collections: ['default:m'] }, all.slice(2)],
      [
        { collections: 'default:places,default:none' },
        { collections: ['default:places', 'default:none'] },
        [],
      ],
      [
        { ids: 'default:m.3,default:far,x' },
        { ids: ['default:m.3', 'default:far', 'x'] },
        ['default:far', 'default:m.3'],
      ],
      [{ bbox: `${x},${y},${x},${y}` }, { bbox: [x, y, x, y] }, ['default:m.2']],
      [{ intersects: JSON.stringify(point) }, { intersects: point }, ['default:m.2']],
      [{ intersects: JSON.stringify(line) }, { intersects: line }, ['default:RGB_byte']],
      [
        { datetime: '2020-06-01T00:00:00Z/2021-06-01T00:00:00Z' },
        { datetime: '2020-06-01T00:00:00Z/2021-06-01T00:00:00Z' },
        ['default:m.2', 'default:m.4'],
      ],
      [{ datetime: '../2019-12-31T00:00:00Z' }, { datetime: '../2019-12-31T00:00:00Z' }, []],
      [
        { ids: 'default:m.2,default:m.3', datetime: '2022-01-01' },
        { ids: ['default:m.2', 'default:m.3'], datetime: '2022-01-01' },
        ['default:m.3'],
      ],
    ]
    for (const [query, body, expected] of cases) {
      const found = await search(new URLSearchParams(query).toString())
      const text = JSON.stringify(body)
      assert.deepEqual(
        found.features.map(({ id }) => id),
        expected,
        text,
      )
      assert.equal(found.numberMatched, expected.length, text)
      const posted = await post(body)
      assert.equal(posted.status, 200, text)
      assert.deepEqual(posted.json.features, found.features, text)
    }
    const published = (await search('ids=default:far')).features[0]?.properties.datetime ?? ''
    assert.deepEqual(await idsOf(`datetime=${published}`), ['default:far'])
  })

  it('pages through a search once, whatever the size of pages', async () => {
    for (const limit of [1, 2, 3, 5, 6]) {
      const seen: string[] = []
      let query: string | undefined = `limit=${limit}`
      while (query !== undefined) {
        const page: StacPage = await search(query)
        assert.equal(page.numberMatched, all.length)
        assert.ok(page.features.length > 0)
        seen.push(...page.features.map(({ id }) => id))
        const next = page.links.find(({ rel }) => rel === 'next')
        query = next && new URL(next.href).search.slice(1)
      }
      assert.deepEqual(seen, all, String(limit))
    }
    const seen: string[] = []
    let body: object | undefined = { limit: 4 }
    while (body !== undefined) {
      const { json } = await post(body)
      seen.push(...json.features.map(({ id }) => id))
      const next = json.links.find(({ rel }) => rel === 'next')
      assert.equal(next?.method ?? 'POST', 'POST')
      body = next?.body
    }
    assert.deepEqual(seen, all)
  })

  it('refuses what it cannot read, and says what is allowed', async () => {
    const cases: [query: string, code: string, detail: RegExp][] = [
      ['limit=0', 'invalid-parameter', /whole number from 1/],
      ['limit=x', 'invalid-parameter', /whole number from 1/],
      ['bbox=1,2,3', 'invalid-bbox', /four or six numbers/],
      ['bbox=0,5,1,4', 'invalid-bbox', /upper edge/],
      ['datetime=yesterday', 'invalid-datetime', /RFC 3339/],
      ['intersects=POINT(1 2)', 'invalid-parameter', /GeoJSON/],
      ['intersects={"type":"Circle"}', 'invalid-parameter', /intersects cannot be read/],
      ['intersects={"type":"Point","coordinates":[1,95]}', 'invalid-parameter', /intersects cannot be read/],
      ['intersects={"type":"Point","coordinates":[1,2]}&bbox=0,0,1,1', 'invalid-parameter', /Only one/],
      ['token=abc', 'invalid-position', /next/],
      ['token=WyJkZWZhdWx0Om0iLCJYIl0', 'invalid-position', /position|next/],
      ['query=x', 'unknown-parameter', /"query"/],
      [`ids=${Array.from({ length: 1001 }, (_, id) => id).join()}`, 'invalid-parameter', /at most 1000/],
    ]
    for (const [query, code, detail] of cases) {
      const { status, json } = await read<{ code: string; detail: string }>(
        `/stac/search?${encodeURI(query)}`,
      )
      assert.deepEqual([status, json.code], [400, code], query)
      assert.match(json.detail, detail, query)
    }
    for (const body of [
      { bbox: [1, 2] },
      { limit: 0 },
      { ids: 'x' },
      { sortby: [] },
      { intersects: { type: 'X' } },
      { collections: [1] },
    ])
      assert.equal((await post(body)).status, 400, JSON.stringify(body))
    for (const path of ['/items/default%3Am.9', '/items/9', '/items/default%3Am', '/items/default%3Am.x%27'])
      assert.equal((await read(`${mosaic}${path}`)).status, 404, path)
    assert.equal((await read('/stac/collections/default:none')).status, 404)
  })

  it('shows documents as pages', async () => {
    for (const path of [
      '/stac',
      '/stac/conformance',
      '/stac/api',
      '/stac/collections',
      mosaic,
      `${mosaic}/items?limit=2`,
      `${mosaic}/items/default%3Am.1`,
      '/stac/search?limit=2',
    ]) {
      const { app, admin } = client()
      const reply = await app.inject({ method: 'GET', url: path, headers: { ...admin, accept: 'text/html' } })
      assert.deepEqual(
        [reply.statusCode, reply.headers['content-type']],
        [200, 'text/html; charset=utf-8'],
        path,
      )
      assert.match(reply.body, /<h1/, path)
    }
    const { body } = await client().app.inject({
      method: 'GET',
      url: `${mosaic}/items?f=html&limit=2`,
      headers: client().admin,
    })
    assert.match(body, /href="\/stac\/collections\/default%3Am\/items\/default%3Am\.1"/)
    assert.match(body, /rel="next/)
  })

  it('is not sent again to those who have it', async () => {
    const first = await read('/stac/collections')
    const again = await client().app.inject({
      method: 'GET',
      url: '/stac/collections',
      headers: { ...client().admin, 'if-none-match': String(first.headers['etag']) },
    })
    assert.equal(again.statusCode, 304)
  })

  it('neither shows nor counts layers that the caller may not read', async () => {
    const hidden = async (url: string) => client().app.inject({ method: 'GET', url })
    assert.deepEqual(JSON.parse((await hidden('/stac/search')).body).numberMatched, 0)
    assert.deepEqual(JSON.parse((await hidden('/stac/collections')).body).collections, [])
    for (const name of ['default%3Am', 'default%3Anone'])
      for (const path of ['', '/items', '/items/x'])
        assert.equal((await hidden(`/stac/collections/${name}${path}`)).statusCode, 401, `${name}${path}`)
    const { app, admin } = client()
    const change = (isPublic: boolean) =>
      app.inject({
        method: 'PUT',
        url: '/rest/layers/default:m',
        headers: admin,
        payload: { layer: { public: isPublic } },
      })
    assert.equal((await change(true)).statusCode, 200)
    const found = JSON.parse((await hidden('/stac/search')).body) as StacPage
    assert.deepEqual([found.numberMatched, found.features.map(({ id }) => id)], [4, all.slice(2)])
    assert.equal((await hidden(`${mosaic}/items/default%3Am.1`)).statusCode, 200)
    assert.deepEqual(JSON.parse((await hidden('/stac/search?ids=default:far')).body).numberMatched, 0)
    assert.equal((await change(false)).statusCode, 200)
  })

  it('is a mosaic for GDAL, whose cells are those of the granules', async () => {
    const { app, admin } = client()
    const open = (isPublic: boolean) =>
      app.inject({
        method: 'PUT',
        url: '/rest/layers/default:m',
        headers: admin,
        payload: { layer: { public: isPublic } },
      })
    await open(true)
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    const { stdout } = await run('gdalinfo', [
      '-json',
      `STACIT:"${address}/stac/search?collections=default:m":asset=data`,
    ])
    const found = JSON.parse(stdout) as { size: number[]; geoTransform: number[] }
    assert.deepEqual(found.size, [32, 8])
    assert.deepEqual(found.geoTransform, [400_000, 12.5, 0, 4_000_000, 0, -12.5])
    const dataset = `STACIT:"${address}/stac/search?collections=default:m":asset=data`
    const cells = await run('gdal_translate', ['-q', '-of', 'AAIGrid', dataset, '/vsistdout/'])
    const rows = cells.stdout.split('\n').filter((line) => /^\s*\d+(\s+\d+){20,}/.test(line))
    const expected = [0, 1, 2, 3].flatMap((column) => Array.from({ length: 8 }, () => column))
    assert.equal(rows.length, 8)
    for (const row of rows) assert.deepEqual(row.trim().split(/\s+/).map(Number), expected)
    await open(false)
  })
})
