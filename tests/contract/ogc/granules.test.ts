import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { defined } from '../../../src/core/values/defined.ts'
import { listOf } from '../../support/importer-client.ts'
import type { MosaicServer } from '../../support/mosaics.ts'
import { createMosaic, runMosaic, startMosaics } from '../../support/mosaics.ts'

/** A server with the mosaic `m` of three granules from west to east. */
async function serveMosaic(test: TestContext): Promise<MosaicServer> {
  const client = await startMosaics(test)
  for (const [column, name] of ['a_2020', 'b_2021', 'c_2022'].entries()) {
    client.granule(`m/${name}.tif`, { column })
  }
  writeFileSync(
    join(client.server.dataDir, 'incoming/m/a_2020.tfw'),
    '12.5\n0\n0\n-12.5\n400006.25\n3999993.75\n',
  )
  const task = await runMosaic(client, await createMosaic(client, 'm', { mode: 'auto' }))
  assert.equal(task.state, 'COMPLETE', String(task.errorMessage))
  return client
}

async function get(client: MosaicServer, url: string, headers: Record<string, string> = {}) {
  const { app, admin } = client.server
  return app.inject({ method: 'GET', url, headers: { ...admin, ...headers } })
}

async function send(client: MosaicServer, method: 'DELETE' | 'PUT', url: string, payload?: object) {
  const { app, admin } = client.server
  return app.inject({ method, url, headers: admin, ...defined({ payload }) })
}

async function namesIn(client: MosaicServer, query: string): Promise<string[]> {
  const { json } = await client.read('m', `/granules?${query}`)
  return listOf<{ properties: { file: string } }>(json.features).map(({ properties }) => properties.file)
}

const collection = '/ogc/collections/default%3Am'

