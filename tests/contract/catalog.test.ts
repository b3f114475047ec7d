import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { publishNewLayer } from '../../src/catalog/publish.ts'
import type { LayerRecord } from '../../src/catalog/records.ts'
import { getStoreById } from '../../src/catalog/stores.ts'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

let terrane: TestApp
before(async () => {
  terrane = await createTestApp()
})
after(() => terrane.close())

function send(method: Method, url: string, payload?: object | string, headers: Record<string, string> = {}) {
  const body = payload === undefined ? {} : { payload }
  return terrane.app.inject({
    method,
    url: `/rest${url}`,
    headers: { ...terrane.admin, ...headers },
    ...body,
  })
}

async function read(url: string) {
  const reply = await send('GET', url)
  assert.equal(reply.statusCode, 200, `${url}: ${reply.body}`)
  return reply.json()
}

async function createWorkspace(name: string): Promise<void> {
  assert.equal((await send('POST', '/workspaces', { workspace: { name } })).statusCode, 201)
}

async function publish(workspace: string, name: string): Promise<LayerRecord> {
  const store = await terrane.catalog.defaultStore(workspace)
  return terrane.database.transaction((db) =>
    publishNewLayer(
      db,
      {
        workspace,
        name,
        storeId: store.id,
        nativeName: name,
        details: {
          kind: 'vector',
          title: name,
          originalName: name,
          srs: 'EPSG:4326',
          envelope: { minX: 1, minY: 2, maxX: 3, maxY: 4 },
          schema: {
            attributes: [{ name: 'pop', type: 'int64' }],
            geometry: { name: 'geom', type: 'Point', hasZ: false, hasM: false, crs: { srs: 'EPSG:4326' } },
          },
          featureCount: 5,
          style: 'point',
        },
      },
      '2026-01-01T00:00:00.000Z',
    ),
  )
}

describe('workspaces', () => {
  it('are created, listed, read and deleted in the shapes that clients know', async () => {
    const created = await send('POST', '/workspaces', { workspace: { name: 'topp' } })
    assert.equal(created.statusCode, 201)
    assert.match(String(created.headers.location), /\/rest\/workspaces\/topp$/)
    const { workspaces } = await read('/workspaces.json')
    const listed = workspaces.workspace.find((one: { name: string }) => one.name === 'topp')
    assert.deepEqual(listed, { name: 'topp', href: created.headers.location })
    const { workspace } = await read('/workspaces/topp')
    assert.equal(workspace.isolated, false)
    assert.deepEqual(await read(new URL(workspace.dataStores).pathname.slice('/rest'.length)), {
      dataStores: { dataStore: [] },
    })
    assert.equal((await send('DELETE', '/workspaces/topp')).statusCode, 200)
    assert.equal((await send('GET', '/workspaces/topp')).statusCode, 404)
  })

  it('have names that are free and can stand in a path', async () => {
    await createWorkspace('taken')
    assert.equal((await send('POST', '/workspaces', { workspace: { name: 'taken' } })).statusCode, 409)
    for (const name of ['a/b', '', '..', 'a b', 'a:b', '-a', 'x'.repeat(101)])
      assert.equal((await send('POST', '/workspaces', { workspace: { name } })).statusCode, 400, name)
    assert.equal((await send('POST', '/workspaces', { workspace: {} })).statusCode, 400)
    assert.equal((await send('PUT', '/workspaces/taken', { workspace: { name: 'other' } })).statusCode, 400)
  })

  it('may have letters of any script', async () => {
    const created = await send('POST', '/workspaces', { workspace: { name: 'Zürich_東京' } })
    assert.equal(created.statusCode, 201)
    const { pathname } = new URL(String(created.headers.location))
    assert.equal((await read(pathname.slice('/rest'.length))).workspace.name, 'Zürich_東京')
  })

  it('have one default, which a fresh server has and which can be changed', async () => {
    assert.equal((await read('/workspaces/default')).workspace.name, 'default')
    await createWorkspace('main')
    assert.equal((await send('PUT', '/workspaces/default', { workspace: { name: 'main' } })).statusCode, 200)
    assert.equal((await read('/workspaces/default')).workspace.name, 'main')
    assert.equal((await send('PUT', '/workspaces/default', { workspace: { name: 'none' } })).statusCode, 404)
    assert.equal(
      (await send('PUT', '/workspaces/default', { workspace: { name: 'default' } })).statusCode,
      200,
    )
  })

  it('that hold stores are deleted only with recurse', async () => {
    await createWorkspace('full')
    await publish('full', 'roads')
    const refused = await send('DELETE', '/workspaces/full')
    assert.equal(refused.statusCode, 409)
    assert.equal(refused.json().code, 'workspace-not-empty')
    assert.equal((await send('DELETE', '/workspaces/full?recurse=true')).statusCode, 200)
    assert.equal((await send('GET', '/layers/full:roads')).statusCode, 404)
  })
})

