import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { getStoreById } from '../../../src/catalog/rows/store-rows.ts'
import { createSkeleton } from '../../../src/stores/geopackage/new-file.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient, publishPoints } from '../../support/configuration.ts'

let terrane: TestApp
before(async () => {
  terrane = await createTestApp()
})
after(() => terrane.close())

const { send, read, createWorkspace } = configurationClient(() => terrane)
const publish = (workspace: string, name: string) => publishPoints(terrane, workspace, name)

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

  it('do not share a file with the default store of their workspace', async () => {
    const created = await send('POST', stores, { dataStore: { name: 'packages', type: 'GeoPackage' } })
    const [entry] = created.json().dataStore.connectionParameters.entry
    assert.notEqual((await terrane.catalog.stores.getDefault('packages')).parameters.path, entry.$)
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

  it('over a file of an import root are only read', async () => {
    const path = join(terrane.dataDir, 'incoming', 'source.gpkg')
    const file = new DatabaseSync(path)
    createSkeleton(file)
    file.close()
    const payload = { dataStore: { name: 'read', type: 'GeoPackage', connectionParameters: { path } } }
    const reply = await send('POST', stores, payload)
    assert.equal(reply.statusCode, 201, reply.body)
    assert.deepEqual(reply.json().dataStore.connectionParameters.entry[1], { '@key': 'read_only', $: 'true' })
  })

  it('are refused over a file that is not a GeoPackage', async () => {
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
    assert.equal(
      (await send('PUT', `${stores}/changing`, { dataStore: { type: 'PostGIS' } })).statusCode,
      400,
    )
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
