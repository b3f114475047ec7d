import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { endpoints } from '../../../src/api/routes.ts'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const password = 'long-enough-password'
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** Values of the parameters of paths, besides the layer. */
const values: Record<string, string> = {
  z: '0',
  x: '0',
  y: '0',
  style: 'generic',
  styleId: 'generic',
  version: '1',
  tileMatrixSetId: 'WebMercatorQuad',
  tileMatrixSet: 'WebMercatorQuad',
  matrixSet: 'EPSG:3857',
  featureId: '1',
  fileName: 'x.tif',
  j: '0',
  i: '0',
}

/** Requests of the older OGC services about one layer. */
const services = (name: string): string[] => [
  `/wms?service=WMS&version=1.3.0&request=GetMap&layers=${name}&styles=&crs=EPSG:4326&bbox=0,0,1,1&width=8&height=8&format=image/png`,
  `/wms?service=WMS&version=1.3.0&request=GetLegendGraphic&layer=${name}&format=image/png`,
  `/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=${name}`,
  `/wfs?service=WFS&version=2.0.0&request=DescribeFeatureType&typeNames=${name}`,
  `/wcs?service=WCS&version=2.0.1&request=DescribeCoverage&coverageId=${name.replace(':', '__')}`,
  `/wmts?service=WMTS&version=1.0.0&request=GetTile&layer=${name}&style=&tilematrixset=WebMercatorQuad&tilematrix=0&tilerow=0&tilecol=0&format=image/png`,
]