describe('GeoPackage stores', () => {
  before(() => createWorkspace('packages'))
  const stores = '/workspaces/packages/datastores'

  it('without parameters are a new file in the data directory', async () => {
    const created = await send('POST', stores, { dataStore: { name: 'own', type: 'GeoPackage' } })
    assert.equal(created.statusCode, 201, created.body)
    assert.match(String(created.headers.location), /\/rest\/workspaces\/packages\/datastores\/own$/)
    const { dataStore } = await read(`${stores}/own`)
    assert.equal(dataStore.type, 'GeoPackage')
    assert.equal(dataStore.enabled, true)
    assert.equal(dataStore._default, false)
    assert.deepEqual(dataStore.connectionParameters, {
      entry: [{ '@key': 'path', $: join(terrane.dataDir, 'stores', 'packages', 'own.gpkg') }],
    })
    assert.deepEqual(await read(`${stores}/own/featuretypes`), { featureTypes: { featureType: [] } })
    const { dataStores } = await read(stores)
    assert.deepEqual(dataStores.dataStore, [{ name: 'own', href: created.headers.location }])
  })

  it('take a path in the data directory, in either form of parameters', async () => {
    const forms: [string, object][] = [
      ['plain', { database: 'mine/plain.gpkg' }],
      [
        'entries',
        {
          entry: [
            { '@key': 'database', $: 'file:mine/entries.gpkg' },
            { '@key': 'dbtype', $: 'geopkg' },
          ],
        },
      ],
      ['single', { entry: { '@key': 'path', $: join(terrane.dataDir, 'stores/mine/single.gpkg') } }],
    ]
    for (const [name, connectionParameters] of forms) {
      const reply = await send('POST', stores, {
        dataStore: { name, type: 'GeoPackage', connectionParameters },
      })
      assert.equal(reply.statusCode, 201, reply.body)
      const [entry] = reply.json().dataStore.connectionParameters.entry
      assert.equal(entry.$, join(terrane.dataDir, 'stores', 'mine', `${name}.gpkg`))
    }
  })

  it('take no path elsewhere, nor one of the server’s own files', async () => {
    const own = join(terrane.dataDir, 'terrane.sqlite')
    for (const path of [
      '/etc/passwd',
      '../terrane.sqlite',
      '../../x.gpkg',
      own,
      'file:///tmp/x.gpkg',
      'a\0b.gpkg',
    ]) {
      const connectionParameters = { path }
      const reply = await send('POST', stores, {
        dataStore: { name: 'bad', type: 'GeoPackage', connectionParameters },
      })
      assert.equal(reply.statusCode, 400, path)
      assert.match(reply.json().detail, /TERRANE_IMPORT_ROOTS/)
    }
    assert.equal(existsSync('/tmp/x.gpkg'), false)
  })

  it('are refused over a file that is no GeoPackage', async () => {
    const path = join(terrane.dataDir, 'incoming', 'page.gpkg')
    writeFileSync(path, '<html>not a database</html>'.repeat(100))
    const payload = { dataStore: { name: 'page', type: 'GeoPackage', connectionParameters: { path } } }
    const reply = await send('POST', stores, payload)
    assert.equal(reply.statusCode, 400, reply.body)
    assert.match(reply.json().detail, /page\.gpkg/)
    assert.equal((await send('GET', `${stores}/page`)).statusCode, 404)
  })

  it('are changed, and are not renamed', async () => {
    await send('POST', stores, { dataStore: { name: 'changing', type: 'GeoPackage' } })
    const change = { dataStore: { enabled: false, description: 'closed' } }
    const { dataStore } = (await send('PUT', `${stores}/changing`, change)).json()
    assert.equal(dataStore.enabled, false)
    assert.equal(dataStore.description, 'closed')
    assert.equal((await send('PUT', `${stores}/changing`, { dataStore: { name: 'x' } })).statusCode, 400)
  })

  it('have names of their own, types that are known, and parameters that are plain', async () => {
    const bad: [object, number][] = [
      [{ name: 'own', type: 'GeoPackage' }, 409],
      [{ name: 'a/b', type: 'GeoPackage' }, 400],
      [{ type: 'GeoPackage' }, 400],
      [{ name: 'x', type: 'Oracle' }, 400],
      [{ name: 'x', connectionParameters: { host: 'h' } }, 400],
      [{ name: 'x', type: 'GeoPackage', connectionParameters: { path: { a: 1 } } }, 400],
      [{ name: 'x', type: 'GeoPackage', connectionParameters: { entry: ['x'] } }, 400],
    ]
    for (const [dataStore, status] of bad)
      assert.equal((await send('POST', stores, { dataStore })).statusCode, status, JSON.stringify(dataStore))
    assert.equal(
      (await send('POST', '/workspaces/none/datastores', { dataStore: { name: 'x' } })).statusCode,
      404,
    )
  })

  it('that hold layers are deleted only with recurse', async () => {
    await createWorkspace('holding')
    const layer = await publish('holding', 'roads')
    const store = await getStoreById(terrane.database.kysely, layer.storeId)
    const url = `/workspaces/holding/datastores/${store.name}`
    assert.deepEqual(
      (await read(`${url}/featuretypes`)).featureTypes.featureType.map((one: { name: string }) => one.name),
      ['roads'],
    )
    assert.equal((await send('DELETE', url)).json().code, 'store-not-empty')
    assert.equal((await send('DELETE', `${url}?recurse=true`)).statusCode, 200)
    assert.equal((await send('GET', '/layers/holding:roads')).statusCode, 404)
  })
})

