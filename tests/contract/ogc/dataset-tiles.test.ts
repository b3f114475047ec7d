import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { importPoints } from '../../support/versioned-layers.ts'

interface Link {
  rel: string
  href: string
  templated?: boolean
}
interface Tileset {
  links: Link[]
  layers: { id: string; links: Link[] }[]
  tileMatrixSetLimits: { tileMatrix: string; minTileCol: number; maxTileCol: number; minTileRow: number }[]
  boundingBox: { lowerLeft: number[]; upperRight: number[] }
}

describe('tiles of several collections', () => {
  let server: TestApp
  const get = (url: string, headers: object = server.admin) =>
    server.app.inject({ method: 'GET', url, headers: { ...headers } })
  const read = async <T>(url: string): Promise<T> => {
    const reply = await get(url)
    assert.equal(reply.statusCode, 200, reply.body)
    return JSON.parse(reply.body) as T
  }
  const refusal = async (url: string, headers?: object) => {
    const reply = await get(url, headers)
    return [reply.statusCode, JSON.parse(reply.body).code]
  }
  before(async () => {
    server = await createTestApp()
    for (const name of ['open', 'closed'])
      await server.app.inject({
        method: 'POST',
        url: '/rest/workspaces',
        headers: server.admin,
        payload: { workspace: { name, public: name === 'open' } },
      })
    await importPoints(server, { workspace: 'open', name: 'towns', points: [['a', 24.9, 60.2]] })
    await importPoints(server, { workspace: 'open', name: 'villages', points: [['b', 10, 48]] })
    await importPoints(server, { workspace: 'closed', name: 'towns', points: [['c', -70.7, -33.4]] })
  })
  after(() => server.close())
  const both = 'collections=open:towns,open:villages'

  it('are linked from the landing page, and described by the selection', async () => {
    const { links } = await read<{ links: Link[] }>('/ogc')
    assert.ok(links.some(({ rel, href }) => rel.endsWith('/tilesets-vector') && href.endsWith('/ogc/tiles')))
    const { tilesets } = await read<{ tilesets: { links: Link[] }[] }>(`/ogc/tiles?${both}`)
    assert.equal(tilesets.length, 2)
    for (const { links: own } of tilesets) {
      const { pathname, search } = new URL(own.find(({ rel }) => rel === 'self')?.href ?? '')
      const set = await read<Tileset>(pathname + search)
      assert.deepEqual(
        set.layers.map(({ id }) => id),
        ['towns', 'villages'],
      )
      assert.deepEqual(set.boundingBox.lowerLeft.map(Math.round), [10, 48])
      assert.deepEqual(set.boundingBox.upperRight.map(Math.round), [25, 60])
      for (const layer of set.layers)
        for (const { href } of layer.links)
          assert.equal((await get(new URL(href).pathname)).statusCode, 200, href)
    }
  })

  it('have a layer for each collection, by the template', async () => {
    const { links } = await read<Tileset>(`/ogc/tiles/WebMercatorQuad?${both}`)
    const template = links.find(({ templated }) => templated === true)?.href ?? ''
    const { pathname, search } = new URL(
      template.replace('{tileMatrix}', '0').replace('{tileRow}', '0').replace('{tileCol}', '0'),
    )
    const reply = await get(pathname + search)
    assert.equal(reply.statusCode, 200, reply.body)
    const { layers } = new VectorTile(new PbfReader(reply.rawPayload))
    assert.deepEqual(
      Object.entries(layers).map(([name, layer]) => [name, layer.length]),
      [
        ['towns', 1],
        ['villages', 1],
      ],
    )
    const alone = await get('/ogc/collections/open:villages/tiles/WebMercatorQuad/0/0/0')
    const only = new VectorTile(new PbfReader(alone.rawPayload)).layers['villages']?.feature(0)
    const joined = layers['villages']?.feature(0)
    assert.deepEqual([joined?.properties, joined?.loadGeometry()], [only?.properties, only?.loadGeometry()])
  })

  it('are 204 where nothing is, 404 outside', async () => {
    const { tileMatrixSetLimits } = await read<Tileset>(`/ogc/tiles/WebMercatorQuad?${both}`)
    const limits = tileMatrixSetLimits.find(({ tileMatrix }) => tileMatrix === '8')
    assert.ok(limits)
    const tile = (row: number, column: number) => get(`/ogc/tiles/WebMercatorQuad/8/${row}/${column}?${both}`)
    assert.equal((await tile(limits.minTileRow, limits.minTileCol)).statusCode, 204)
    assert.equal((await tile(limits.minTileRow, limits.minTileCol - 1)).statusCode, 404)
  })

  it('have at most 20 collections, of features, with different names', async () => {
    const path = '/ogc/tiles/WebMercatorQuad/0/0/0'
    const many = Array.from({ length: 21 }, (_, index) => `open:layer${index}`).join()
    for (const one of [path, '/ogc/tiles/WebMercatorQuad']) {
      assert.deepEqual(await refusal(`${one}?collections=${many}`), [400, 'too-many-layers'])
      assert.deepEqual(await refusal(`${one}?collections=,`), [400, 'invalid-parameter'])
      assert.deepEqual(await refusal(`${one}?collections=open:towns,closed:towns`), [400, 'equal-layers'])
      assert.deepEqual(await refusal(one), [400, 'equal-layers'])
      assert.deepEqual(await refusal(`${one}?collection=open:towns`), [400, 'unknown-parameter'])
      assert.deepEqual(await refusal(`${one}?collections=open:none`), [404, 'unknown-collection'])
    }
    assert.deepEqual(await refusal(`/ogc/tiles/Other?${both}`), [404, 'unknown-tile-matrix-set'])
  })

  it('have only collections that the caller may read', async () => {
    const path = '/ogc/tiles/WebMercatorQuad/0/0/0'
    const reply = await get(path, {})
    const { layers } = new VectorTile(new PbfReader(reply.rawPayload))
    assert.deepEqual(Object.keys(layers), ['towns', 'villages'])
    for (const name of ['closed:towns', 'closed:none'])
      assert.deepEqual(await refusal(`${path}?collections=open:villages,${name}`, {}), [
        401,
        'login-required',
      ])
  })

  it('are pages for people', async () => {
    for (const url of [`/ogc/tiles?${both}`, `/ogc/tiles/WebMercatorQuad?${both}`]) {
      const reply = await get(url, { ...server.admin, accept: 'text/html' })
      assert.deepEqual([reply.statusCode, reply.headers['content-type']], [200, 'text/html; charset=utf-8'])
    }
  })
})
