import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'
import { requestLogOf } from '../../support/request-log.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const password = 'long-enough-password'
const roles = ['admin', 'staff', 'user', 'anonymous'] as const
type Role = (typeof roles)[number]

/** Visibility of the workspace and of the layer, and whether anonymous users may read the layer. */
const layers = {
  'open:inherits': true,
  'open:shut': false,
  'closed:shown': true,
  'closed:inherits': false,
  'closed:absent': false,
  'open:absent': false,
  'absent:absent': false,
}
type Layer = keyof typeof layers

/** Every path that returns something of a layer, and its response for clients that may not read the layer. */
const paths: {
  path(layer: string): string
  /** Status for anonymous clients; other clients get 404. */
  refused?: 401 | 404
  /** To who may read it, and to the anonymous among them where that differs. */
  found?: number
  foundByAnonymous?: number
  /** Shared caches must not store the response, even if anonymous users may read the layer. */
  isPrivate?: true
  /** Posted; otherwise it is a GET. */
  payload?: object
}[] = [
  { path: (layer) => `/tiles/${layer}`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/0/0/0.mvt`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/0/0/0.mvt?properties=name`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/9/0/0.mvt`, refused: 404, found: 204 },
  { path: (layer) => `/tiles/${layer}/99/0/0.mvt`, refused: 404, found: 404 },
  { path: (layer) => `/tiles/open:other,${layer}`, refused: 404 },
  { path: (layer) => `/tiles/${layer},open:other/0/0/0.mvt`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/0/0/0.png`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/0/0/0@2x.webp`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/legend.svg`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/legend.json`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/legend.png`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/legend.svg?style=none`, refused: 404, found: 404 },
  { path: (layer) => `/tiles/${layer}/thumbnail.png`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/thumbnail.webp?width=64&height=64`, refused: 404 },
  ...['style.json', 'legend.svg', 'legend.png', 'legend@2x.png', 'legend.json'].map((file) => ({
    path: (layer: string) => `/tiles/${layer}/${file}`,
    refused: 404 as const,
  })),
  { path: (layer) => `/tiles/${layer}/style.json?style=nothing`, refused: 404, found: 404 },
  { path: (layer) => `/tiles/${layer}/thumbnail.png`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/thumbnail.webp`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/layer.qlr`, refused: 404, isPrivate: true },
  { path: (layer) => `/tiles/${layer}/bands.json`, refused: 404, found: 404 },
  { path: (layer) => `/tiles/${layer}/0/0/0.mvt?filter=name='a'`, refused: 404 },
  { path: (layer) => `/tiles/${layer}/0/0/0.mvt?filter=nothing(`, refused: 404, found: 400 },
  ...['', '/0/0/0.mvt', '/style.json', '/legend.svg', '/thumbnail.png'].map((file) => ({
    path: (layer: string) => `/tiles/${layer}${file}?version=1`,
    refused: 404 as const,
    foundByAnonymous: 401,
  })),
  ...['/style.json', '/legend.png'].map((file) => ({
    path: (layer: string) => `/tiles/${layer}${file}?version=99`,
    refused: 404 as const,
    found: 404,
    foundByAnonymous: 401,
  })),
  { path: (layer) => `/tiles/${layer}/0/0/0.png?version=1`, refused: 404, found: 400 },
  {
    path: (layer) => `/tiles/${layer}/0/0/0.png`,
    payload: { style: { format: 'sld', document: '<a/>' } },
    refused: 401,
    found: 404,
    foundByAnonymous: 401,
  },
  {
    path: (layer) => `/rest/layers/${layer}/exports`,
    payload: { export: { format: 'mbtiles', version: 99 } },
    refused: 401,
    found: 404,
    foundByAnonymous: 401,
  },
  { path: (layer) => `/ogc/collections/${layer}/map`, refused: 401, found: 404 },
  { path: (layer) => `/ogc/collections/${layer}/download?f=geojson`, refused: 401 },
  { path: (layer) => `/ogc/collections/${layer}/queryables`, refused: 401 },
  { path: (layer) => `/ogc/collections/${layer}`, refused: 401 },
  { path: (layer) => `/ogc/collections/${layer}/items`, refused: 401 },
  { path: (layer) => `/ogc/collections/${layer}/tiles`, refused: 401 },
  { path: (layer) => `/ogc/collections/${layer}/tiles/WebMercatorQuad`, refused: 401 },
  { path: (layer) => `/ogc/collections/${layer}/tiles/WorldCRS84Quad/0/0/1`, refused: 401 },
  { path: (layer) => `/ogc/collections/${layer}/tiles/WebMercatorQuad/99/0/0`, refused: 401, found: 404 },
  // 404 or 401, as the workspace lets the anonymous see.
  { path: (layer) => `/rest/layers/${layer}` },
]

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