describe('the granules of a coverage', () => {
  it('are a list like that of items: by place, by time, in pages and in a CRS', async (test) => {
    const client = await serveMosaic(test)
    assert.deepEqual(await namesIn(client, 'datetime=2021-01-01/..'), ['b_2021.tif', 'c_2022.tif'])
    assert.deepEqual(await namesIn(client, 'limit=1&offset=2'), ['c_2022.tif'])
    const utm = encodeURIComponent('http://www.opengis.net/def/crs/EPSG/0/32618')
    const box = `bbox=400010,3999910,400090,3999990&bbox-crs=${utm}`
    assert.deepEqual(await namesIn(client, box), ['a_2020.tif'])
    const { json } = await client.read('m', `/granules?limit=1&crs=${utm}`)
    const [first] = listOf<{ geometry: { coordinates: number[][][] } }>(json.features)
    assert.deepEqual(first?.geometry.coordinates, [
      [
        [400_000, 4_000_000],
        [400_000, 3_999_900],
        [400_100, 3_999_900],
        [400_100, 4_000_000],
        [400_000, 4_000_000],
      ],
    ])
  })

  it('are filtered and ordered by what they tell, but not by where their files are', async (test) => {
    const client = await serveMosaic(test)
    assert.deepEqual(await namesIn(client, 'file=b_2021.tif'), ['b_2021.tif'])
    assert.deepEqual(await namesIn(client, 'width=8&file=nothing.tif'), [])
    const later = encodeURIComponent("time > TIMESTAMP('2020-06-01T00:00:00Z') AND file LIKE 'b%'")
    assert.deepEqual(await namesIn(client, `filter=${later}`), ['b_2021.tif'])
    assert.deepEqual(await namesIn(client, 'sortby=-time&limit=2'), ['c_2022.tif', 'b_2021.tif'])
    const columns = ['file', 'time', 'width', 'height', 'size_bytes']
    for (const [name, more] of [
      ['queryables', ['footprint']],
      ['sortables', []],
    ] as const) {
      const { json, status } = await client.read('m', `/${name}`)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(json.properties as object), [...columns, ...more])
      assert.equal((await client.read('m', `/${name}?f=html`)).status, 200)
    }
    const { json } = await client.read('m', '')
    const links = listOf<{ rel: string; href: string }>(json.links)
    assert.match(links.find(({ rel }) => rel.endsWith('/queryables'))?.href ?? '', /default%3Am\/queryables$/)
    const location = encodeURIComponent("location LIKE '/%'")
    for (const query of [
      'location=x',
      `filter=${location}`,
      'sortby=location',
      'version=1',
      'nope=1',
      'width=x',
    ])
      assert.equal((await client.read('m', `/granules?${query}`)).status, 400, query)
    const unknown = (await client.read('m', '/granules?nonsense=1&__proto__=2')).json
    assert.equal(unknown.code, 'unknown-parameter')
    assert.match(String(unknown.detail), /"nonsense".*"__proto__"|"__proto__".*"nonsense"/s)
  })

  it('name no folder of the server', async (test) => {
    const client = await serveMosaic(test)
    for (const path of ['', '/granules', '/granules/1']) {
      const { body, status } = await client.read('m', path)
      assert.equal(status, 200)
      assert.ok(!body.includes(client.server.dataDir), path)
    }
  })

  it('are read as files, whole, in parts, and with what belongs to them', async (test) => {
    const client = await serveMosaic(test)
    const source = readFileSync(join(client.server.dataDir, 'incoming/m/a_2020.tif'))
    const file = `${collection}/granules/1/file/a_2020.tif`
    const whole = await get(client, file)
    assert.match(String(whole.headers['content-type']), /^image\/tiff; application=geotiff/)
    assert.deepEqual(whole.rawPayload, source)
    const part = await get(client, file, { range: 'bytes=4-11' })
    assert.equal(part.statusCode, 206)
    assert.deepEqual(part.rawPayload, source.subarray(4, 12))
    assert.equal((await get(client, `${collection}/granules/1/file/a_2020.tfw`)).statusCode, 200)
    assert.equal((await get(client, `${collection}/granules/1/file/b_2021.tif`)).statusCode, 404)
    assert.equal((await get(client, `${collection}/granules/9/file/a_2020.tif`)).statusCode, 404)
  })

  it('are not read from where the server neither keeps nor takes files', async (test) => {
    const client = await serveMosaic(test)
    const index = new DatabaseSync(join(client.server.dataDir, 'stores/default/default.gpkg'))
    const triggers = index.prepare("select name from sqlite_schema where type = 'trigger'").all()
    for (const { name } of triggers) index.exec(`drop trigger "${name}"`)
    index.prepare('update m_granules set location = ? where fid = 1').run('/etc/hostname')
    index.close()
    const reply = await get(client, `${collection}/granules/1/file/hostname`)
    assert.equal(reply.statusCode, 404, reply.body)
  })

  it('are for those who may read the layer', async (test) => {
    const client = await serveMosaic(test)
    const { app } = client.server
    const paths = ['/granules', '/granules/1', '/granules/1/file/a_2020.tif']
    for (const path of paths) {
      assert.equal((await app.inject({ method: 'GET', url: `${collection}${path}` })).statusCode, 401, path)
    }
    await send(client, 'PUT', '/rest/workspaces/default', { workspace: { public: true } })
    for (const path of paths) {
      assert.equal((await app.inject({ method: 'GET', url: `${collection}${path}` })).statusCode, 200, path)
    }
  })

  it('are a 404 of a layer that is not a mosaic, and a mosaic has no items', async (test) => {
    const client = await serveMosaic(test)
    client.granule('single.tif')
    await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: 'single.tif' } } })
    assert.equal((await client.read('single', '/granules')).status, 404)
    assert.equal((await client.read('m', '/items')).status, 404)
  })
})

describe('the collection of a mosaic', () => {
  it('lists every time, and the list of collections the first and the last', async (test) => {
    const client = await serveMosaic(test)
    const { json } = await client.read('m')
    const years = [2020, 2021, 2022].map((year) => `${year}-01-01T00:00:00.000Z`)
    const interval = [[years[0], years[2]]]
    const trs = 'http://www.opengis.net/def/uom/ISO-8601/0/Gregorian'
    const temporal = { interval, trs, grid: { cellsCount: 3 } }
    assert.deepEqual(json.extent?.temporal, { ...temporal, values: years })
    const all = JSON.parse((await get(client, '/ogc/collections')).body) as { collections: object[] }
    assert.deepEqual((all.collections[0] as { extent: object }).extent, { ...json.extent, temporal })
    const rels = listOf(json.links).map(({ rel }) => String(rel))
    assert.deepEqual(rels, ['self', 'granules', 'http://www.opengis.net/def/rel/ogc/1.0/queryables'])
  })
})

describe('the data store that holds the granules of a mosaic', () => {
  it('is not deleted beneath it, but together with it', async (test) => {
    const client = await serveMosaic(test)
    const url = '/rest/workspaces/default/datastores/default'
    const refused = await send(client, 'DELETE', url)
    assert.equal(refused.statusCode, 409, refused.body)
    assert.match(refused.body, /granules of the mosaic \\"m\\"/)
    assert.equal((await client.read('m')).status, 200)
    assert.equal((await send(client, 'DELETE', `${url}?recurse=true`)).statusCode, 200)
    assert.equal((await client.read('m')).status, 404)
  })
})