describe('coverage stores', () => {
  it('are listed, and made by imports alone', async () => {
    assert.deepEqual(await read('/workspaces/default/coveragestores'), {
      coverageStores: { coverageStore: [] },
    })
    const reply = await send('POST', '/workspaces/default/coveragestores', { coverageStore: { name: 'x' } })
    assert.equal(reply.statusCode, 400)
  })
})

describe('layers', () => {
  before(async () => {
    await createWorkspace('maps')
    await publish('maps', 'cities')
  })

  it('are listed by workspace and in all, and read with what is known of them', async () => {
    const { layers } = await read('/workspaces/maps/layers')
    assert.deepEqual(
      layers.layer.map((one: { name: string }) => one.name),
      ['cities'],
    )
    assert.ok(
      (await read('/layers')).layers.layer.some((one: { name: string }) => one.name === 'maps:cities'),
    )
    const { layer } = await read('/layers/maps:cities')
    assert.equal(layer.type, 'VECTOR')
    assert.equal(layer.srs, 'EPSG:4326')
    assert.deepEqual(layer.bbox, { minx: 1, miny: 2, maxx: 3, maxy: 4, crs: 'EPSG:4326' })
    assert.deepEqual(layer.attributes, [
      { name: 'pop', binding: 'java.lang.Long' },
      { name: 'geom', binding: 'org.locationtech.jts.geom.Point' },
    ])
    assert.equal(layer.defaultStyle.name, 'point')
    assert.equal(layer.store.name, 'maps:maps')
  })

  it('take another title, abstract and style, which must exist', async () => {
    const change = { layer: { title: 'Cities', abstract: 'All of them', defaultStyle: { name: 'generic' } } }
    const { layer } = (await send('PUT', '/layers/maps:cities', change)).json()
    assert.equal(layer.title, 'Cities')
    assert.equal(layer.abstract, 'All of them')
    assert.equal(layer.defaultStyle.name, 'generic')
    const bad = await send('PUT', '/layers/maps:cities', { layer: { defaultStyle: { name: 'none' } } })
    assert.equal(bad.statusCode, 400)
    assert.equal((await read('/layers/maps:cities')).layer.defaultStyle.name, 'generic')
  })

  it('are named alone in the default workspace', async () => {
    await publish('default', 'alone')
    assert.equal((await read('/layers/alone')).layer.workspace.name, 'default')
    assert.equal((await send('GET', '/layers/cities')).statusCode, 404)
  })

  it('are unpublished by DELETE', async () => {
    await publish('maps', 'old')
    assert.equal((await send('DELETE', '/layers/maps:old')).statusCode, 200)
    assert.equal((await send('GET', '/layers/maps:old')).statusCode, 404)
    assert.equal((await send('DELETE', '/layers/maps:old')).statusCode, 404)
  })
})