/** Tests who may read tiles, with one catalogue. */
export function describeTrust(name: keyof typeof shapes): void {
  const environment: () => Promise<Record<string, string>> = shapes[name]
  describe(`trust over ${name}`, () => {
    let server: TestApp
    const written: string[] = []
    before(async () => {
      server = await createTestApp({
        env: { ...(await environment()), TERRANE_MONITORING: 'on', TERRANE_LOG: 'debug' },
        log: pino({ level: 'trace' }, { write: (line: string) => void written.push(line) }),
      })
      for (const workspace of ['open', 'closed'])
        await send('POST', '/rest/workspaces', {
          workspace: { name: workspace, public: workspace === 'open' },
        })
      for (const layer of ['open:inherits', 'open:shut', 'open:other', 'closed:shown', 'closed:inherits']) {
        const [workspace = '', plain = ''] = layer.split(':')
        await importPoints(server, { workspace, name: plain })
      }
      await send('PUT', '/rest/layers/open:shut', { layer: { public: false } })
      await send('PUT', '/rest/layers/closed:shown', { layer: { public: true } })
      for (const role of ['user', 'staff'])
        await send('POST', '/rest/security/users', { user: { name: role, password, role } })
    })
    after(() => server.close())
    const send = (
      method: 'POST' | 'PUT' | 'DELETE',
      url: string,
      payload?: object,
      headers: object = server.admin,
    ) =>
      server.app.inject({
        method,
        url,
        headers: headers as Record<string, string>,
        ...(payload && { payload }),
      })
    const headersOf = (role: Role): Record<string, string> => {
      if (role === 'anonymous') return {}
      return role === 'admin' ? server.admin : basicAuth(role, password)
    }
    const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers })
    const isThere = (layer: Layer): boolean => !layer.endsWith('absent')

    it('is the same at every path: who may not read a layer sees what is seen of one that is not there', async () => {
      // Over PostgreSQL, the roles between which the rights change.
      const requested = name.startsWith('SQLite') ? roles : (['user', 'anonymous'] as const)
      for (const { path, refused, found = 200, foundByAnonymous = found, payload, isPrivate } of paths)
        for (const role of requested)
          for (const [layer, isPublic] of Object.entries(layers) as [Layer, boolean][]) {
            const what = `${role} ${path(layer)}`
            const ask = (url: string) =>
              payload === undefined ? get(url, headersOf(role)) : send('POST', url, payload, headersOf(role))
            const reply = await ask(path(layer))
            const mayRead = isThere(layer) && (isPublic || role !== 'anonymous')
            if (mayRead) {
              const expectedStatus = role === 'anonymous' ? foundByAnonymous : found
              assert.equal(reply.statusCode, expectedStatus, `${what} ${reply.body}`)
              if (payload !== undefined) continue
              const cache = String(reply.headers['cache-control'])
              const isShared = expectedStatus < 300 && role === 'anonymous' && !isPrivate
              // If the store could not be checked in time, no cache may store the response.
              const expected = isShared
                ? /^(?:public,|private, max-age=300$|no-store$)/
                : /^(?:private, no-cache|no-store)$/
              if (!/^\/rest|\/download/.test(path(layer))) assert.match(cache, expected, what)
              continue
            }
            const absent = refused === undefined ? layer.replace(/:.*/, ':nothing') : 'nowhere:nothing'
            const other = await ask(path(absent))
            const status = role === 'anonymous' ? (refused ?? other.statusCode) : 404
            assert.equal(reply.statusCode, status, `${what} ${reply.body}`)
            assert.equal(reply.body.replaceAll(layer, absent), other.body, what)
            const shown = ({ headers }: typeof reply) =>
              Object.keys(headers).filter((header) => !/^(?:date|x-request-id|content-length)$/.test(header))
            assert.deepEqual(shown(reply), shown(other), what)
            assert.equal(reply.headers['etag'], undefined, what)
          }
    })

    it('holds from the next request on when a layer, its workspace or a token changes', async () => {
      const tile = '/tiles/open:other/0/0/0.mvt'
      const { etag } = (await untilTagged(() => get(tile))).headers
      const statuses = async () => [
        (await get(tile)).statusCode,
        (await get(tile, { 'if-none-match': String(etag) })).statusCode,
      ]
      await untilUnchanged(() => get(tile, { 'if-none-match': String(etag) }))
      assert.equal((await statuses())[0], 200)
      await send('PUT', '/rest/workspaces/open', { workspace: { public: false } })
      assert.deepEqual(await statuses(), [404, 404])
      await send('PUT', '/rest/layers/open:other', { layer: { public: true } })
      assert.equal((await statuses())[0], 200)
      const copies = (reply: { json<T>(): T }) =>
        reply.json<{ layer: { copiesLiveSeconds?: number } }>().layer.copiesLiveSeconds
      const hidden = await send('PUT', '/rest/layers/open:other', { layer: { public: false } })
      assert.equal(copies(hidden), 300)
      assert.equal(
        copies(await send('PUT', '/rest/layers/open:other', { layer: { public: false } })),
        undefined,
      )
      assert.deepEqual(await statuses(), [404, 404])
      await send('PUT', '/rest/layers/open:other', { layer: { public: 'workspace' } })
      await send('PUT', '/rest/workspaces/open', { workspace: { public: true } })
      assert.equal((await statuses())[0], 200)
    })

    describe('tokens in addresses', () => {
      const tokenOf = async (role: Role): Promise<{ value: string; href: string }> => {
        const reply = await send(
          'POST',
          '/rest/security/tokens',
          { token: { name: 'map', layers: ['closed:inherits'] } },
          headersOf(role),
        )
        assert.equal(reply.statusCode, 201, reply.body)
        return reply.json<{ token: { value: string; href: string } }>().token
      }

      it('let clients read that cannot send headers, by the templates of TileJSON', async () => {
        const { value, href } = await tokenOf('admin')
        const address = `/tiles/closed:inherits?access_token=${value}`
        const described = await get(address)
        assert.equal(described.statusCode, 200, described.body)
        const [template = ''] = described.json<{ tiles: string[] }>().tiles
        assert.match(template, /\?v=\d+&access_token=/)
        const { pathname, search } = new URL(template.replaceAll(/\{[xyz]\}/g, '0'))
        const tile = await get(pathname + search)
        assert.equal(tile.statusCode, 200)
        for (const { headers } of [described, tile]) {
          assert.equal(headers['cache-control'], 'private, no-cache')
          assert.equal(headers['referrer-policy'], 'no-referrer')
          assert.equal(headers['access-control-allow-origin'], undefined)
        }
        const byHeader = await get('/tiles/closed:inherits', { authorization: `Bearer ${value}` })
        assert.doesNotMatch(byHeader.body, /access_token/)
        assert.equal((await send('DELETE', new URL(href).pathname)).statusCode, 200)
        assert.equal((await get(pathname + search)).statusCode, 401)
      })

      it('are good for whatever is read below /tiles', async () => {
        const { value } = await tokenOf('user')
        const files = [
          '/sprites/marks.json',
          '/sprites/marks@2x.json',
          '/sprites/marks.png',
          '/sprites/marks@2x.png',
        ]
        const read = paths.filter(({ payload }) => payload === undefined)
        const addresses = [
          ...files.map((file) => `/tiles${file}`),
          ...read.map(({ path }) => path('closed:inherits')),
        ]
        for (const address of new Set(addresses.filter((one) => /^\/tiles\/[^?]*$/.test(one)))) {
          const named = `${address}?access_token=${value}`
          const [byAddress, byHeader] = [
            await get(named),
            await get(address, { authorization: `Bearer ${value}` }),
          ]
          assert.equal(byAddress.statusCode, byHeader.statusCode, `${address} ${byAddress.body}`)
          if (byHeader.statusCode >= 400) assert.equal(byAddress.body, byHeader.body, address)
        }
      })

      it('are good for nothing else', async () => {
        const { value } = await tokenOf('admin')
        const query = `?access_token=${value}`
        for (const path of [
          '/rest/imports',
          '/rest/security/users',
          '/rest/layers/closed:inherits',
          '/rest/workspaces',
        ])
          assert.equal((await get(path + query)).statusCode, 401, path)
        assert.equal((await get(`/ogc/collections${query}`)).statusCode, 400)
        assert.equal(
          (await send('PUT', `/rest/layers/open:other${query}`, { layer: { title: 'x' } }, {})).statusCode,
          401,
        )
      })

      it('are refused alike when they are wrong, whatever the layer', async () => {
        for (const token of ['wrong', 'a&access_token=b']) {
          const [real, absent] = await Promise.all(
            ['closed:inherits', 'closed:absent'].map((layer) =>
              get(`/tiles/${layer}/0/0/0.mvt?access_token=${token}`),
            ),
          )
          assert.deepEqual([real?.statusCode, real?.body], [401, absent?.body])
          assert.equal(real?.headers['referrer-policy'], 'no-referrer')
        }
        assert.equal((await get('/tiles/open:inherits?access_token=')).statusCode, 200)
      })

      it('are written down nowhere', async () => {
        const { value } = await tokenOf('user')
        const query = `?access_token=${value}`
        const referer = `https://maps.example.org/tiles/closed:inherits${query}`
        for (const path of [
          '/tiles/closed:inherits',
          '/tiles/closed:inherits/0/0/0.mvt',
          '/tiles/closed:none',
          '/tiles/%zz',
          '/tiles/a/b',
          '/rest/layers',
        ])
          for (const url of [path + query, `${path}${query}x`]) await get(url, { referer })
        await server.monitoring?.catchUp()
        assert.doesNotMatch(written.join('\n'), new RegExp(value))
        const exceptions = await get('/monitoring/api/exceptions/', server.admin)
        assert.doesNotMatch(exceptions.body, new RegExp(value))
        if (name.startsWith('SQLite'))
          assert.doesNotMatch(JSON.stringify(await requestLogOf(server)), new RegExp(value))
      })
    })
  })
}
