import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { defined } from '../../../src/core/values/defined.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { countFeatures, listOf, startImporter } from '../../support/importer-client.ts'

async function rest(
  client: ImporterClient,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload?: object,
) {
  return client.server.app.inject({
    method,
    url: `/rest${url}`,
    headers: client.server.admin,
    ...defined({ payload }),
  })
}

/**
 * Uploads a file and publishes its layers. Returns the path of the file that the first layer's store reads.
 */
async function publishUpload(client: ImporterClient, workspace: string, fixtures: string[]): Promise<string> {
  const created = await client.call('POST', '', {
    import: { targetWorkspace: { workspace: { name: workspace } } },
  })
  const id = Number(created.json.import?.id)
  const parts = fixtures.map((fixture) => ({
    name: fixture.slice(fixture.lastIndexOf('/') + 1),
    content: readFileSync(join('tests/fixtures', fixture)),
  }))
  assert.equal((await client.upload(id, parts)).status, 201)
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  const imported = await client.call('GET', `/${id}`)
  assert.equal(imported.json.import?.state, 'COMPLETE', imported.text)
  const target = await client.call('GET', `/${id}/tasks/0/target`)
  const entries = listOf<{ '@key': string; $: string }>(target.json.dataStore?.connectionParameters?.entry)
  return entries.find((entry) => entry['@key'] === 'path')?.$ ?? ''
}

const boundaries = ['dbf', 'prj', 'shp', 'shx'].map(
  (extension) => `shapefile/ne_110m_admin_0_boundary_lines_land.${extension}`,
)

async function start(test: TestContext): Promise<ImporterClient> {
  const client = await startImporter(test)
  assert.equal((await rest(client, 'POST', '/workspaces', { workspace: { name: 'w' } })).statusCode, 201)
  return client
}

describe('the file of a store in the data directory', () => {
  it('goes with the store, its sidecars and its folder too', async (test) => {
    const client = await start(test)
    const path = await publishUpload(client, 'w', boundaries)
    assert.ok(path.startsWith(join(client.server.dataDir, 'stores', 'w')), path)
    assert.equal(readdirSync(dirname(path)).length, 4)
    const name = 'ne_110m_admin_0_boundary_lines_land'
    assert.equal((await rest(client, 'DELETE', `/workspaces/w/datastores/${name}`)).statusCode, 409)
    assert.ok(existsSync(path))
    assert.equal(
      (await rest(client, 'DELETE', `/workspaces/w/datastores/${name}?recurse=true`)).statusCode,
      200,
    )
    assert.equal(existsSync(dirname(path)), false)
  })

  it('goes with the workspace', async (test) => {
    const client = await start(test)
    const direct = await publishUpload(client, 'w', ['flatgeobuf/countries.fgb'])
    const loaded = await publishUpload(client, 'w', ['geojson/valid.geojson'])
    assert.ok(existsSync(direct) && existsSync(loaded))
    assert.equal((await rest(client, 'DELETE', '/workspaces/w?recurse=true')).statusCode, 200)
    assert.equal(existsSync(direct) || existsSync(loaded), false)
    assert.deepEqual(readdirSync(join(client.server.dataDir, 'stores')), [])
  })

  it('stays while another store reads it, and so do files of stores with a name that begins alike', async (test) => {
    const client = await start(test)
    const folder = join(client.server.dataDir, 'stores', 'w')
    mkdirSync(folder, { recursive: true })
    for (const [name, path] of [
      ['one', 'w/a.gpkg'],
      ['same', 'w/a.gpkg'],
      ['longer', 'w/a.b.gpkg'],
    ]) {
      const dataStore = { name, type: 'GeoPackage', connectionParameters: { path } }
      assert.equal((await rest(client, 'POST', '/workspaces/w/datastores', { dataStore })).statusCode, 201)
    }
    for (const file of ['a.gpkg', 'a.gpkg-wal', 'a.b.gpkg', 'a.b.gpkg-wal', 'a.b.qml', 'a.qml'])
      writeFileSync(join(folder, file), '')
    await rest(client, 'DELETE', '/workspaces/w/datastores/one')
    assert.equal(readdirSync(folder).length, 6)
    await rest(client, 'DELETE', '/workspaces/w/datastores/same')
    assert.deepEqual(readdirSync(folder).sort(), ['a.b.gpkg', 'a.b.gpkg-wal', 'a.b.qml'])
  })

  it('is never the operator\u2019s own', async (test) => {
    const client = await start(test)
    for (const fixture of boundaries) client.provide(fixture)
    client.provide('geopackage/stations.gpkg')
    const created = await client.call('POST', '?exec=true', {
      import: { targetWorkspace: { workspace: { name: 'w' } }, data: { type: 'directory', location: '.' } },
    })
    assert.equal(created.json.import?.state, 'COMPLETE', created.text)
    assert.equal((await rest(client, 'DELETE', '/workspaces/w?recurse=true')).statusCode, 200)
    assert.equal(readdirSync(join(client.server.dataDir, 'incoming')).length, 5)
  })
})

describe('the default store of a workspace', () => {
  it('is there when a request names it, also on a fresh server', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/valid.geojson')
    const created = await client.call('POST', '', {
      import: {
        targetWorkspace: { workspace: { name: 'default' } },
        targetStore: { dataStore: { name: 'default' } },
        data: { type: 'file', file: 'valid.geojson' },
      },
    })
    assert.equal(created.status, 201, created.text)
    assert.equal(created.json.import?.state, 'READY')
    assert.deepEqual(created.json.import?.targetStore, { dataStore: { name: 'default', type: 'GeoPackage' } })
    assert.equal((await client.call('POST', '/0')).status, 204)
    assert.ok((await countFeatures(client, 'default:valid')) > 0)
  })
})

describe('requests at the same time', () => {
  it('that make the same store are one that succeeds and conflicts', async (test) => {
    const client = await start(test)
    const dataStore = { name: 'same', type: 'GeoPackage' }
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => rest(client, 'POST', '/workspaces/w/datastores', { dataStore })),
    )
    assert.deepEqual(replies.map((reply) => reply.statusCode).sort(), [201, 409, 409, 409])
  })
})