const sld = `<?xml version="1.0"?>
<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer/></StyledLayerDescriptor>`
const sldType = 'application/vnd.ogc.sld+xml'
const mapLibreType = 'application/vnd.maplibre.style+json'

describe('styles', () => {
  it('for each geometry type are there from the start and stay', async () => {
    const names = (await read('/styles')).styles.style.map((one: { name: string }) => one.name)
    for (const name of ['point', 'line', 'polygon', 'generic']) assert.ok(names.includes(name), name)
    assert.equal((await send('DELETE', '/styles/point?recurse=true')).json().code, 'default-style')
  })

  it('are created from an SLD document, and given back letter by letter', async () => {
    const created = await send('POST', '/styles?name=roads', sld, { 'content-type': sldType })
    assert.equal(created.statusCode, 201, created.body)
    assert.equal((await read('/styles/roads')).style.format, 'sld')
    for (const [url, accept] of [
      ['/styles/roads.sld', '*/*'],
      ['/styles/roads', sldType],
    ] as const) {
      const reply = await send('GET', url, undefined, { accept })
      assert.equal(reply.body, sld)
      assert.match(String(reply.headers['content-type']), /^application\/vnd\.ogc\.sld\+xml/)
    }
    assert.equal((await send('GET', '/styles/roads', undefined, { accept: mapLibreType })).statusCode, 404)
  })

  it('are created from a MapLibre document, nulls and all, by either way', async () => {
    const document = { version: 8, sources: {}, layers: [], metadata: { a: [null] } }
    const text = JSON.stringify(document)
    const raw = await send('POST', '/styles?name=libre', text, { 'content-type': mapLibreType })
    assert.equal(raw.statusCode, 201)
    const wrapped = await send('POST', '/styles', { style: { name: 'libre2', format: 'maplibre', document } })
    assert.equal(wrapped.statusCode, 201)
    for (const name of ['libre', 'libre2'])
      assert.equal((await send('GET', `/styles/${name}`, undefined, { accept: mapLibreType })).body, text)
  })

  it('are created by name first and given their document afterwards', async () => {
    const created = await send('POST', '/styles', { style: { name: 'later', filename: 'later.sld' } })
    assert.equal(created.statusCode, 201)
    assert.equal((await send('PUT', '/styles/later', sld, { 'content-type': sldType })).statusCode, 200)
    assert.equal((await send('GET', '/styles/later.sld')).body, sld)
  })

  it('are refused when the document is not what it says', async () => {
    const bad: [string, string][] = [
      [sldType, '<html/>'],
      [sldType, 'StyledLayerDescriptor'],
      [sldType, `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${sld.slice(sld.indexOf('<Styled'))}`],
      [mapLibreType, '{"version":7,"layers":[]}'],
      [mapLibreType, '{'],
    ]
    for (const [type, text] of bad)
      assert.equal(
        (await send('POST', '/styles?name=bad', text, { 'content-type': type })).statusCode,
        400,
        text,
      )
    assert.equal((await send('POST', '/styles', sld, { 'content-type': sldType })).statusCode, 400)
    assert.equal((await send('POST', '/styles?name=roads', sld, { 'content-type': sldType })).statusCode, 409)
  })

  it('that a layer uses are deleted only with recurse, which gives the layer a default', async () => {
    await send('POST', '/styles?name=used', sld, { 'content-type': sldType })
    await publish('maps', 'styled')
    await send('PUT', '/layers/maps:styled', { layer: { style: { name: 'used' } } })
    const refused = await send('DELETE', '/styles/used')
    assert.equal(refused.json().code, 'style-in-use')
    assert.match(refused.json().detail, /maps:styled/)
    assert.equal((await send('DELETE', '/styles/used?recurse=true')).statusCode, 200)
    assert.equal((await read('/layers/maps:styled')).layer.defaultStyle.name, 'point')
  })

  it('of one workspace stand beside the global ones', async () => {
    const url = '/workspaces/maps/styles'
    assert.equal((await send('POST', `${url}?name=local`, sld, { 'content-type': sldType })).statusCode, 201)
    assert.deepEqual(
      (await read(url)).styles.style.map((one: { name: string }) => one.name),
      ['local'],
    )
    assert.equal((await send('GET', '/styles/local')).statusCode, 404)
    assert.equal((await send('DELETE', `${url}/local`)).statusCode, 200)
  })
})
