import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { downloaded } from '../../support/downloaded.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const origin = 'https://elsewhere.example.org'
/** Visibility set on the layer; `workspace` means unset. */
const requests = [true, false, 'workspace'] as const

describe('who may read a layer', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    for (const workspace of ['open', 'closed']) {
      const payload = { workspace: { name: workspace, public: workspace === 'open' } }
      await send('POST', '/rest/workspaces', payload)
      for (const request of requests) {
        await importPoints(server, { workspace, name: `says_${request}` })
        const layer = { public: request, defaultStyle: 'generic' }
        const reply = await send('PUT', `/rest/layers/${workspace}:says_${request}`, { layer })
        assert.equal(reply.statusCode, 200, reply.body)
      }
    }
    for (const role of ['user', 'staff']) {
      const user = { name: role, password: 'long-enough-password', role }
      await send('POST', '/rest/security/users', { user })
    }
  })
  after(() => server.close())
  const send = (method: 'POST' | 'PUT', url: string, payload: object) =>
    server.app.inject({ method, url, headers: server.admin, payload })
  const credentials = {
    anonymous: {},
    user: basicAuth('user', 'long-enough-password'),
    staff: basicAuth('staff', 'long-enough-password'),
  }
  /** A file that is not ready at once is fetched when it is. */
  const get = (url: string, headers: Record<string, string> = {}) =>
    url.endsWith('/download?f=csv') ? downloaded(server, url, headers) : server.app.inject({ url, headers })
  const isPublic = (workspace: string, request: (typeof requests)[number]): boolean =>
    request === 'workspace' ? workspace === 'open' : request
  const paths = (name: string): string[] => [
    `/ogc/collections/${name}`,
    `/ogc/collections/${name}/schema`,
    `/ogc/collections/${name}/items`,
    `/ogc/collections/${name}/items?limit=1&offset=1`,
    `/ogc/collections/${name}/items/1`,
    `/ogc/collections/${name}/queryables`,
    `/ogc/collections/${name}/sortables`,
    `/ogc/collections/${name}/download?f=csv`,
    `/ogc/collections/${name}/tiles`,
    `/ogc/collections/${name}/tiles/WebMercatorQuad`,
    `/ogc/collections/${name}/tiles/WebMercatorQuad/0/0/0`,
    `/ogc/collections/${name}/granules`,
    `/ogc/collections/${name}/file/x.tif`,
    `/ogc/collections/${name}/map`,
    `/ogc/collections/${name}/styles/raster/map`,
    `/ogc/catalogue/collections/layers/items/${name}`,
    `/rest/layers/${name}`,
  ]

  it('have no services of a workspace that does not exist, nor of one of which they may read nothing', async () => {
    const made = await send('POST', '/rest/workspaces', { workspace: { name: 'hidden', public: false } })
    assert.equal(made.statusCode, 201, made.body)
    await importPoints(server, { workspace: 'hidden', name: 'points' })
    const capabilities = ['WMS', 'WFS', 'WCS', 'WMTS'].flatMap((service) =>
      ['', '&version=1.1.0&acceptversions=1.1.0'].flatMap((version) =>
        [service.toLowerCase(), 'ows'].map(
          (path) => `${path}?service=${service}&request=GetCapabilities${version}`,
        ),
      ),
    )
    const addresses = [
      ...capabilities,
      'wms',
      'wfs',
      'wcs',
      'wmts',
      'gwc/service/wmts?service=WMTS&request=GetCapabilities',
      'wmts/rest/WMTSCapabilities.xml',
      'wmts/1.0.0/WMTSCapabilities.xml',
      'wfs?service=WFS&version=2.0.0&request=DescribeFeatureType',
      'wfs?service=WFS&version=2.0.0&request=ListStoredQueries',
      'wms?service=WMS&version=1.3.0&request=GetMap&layers=points&styles=&crs=CRS:84&bbox=0,0,1,1&width=9&height=9&format=image/png',
    ]
    for (const address of addresses) {
      const ask = (workspace: string, headers = {}) => get(`/${workspace}/${address}`, headers)
      const missing = await ask('nosuch')
      assert.equal(missing.statusCode, 404, `${address} ${missing.body}`)
      assert.match(missing.body, /<(?:ows:)?(?:ServiceException|Exception)\b/, address)
      assert.match(missing.body, /nosuch/)
      const hidden = await ask('hidden')
      assert.equal(hidden.body.replaceAll('hidden', 'nosuch'), missing.body, address)
      assert.equal(hidden.statusCode, 404)
      assert.equal((await ask('nosuch', credentials.user)).statusCode, 404, address)
      for (const seen of [await ask('hidden', credentials.user), await ask('open'), await ask('closed')])
        assert.doesNotMatch(seen.body, /Workspace/, address)
    }
    const posted = await server.app.inject({
      method: 'POST',
      url: '/nosuch/wfs',
      headers: { 'content-type': 'text/xml' },
      payload: '<GetCapabilities xmlns="http://www.opengis.net/wfs/2.0" service="WFS"/>',
    })
    assert.equal(posted.statusCode, 404, posted.body)
    assert.match(posted.body, /<ows:Exception\b/)
  })

  it('is decided alike at every path, and what is hidden looks like what is not there', async () => {
    for (const workspace of ['open', 'closed'])
      for (const request of requests)
        for (const [role, headers] of Object.entries(credentials)) {
          const name = `${workspace}:says_${request}`
          const absent = `${workspace}:says_nothing`
          const hidden = role === 'anonymous' && !isPublic(workspace, request)
          for (const [at, path] of paths(name).entries()) {
            const what = `${role} ${path}`
            const [reply, other] = await Promise.all([
              get(path, headers),
              get(paths(absent)[at] ?? '', headers),
            ])
            if (hidden) {
              assert.equal(reply.statusCode, other.statusCode, what)
              assert.equal(reply.body.replaceAll(name, absent), other.body, what)
              assert.ok(reply.statusCode === 401 || reply.statusCode === 404, what)
            } else {
              const isCoverages = /granules|file|map/.test(path)
              assert.equal(reply.statusCode, isCoverages ? 404 : 200, `${what} ${reply.body}`)
            }
          }
        }
  })

  it('is not told by what is wrong with a question either', async () => {
    const wrong = (name: string): string[] => [
      ...['filter=nope=1', 'filter=name=', 'nope=1', 'name=a&name=b', 'sortby=nope', 'properties=nope'].map(
        (query) => `/ogc/collections/${name}/items?${query}`,
      ),
      ...['position=x', 'crs=EPSG:0', 'bbox=x', 'datetime=x', 'f=nope', 'f=html', 'f=gml', 'version=1'].map(
        (query) => `/ogc/collections/${name}/items?${query}`,
      ),
      ...['f=nope', 'f=tif', 'f=shp', 'properties=nope', 'filter=nope=1', 'version=1'].map(
        (query) => `/ogc/collections/${name}/download?${query}`,
      ),
      ...['schema', 'queryables', 'sortables', 'map', 'tiles', 'granules', 'coverage', 'nope'].flatMap(
        (path) => [`/ogc/collections/${name}/${path}?nope=1`, `/ogc/collections/${name}/${path}?f=html`],
      ),
      ...['1', '9', 'x', '1?version=1', '1?f=html', '1?crs=EPSG:0'].map(
        (id) => `/ogc/collections/${name}/items/${id}`,
      ),
      `/ogc/collections/${name}?f=html`,
      `/ogc/catalogue/collections/layers/items/${name}?f=html`,
    ]
    const [name, absent] = ['closed:says_false', 'closed:says_nothing']
    for (const [at, path] of wrong(name).entries()) {
      const [reply, other] = [await get(path), await get(wrong(absent)[at] ?? '')]
      assert.equal(reply.statusCode, other.statusCode, path)
      assert.equal(reply.body.replaceAll('says_false', 'says_nothing'), other.body, path)
      assert.ok(reply.statusCode >= 400, path)
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
      for (const headers of [{}, credentials.user]) {
        const ask = (layer: string) =>
          server.app.inject({
            method,
            headers: { 'content-type': 'application/geo+json', ...headers },
            url: `/ogc/collections/${layer}/items${method === 'POST' ? '' : '/1'}`,
            ...(method === 'OPTIONS' ? {} : { payload: '{}' }),
          })
        if (headers !== credentials.user || method !== 'OPTIONS') {
          const [reply, other] = [await ask(name), await ask(absent)]
          assert.equal(reply.statusCode, other.statusCode, method)
          assert.equal(reply.body.replaceAll('says_false', 'says_nothing'), other.body, method)
        }
      }
  })

  it('shows in lists, capabilities and styles', async () => {
    const seen = requests.flatMap((request) =>
      ['open', 'closed'].filter((one) => isPublic(one, request)).map((one) => `${one}:says_${request}`),
    )
    const collections = (await get('/ogc/collections')).json<{ collections: { id: string }[] }>()
    assert.deepEqual(collections.collections.map(({ id }) => id).sort(), [...seen].sort())
    const listed = (await get('/rest/layers')).json<{ layers: { layer: { name: string }[] } }>()
    assert.deepEqual(listed.layers.layer.map(({ name }) => name).sort(), [...seen].sort())
    const closed = (await get('/rest/workspaces/closed/layers')).json<typeof listed>()
    assert.deepEqual(
      closed.layers.layer.map(({ name }) => name),
      ['says_true'],
    )
    const { layer } = (await get('/rest/layers/closed:says_true')).json<{
      layer: { defaultStyle: { href: string }; public: boolean }
    }>()
    assert.equal(layer.public, true)
    const { pathname } = new URL(layer.defaultStyle.href)
    assert.equal((await get(pathname)).statusCode, 200)
    assert.equal((await get(`${pathname}.sld`)).statusCode, 200)
    const [unused, missing] = await Promise.all([get('/rest/styles/raster'), get('/rest/styles/none')])
    assert.deepEqual([unused.statusCode, unused.body], [missing.statusCode, missing.body])
  })

  it('links to the style of the workspace where that hides the global one', async () => {
    const style = { name: 'generic', document: { version: 8, sources: {}, layers: [] } }
    await send('POST', '/rest/workspaces/closed/styles', { style })
    const { layer } = (await get('/rest/layers/closed:says_true')).json<{
      layer: { defaultStyle: { href: string } }
    }>()
    assert.equal(new URL(layer.defaultStyle.href).pathname, '/rest/workspaces/closed/styles/generic')
    assert.equal((await get(new URL(layer.defaultStyle.href).pathname)).statusCode, 200)
  })

  it('lets pages of every origin read what is public, never with credentials', async () => {
    const allowed = (reply: { headers: Record<string, unknown> }) => [
      reply.headers['access-control-allow-origin'],
      reply.headers['access-control-allow-credentials'],
    ]
    for (const path of [...paths('closed:says_true').slice(0, 5), '/ogc', '/rest/layers/closed:says_true']) {
      const reply = await get(path, { origin })
      assert.deepEqual(allowed(reply), ['*', undefined], path)
      assert.match(String(reply.headers['access-control-expose-headers']), /Content-Crs/)
      assert.deepEqual(allowed(await get(path, { origin, ...credentials.user })), [undefined, undefined])
    }
    for (const path of ['/ogc/collections/closed:says_false/items', '/rest/workspaces', '/rest/imports'])
      assert.deepEqual(allowed(await get(path, { origin })), [undefined, undefined], path)
    const preflight = (method: string, path: string) =>
      server.app.inject({
        method: 'OPTIONS',
        url: path,
        headers: { origin, 'access-control-request-method': method },
      })
    const read = await preflight('GET', '/ogc/collections')
    assert.deepEqual([read.statusCode, ...allowed(read)], [204, '*', undefined])
    assert.doesNotMatch(String(read.headers['access-control-allow-headers']), /authorization/i)
    for (const [method, path] of [
      ['PUT', '/rest/layers/closed:says_true'],
      ['GET', '/rest/imports'],
    ] as const)
      assert.deepEqual(allowed(await preflight(method, path)), [undefined, undefined])
  })

  it('says how long copies may be kept', async () => {
    const kept = async (path: string, headers: Record<string, string> = {}) => {
      const reply = await get(path, headers)
      return [reply.headers['cache-control'], /Authorization, Cookie/.test(String(reply.headers.vary))]
    }
    const items = '/ogc/collections/closed:says_true/items'
    assert.deepEqual(await kept(items), ['private, max-age=300', false])
    assert.deepEqual(await kept(items, credentials.user), ['private, no-cache', true])
    assert.deepEqual(await kept('/ogc/collections/closed:says_false/items', credentials.user), [
      'private, no-cache',
      true,
    ])
    assert.deepEqual(await kept('/ogc/collections'), ['private, no-cache', true])
  })
})

describe('a server without anything public', () => {
  it('says to the anonymous that a login would help', async (test) => {
    const server = await createTestApp()
    test.after(() => server.close())
    await importPoints(server, { name: 'hidden' })
    const read = async (headers: Record<string, string>) =>
      (await server.app.inject({ url: '/ogc/collections', headers })).json<{
        description?: string
        collections: object[]
      }>()
    const anonymous = await read({})
    assert.deepEqual(anonymous.collections, [])
    assert.match(anonymous.description ?? '', /login/)
    assert.equal((await read(server.admin)).description, undefined)
  })
})