describe('permissions', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp({ env: { TERRANE_DEFAULT_READ: 'granted', TERRANE_STAFF_SCOPE: 'granted' } })
    await admin('POST', '/rest/workspaces', { workspace: { name: 'town' } })
    for (const name of ['hidden', 'trees']) await importPoints(server, { workspace: 'town', name })
    for (const [name, role] of Object.entries({ anna: 'user', reader: 'user', editor: 'user', sam: 'staff' }))
      await admin('POST', '/rest/security/users', { user: { name, password, role } })
    await admin('POST', '/rest/security/groups', { group: { name: 'gis', members: ['anna'] } })
    const permissions = [
      { subject: { group: 'gis' }, resource: 'town', actions: ['manage'] },
      { subject: { user: 'reader' }, resource: 'town:trees', actions: ['read'] },
      { subject: { user: 'editor' }, resource: 'town:trees', actions: ['edit'] },
    ]
    const made = await admin('POST', '/rest/security/permissions', { permissions })
    assert.equal(made.statusCode, 200, made.body)
  })
  after(() => server.close())

  const send = (method: Method, url: string, headers: Record<string, string>, payload?: object) =>
    server.app.inject({ method, url, headers, payload })
  const admin = (method: Method, url: string, payload?: object) => send(method, url, server.admin, payload)
  const as = (name: string) => basicAuth(name, password)

  it('hide a layer like a missing one, at every route that names a layer', async () => {
    const ofLayers = endpoints.filter(({ path }) => /:(layer|collectionId|recordId)\b/.test(path))
    assert.ok(ofLayers.length > 50)
    const different: string[] = []
    for (const { method, path } of ofLayers) {
      const url = (name: string): string =>
        path.replace(/:(\w+)(\([^)]*\))?/g, (_, key: string) =>
          ['layer', 'collectionId', 'recordId'].includes(key) ? `town:${name}` : (values[key] ?? '1'),
        )
      const [hidden, absent] = await Promise.all(
        ['hidden', 'absent'].map((name) => send(method, url(name), as('reader'))),
      )
      const same = (text = ''): string => text.replaceAll('hidden', 'absent')
      const isSame = hidden?.statusCode === absent?.statusCode && same(hidden?.body) === absent?.body
      if (!isSame || (hidden?.statusCode ?? 0) < 400)
        different.push(
          `${method} ${path}: ${hidden?.statusCode} ${hidden?.body.slice(0, 200)} / ${absent?.statusCode} ${absent?.body.slice(0, 200)}`,
        )
    }
    assert.deepEqual(different, [])
  })

  it('hide a layer like a missing one from the older OGC services', async () => {
    for (const [index, hiddenUrl] of services('town:hidden').entries()) {
      const hidden = await send('GET', hiddenUrl, as('reader'))
      const absent = await send('GET', services('town:absent')[index] ?? '', as('reader'))
      assert.equal(hidden.statusCode, absent.statusCode, hiddenUrl)
      assert.equal(hidden.body.replaceAll('hidden', 'absent'), absent.body, hiddenUrl)
    }
  })

  it('leave the layer out of every list', async () => {
    const lists = [
      '/rest/layers',
      '/rest/workspaces/town/layers',
      '/rest/catalogue/layers',
      '/ogc/collections?f=json',
      '/ogc/api?f=json',
      '/ogc/catalogue/collections/layers/items?f=json',
      '/ogc/catalogue/dcat',
      '/wms?service=WMS&request=GetCapabilities',
      '/wfs?service=WFS&request=GetCapabilities',
      '/wmts?service=WMTS&request=GetCapabilities',
      '/gwc/service/tms/1.0.0',
    ]
    for (const url of lists) {
      const reply = await send('GET', url, as('reader'))
      assert.equal(reply.statusCode, 200, `${url} ${reply.body.slice(0, 300)}`)
      assert.ok(reply.body.includes('trees'), url)
      assert.ok(!reply.body.includes('hidden'), url)
    }
    const { state } = (await send('GET', '/rest/state', as('reader'))).json()
    assert.equal(state.layers.total, 1)
  })

  it('leave its name out of metrics for Prometheus and of the tables of its store', async () => {
    for (const name of ['hidden', 'trees']) await admin('GET', `/ogc/collections/town:${name}/items`)
    const own = await send('GET', '/metrics', as('reader'))
    assert.match(own.body, /terrane_layer_requests_total\{layer="town:trees"\} \d/)
    assert.match(own.body, /terrane_layer_requests_total\{layer="\(not shown\)"\} \d/)
    assert.ok(!own.body.includes('hidden'))
    assert.match((await admin('GET', '/metrics')).body, /layer="town:hidden"/)
    const tables = '/rest/workspaces/town/datastores/town/featuretypes'
    assert.ok(!(await send('GET', tables, as('reader'))).body.includes('hidden'))
    assert.equal((await send('GET', `${tables}?list=all`, as('reader'))).statusCode, 403)
    assert.match((await send('GET', `${tables}?list=all`, as('anna'))).body, /hidden/)
  })

  it('refuse with 403 what the caller may not do with a layer that the caller may read', async () => {
    const cases: [Method, string, object?][] = [
      ['PUT', '/rest/layers/town:trees', { layer: { title: 'x' } }],
      ['DELETE', '/rest/layers/town:trees'],
      ['POST', '/rest/layers/town:trees/exports', { format: 'pmtiles' }],
      ['DELETE', '/ogc/collections/town:trees/items/1'],
    ]
    for (const [method, url, payload] of cases) {
      const reply = await send(method, url, as('reader'), payload)
      assert.equal(reply.statusCode, 403, `${method} ${url} ${reply.body}`)
      assert.equal(reply.json().code, 'not-allowed')
    }
    const edited = await send('DELETE', '/ogc/collections/town:trees/items/1', as('editor'))
    assert.equal(edited.statusCode, 204, edited.body)
    const download = await send('GET', '/ogc/collections/town:trees/download?f=csv', as('reader'))
    assert.equal(download.statusCode, 403, download.body)
  })

  it('let members of a group manage a workspace, until they leave the group', async () => {
    const change = () => send('PUT', '/rest/layers/town:hidden', as('anna'), { layer: { title: 'Points' } })
    assert.equal((await change()).statusCode, 200)
    const created = await send('POST', '/rest/imports', as('anna'), {
      import: { targetWorkspace: { workspace: { name: 'town' } } },
    })
    assert.equal(created.statusCode, 201, created.body)
    const { id } = created.json().import
    assert.equal((await send('GET', `/rest/imports/${id}`, as('anna'))).statusCode, 200)
    const foreign = await send('GET', `/rest/imports/${id}`, as('editor'))
    assert.equal(foreign.statusCode, 403, 'who may import nothing')
    await admin('PUT', '/rest/security/groups/gis', { group: { members: [] } })
    assert.equal((await change()).statusCode, 404)
    await admin('PUT', '/rest/security/groups/gis', { group: { members: ['anna'] } })
    assert.equal((await change()).statusCode, 200)
  })

  it('keep imports into other workspaces from who imports into one', async () => {
    await admin('POST', '/rest/workspaces', { workspace: { name: 'county' } })
    const target = { targetWorkspace: { workspace: { name: 'county' } } }
    const refused = await send('POST', '/rest/imports', as('anna'), { import: target })
    assert.equal(refused.statusCode, 400, refused.body)
    const { id } = (await admin('POST', '/rest/imports', { import: target })).json().import
    const foreign = await send('GET', `/rest/imports/${id}`, as('anna'))
    const missing = await send('GET', `/rest/imports/999999`, as('anna'))
    assert.equal(foreign.statusCode, 404)
    assert.equal(foreign.body.replaceAll(String(id), '999999'), missing.body)
    const { imports } = (await send('GET', '/rest/imports', as('anna'))).json()
    assert.ok(!imports.some((one: { id: number }) => one.id === id))
  })

  it('explain decisions to their user, and about others to administrators', async () => {
    const own = await send('GET', '/rest/security/access?resource=town:trees', as('reader'))
    assert.deepEqual(
      own
        .json()
        .access.decisions.map((one: { action: string; allowed: boolean }) => [one.action, one.allowed]),
      [
        ['read', true],
        ['download', false],
        ['edit', false],
        ['import', false],
        ['manage', false],
      ],
    )
    const other = await admin('GET', '/rest/security/access?resource=town:trees&user=anna')
    assert.match(other.body, /permission \d+ of group gis for town: manage/)
    const refused = await send('GET', '/rest/security/access?resource=town:trees&user=anna', as('reader'))
    assert.equal(refused.statusCode, 403)
    const hidden = await send('GET', '/rest/security/access?resource=town:hidden', as('reader'))
    assert.equal(hidden.statusCode, 404)
  })

  it('are listed with what the roles permit without them', async () => {
    const reply = await admin('GET', '/rest/security/permissions?resource=town')
    const { permissions, roles } = reply.json<{ permissions: unknown[]; roles: Record<string, string[]> }>()
    assert.equal(permissions.length, 1)
    assert.deepEqual(roles, { admin: ['read', 'download', 'edit', 'import', 'manage'], staff: [], user: [] })
  })

  it('are changed together or not at all, and name every mistake', async () => {
    const before = (await admin('GET', '/rest/security/permissions')).body
    const reply = await admin('POST', '/rest/security/permissions', {
      permissions: [
        { subject: { user: 'anna' }, resource: 'town', actions: ['read'] },
        { subject: { group: 'nobody' }, resource: 'town', actions: ['read'] },
        { subject: { everyone: true }, resource: 'town', actions: ['manage'] },
        { subject: { user: 'anna' }, resource: 'town:absent', actions: ['read'] },
      ],
    })
    assert.equal(reply.statusCode, 400)
    assert.equal(reply.json().code, 'invalid-permission')
    assert.equal(reply.json().errors.length, 3)
    assert.equal((await admin('GET', '/rest/security/permissions')).body, before)
  })

  it('are deleted with their layer, and not inherited by a later one of its name', async () => {
    await importPoints(server, { workspace: 'town', name: 'brief' })
    const permission = { subject: { user: 'reader' }, resource: 'town:brief', actions: ['read'] }
    await admin('POST', '/rest/security/permissions', { permission })
    assert.equal((await send('GET', '/rest/layers/town:brief', as('reader'))).statusCode, 200)
    await admin('DELETE', '/rest/layers/town:brief?recurse=true')
    await importPoints(server, { workspace: 'town', name: 'brief' })
    assert.equal((await send('GET', '/rest/layers/town:brief', as('reader'))).statusCode, 404)
  })
})
