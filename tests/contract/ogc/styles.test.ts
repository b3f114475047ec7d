import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const sld10 = 'application/vnd.ogc.sld+xml;version=1.0'
const mapbox = 'application/vnd.mapbox.style+json'
const red = `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>red</Name><UserStyle><FeatureTypeStyle><Rule><PointSymbolizer><Graphic><Mark><WellKnownName>circle</WellKnownName><Fill><CssParameter name="fill">#ff0000</CssParameter></Fill></Mark><Size>8</Size></Graphic></PointSymbolizer></Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
const blue = JSON.stringify({
  version: 8,
  sources: {},
  layers: [{ id: 'a', type: 'circle', source: 'x', paint: { 'circle-color': '#0000ff' } }],
})

interface Link {
  rel: string
  href: string
  type?: string
}
interface StyleList {
  default?: string
  styles: { id: string; links: Link[] }[]
  numberMatched?: number
  links: Link[]
}
interface Metadata {
  id: string
  stylesheets: { title: string; native: boolean; link: Link }[]
  layers: { id: string; type: string }[]
}

describe('the styles of /ogc', () => {
  let server: TestApp
  let editor: { authorization: string }
  const send = (
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    url: string,
    headers: object = {},
    payload?: string,
  ) =>
    server.app.inject({ method, url, headers: { ...headers }, ...(payload === undefined ? {} : { payload }) })
  const asAdmin = (
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    url: string,
    headers: object = {},
    payload?: string,
  ) => send(method, url, { ...server.admin, ...headers }, payload)
  const read = async <T>(url: string, headers: object = {}): Promise<T> => {
    const reply = await asAdmin('GET', url, headers)
    assert.equal(reply.statusCode, 200, reply.body)
    return JSON.parse(reply.body) as T
  }
  const call = async (method: 'POST' | 'PUT', url: string, payload: object) => {
    const reply = await server.app.inject({ method, url, headers: server.admin, payload })
    assert.ok(reply.statusCode < 300, reply.body)
  }

  before(async () => {
    server = await createTestApp({ env: { TERRANE_DEFAULT_READ: 'granted', TERRANE_STAFF_SCOPE: 'granted' } })
    for (const name of ['open', 'closed'])
      await call('POST', '/rest/workspaces', { workspace: { name, public: name === 'open' } })
    for (const workspace of ['open', 'closed'])
      await importPoints(server, { workspace, name: 'cities', points: [['a', 1, 2]] })
    await call('POST', '/rest/security/users', {
      user: { name: 'eva', password: 'correct horse battery', role: 'user' },
    })
    editor = basicAuth('eva', 'correct horse battery')
  })
  after(() => server.close())

  it('are created, read as they were sent, replaced and deleted', async () => {
    const created = await asAdmin('POST', '/ogc/styles?id=open:red', { 'content-type': sld10 }, red)
    assert.equal(created.statusCode, 201, created.body)
    assert.match(String(created.headers['location']), /\/ogc\/styles\/open%3Ared$/)
    const stored = await asAdmin('GET', '/ogc/styles/open%3Ared')
    assert.equal(stored.body, red)
    assert.equal(stored.headers['content-type'], `${sld10}; charset=utf-8`)
    assert.equal(
      (await read<{ style: { format: string } }>('/rest/workspaces/open/styles/red')).style.format,
      'sld',
    )
    const replaced = await asAdmin('PUT', '/ogc/styles/open%3Ared', { 'content-type': mapbox }, blue)
    assert.equal(replaced.statusCode, 204, replaced.body)
    assert.equal((await asAdmin('GET', '/ogc/styles/open%3Ared?f=mapbox')).body, blue)
    assert.equal((await asAdmin('DELETE', '/ogc/styles/open%3Ared')).statusCode, 204)
    assert.equal((await asAdmin('GET', '/ogc/styles/open%3Ared')).statusCode, 404)
    const made = await asAdmin('PUT', '/ogc/styles/open%3Ared', { 'content-type': sld10 }, red)
    assert.equal(made.statusCode, 201, made.body)
    assert.equal(
      (await asAdmin('POST', '/ogc/styles?id=open:red', { 'content-type': sld10 }, red)).statusCode,
      409,
    )
  })

  it('are converted by f and Accept', async () => {
    for (const [query, accept, type, text] of [
      ['?f=mapbox', '', mapbox, /"circle-color": ?"#ff0000"/],
      ['', mapbox, mapbox, /"version": ?8/],
      ['?f=sld11', '', 'application/vnd.ogc.sld+xml;version=1.1', /version="1\.1\.0"/],
      [
        '',
        'application/vnd.ogc.sld+xml; version="1.1"',
        'application/vnd.ogc.sld+xml;version=1.1',
        /SvgParameter/,
      ],
      ['', 'application/vnd.ogc.sld+xml', sld10, /CssParameter/],
      ['?f=qml', '', 'application/vnd.qgis.qml+xml', /<qgis/],
    ] as const) {
      const headers = accept === '' ? {} : { accept }
      const reply = await asAdmin('GET', `/ogc/styles/open%3Ared${query}`, headers)
      assert.deepEqual(
        [reply.statusCode, reply.headers['content-type']],
        [200, `${type}; charset=utf-8`],
        query + accept,
      )
      assert.match(reply.body, text)
    }
    const refused = await asAdmin('GET', '/ogc/styles/open%3Ared?f=css')
    assert.deepEqual([refused.statusCode, JSON.parse(refused.body).code], [400, 'unknown-format'])
    assert.match(refused.body, /mapbox, sld10, sld11, qml/)
  })

  it('are listed with their encodings and metadata, in pages', async () => {
    const { styles, numberMatched } = await read<StyleList>('/ogc/styles')
    assert.equal(styles.length, numberMatched)
    const own = styles.find(({ id }) => id === 'open:red')
    assert.ok(own)
    for (const { href, rel } of own.links) {
      const { pathname, search } = new URL(href)
      assert.equal((await asAdmin('GET', pathname + search)).statusCode, 200, `${rel} ${href}`)
    }
    const ids: string[] = []
    let path: string | undefined = '/ogc/styles?limit=2'
    while (path !== undefined) {
      const page: StyleList = await read<StyleList>(path)
      ids.push(...page.styles.map(({ id }) => id))
      const next = page.links.find(({ rel }) => rel === 'next')
      path = next && new URL(next.href).pathname + new URL(next.href).search
    }
    assert.deepEqual(
      ids,
      styles.map(({ id }) => id),
    )
    await call('PUT', '/rest/layers/open:cities', { layer: { defaultStyle: { name: 'red' } } })
    const metadata = await read<Metadata>('/ogc/styles/open%3Ared/metadata')
    assert.deepEqual(metadata.layers, [{ id: 'open:cities', type: 'point' }])
    assert.deepEqual(
      metadata.stylesheets.filter(({ native }) => native).map(({ title }) => title),
      ['SLD 1.0'],
    )
    const ofLayer = await read<StyleList>('/ogc/collections/open:cities/styles')
    assert.deepEqual([ofLayer.default, ofLayer.styles.map(({ id }) => id)], ['open:red', ['open:red']])
    const { links } = await read<{ links: Link[] }>('/ogc/collections/open:cities')
    assert.ok(
      links.some(({ rel, href }) => rel.endsWith('/styles') && href.endsWith('/open%3Acities/styles')),
    )
  })

  it('are shown to those who may read them, and changed by those who manage their workspace', async () => {
    await asAdmin('PUT', '/ogc/styles/closed%3Ahidden', { 'content-type': sld10 }, red)
    const idsOf = async (headers: object): Promise<string[]> =>
      (JSON.parse((await send('GET', '/ogc/styles', headers)).body) as StyleList).styles.map(({ id }) => id)
    assert.ok((await idsOf(server.admin)).includes('closed:hidden'))
    for (const headers of [{}, editor]) {
      const ids = await idsOf(headers)
      assert.ok(ids.includes('open:red'))
      assert.ok(!ids.includes('closed:hidden'))
    }
    for (const id of ['closed%3Ahidden', 'closed%3Anone', 'none%3Anone']) {
      for (const path of ['', '/metadata']) {
        assert.equal((await send('GET', `/ogc/styles/${id}${path}`)).statusCode, 401, id + path)
        assert.equal((await send('GET', `/ogc/styles/${id}${path}`, editor)).statusCode, 404, id + path)
      }
      const sent = { ...editor, 'content-type': sld10 }
      assert.equal((await send('PUT', `/ogc/styles/${id}`, sent, red)).statusCode, 404, id)
      assert.equal((await send('DELETE', `/ogc/styles/${id}`, editor)).statusCode, 404, id)
    }
    for (const id of ['open%3Ared', 'mine']) {
      assert.equal(
        (await send('PUT', `/ogc/styles/${id}`, { 'content-type': sld10 }, red)).statusCode,
        401,
        id,
      )
      assert.equal(
        (await send('PUT', `/ogc/styles/${id}`, { ...editor, 'content-type': sld10 }, red)).statusCode,
        403,
        id,
      )
      assert.equal((await send('DELETE', `/ogc/styles/${id}`, editor)).statusCode, 403, id)
    }
    await call('POST', '/rest/security/permissions', {
      permissions: [{ subject: { user: 'eva' }, resource: 'open', actions: ['manage'] }],
    })
    assert.equal(
      (await send('PUT', '/ogc/styles/open%3Amine', { ...editor, 'content-type': mapbox }, blue)).statusCode,
      201,
    )
    assert.equal(
      (await send('PUT', '/ogc/styles/mine', { ...editor, 'content-type': mapbox }, blue)).statusCode,
      403,
    )
    assert.equal((await send('DELETE', '/ogc/styles/open%3Amine', editor)).statusCode, 204)
  })

  it('are changed by tokens of their workspace only', async () => {
    const made = await server.app.inject({
      method: 'POST',
      url: '/rest/security/tokens',
      headers: server.admin,
      payload: { token: { name: 't', workspace: 'open' } },
    })
    const { value } = (JSON.parse(made.body) as { token: { value: string } }).token
    const headers = { authorization: `Bearer ${value}`, 'content-type': mapbox }
    const put = async (id: string) => (await send('PUT', `/ogc/styles/${id}`, headers, blue)).statusCode
    assert.deepEqual(
      [await put('open%3Atoken'), await put('closed%3Atoken'), await put('token')],
      [201, 403, 403],
    )
    assert.equal(
      (await send('DELETE', '/ogc/styles/open%3Atoken', { authorization: `Bearer ${value}` })).statusCode,
      204,
    )
  })

  it('refuse documents that cannot be read, and deletion in use', async () => {
    for (const [type, body, status, code] of [
      [sld10, '<StyledLayerDescriptor', 400, 'invalid-style'],
      [sld10, '<!DOCTYPE a [<!ENTITY b "c">]><StyledLayerDescriptor version="1.0.0"/>', 400, 'invalid-style'],
      [mapbox, '{}', 400, 'invalid-style'],
      [mapbox, '', 400, 'invalid-style'],
      ['text/css', 'a {}', 415, 'unsupported-media-type'],
    ] as const) {
      const reply = await asAdmin('PUT', '/ogc/styles/open%3Abad', { 'content-type': type }, body)
      assert.deepEqual([reply.statusCode, JSON.parse(reply.body).code], [status, code], body)
    }
    assert.equal((await asAdmin('GET', '/ogc/styles/open%3Abad')).statusCode, 404)
    const nameless = await asAdmin('POST', '/ogc/styles', { 'content-type': sld10 }, red)
    assert.deepEqual([nameless.statusCode, JSON.parse(nameless.body).code], [400, 'invalid-parameter'])
    const used = await asAdmin('DELETE', '/ogc/styles/open%3Ared')
    assert.deepEqual([used.statusCode, JSON.parse(used.body).code], [409, 'style-in-use'])
    assert.equal((await asAdmin('DELETE', '/ogc/styles/open%3Ared?recurse=true')).statusCode, 204)
  })

  it('are pages for people, and declared as a draft', async () => {
    for (const path of [
      '/ogc/styles',
      '/ogc/styles/point',
      '/ogc/styles/point/metadata',
      '/ogc/collections/open:cities/styles',
    ]) {
      const reply = await asAdmin('GET', path, { accept: 'text/html' })
      assert.deepEqual(
        [reply.statusCode, reply.headers['content-type']],
        [200, 'text/html; charset=utf-8'],
        path,
      )
    }
    const { conformsTo } = await read<{ conformsTo: string[] }>('/ogc/conformance')
    assert.ok(conformsTo.includes('http://www.opengis.net/spec/ogcapi-styles-1/0.0/conf/manage-styles'))
    const { paths } = await read<{ paths: Record<string, Record<string, object>> }>('/ogc/api')
    assert.deepEqual(Object.keys(paths['/styles/{styleId}'] ?? {}), ['get', 'put', 'delete'])
  })
})
