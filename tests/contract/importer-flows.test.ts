import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../support/importer-client.ts'
import { countFeatures, readItems, startImporter } from '../support/importer-client.ts'
import { testCluster } from '../support/postgres.ts'
import { startWebServer } from '../support/web-server.ts'

const storeTypes = ['GeoPackage', 'PostGIS'] as const

async function parametersOf(type: (typeof storeTypes)[number]): Promise<Record<string, string>> {
  if (type === 'GeoPackage') return {}
  const url = new URL(await (await testCluster()).createDatabase())
  return {
    dbtype: 'postgis',
    host: url.hostname,
    port: url.port,
    database: url.pathname.slice(1),
    user: url.username,
    passwd: url.password,
    schema: 'public',
  }
}

/** A server with the workspace `topp` and in it a store `target` of the type. */
async function startWithStore(test: TestContext, type: (typeof storeTypes)[number]): Promise<ImporterClient> {
  const client = await startImporter(test, { env: { TERRANE_REMOTE_ALLOW: '127.0.0.1' } })
  const create = async (url: string, payload: object): Promise<void> => {
    const reply = await client.server.app.inject({
      method: 'POST',
      url,
      headers: client.server.admin,
      payload,
    })
    assert.equal(reply.statusCode, 201, reply.body)
  }
  await create('/rest/workspaces', { workspace: { name: 'topp' } })
  await create('/rest/workspaces/topp/datastores', {
    dataStore: { name: 'target', type, connectionParameters: await parametersOf(type) },
  })
  return client
}

const workspace = { targetWorkspace: { workspace: { name: 'topp' } } }

for (const type of storeTypes) {
  describe(`flows of the contract into ${type}`, () => {
    it('1: a directory becomes one layer for each file', async (test) => {
      const client = await startWithStore(test, type)
      for (const base of ['ne_110m_admin_0_boundary_lines_land', 'ne_110m_admin_1_states_provinces_shp']) {
        for (const ext of ['shp', 'shx', 'dbf', 'prj'])
          client.provide(`shapefile/${base}.${ext}`, `ne/${base}.${ext}`)
      }
      const created = await client.call('POST', '', {
        import: {
          ...workspace,
          targetStore: { dataStore: { name: 'target' } },
          data: { type: 'directory', location: 'ne' },
        },
      })
      assert.equal(created.status, 201)
      const { import: made } = created.json
      assert.equal(created.headers.location, made?.href)
      assert.equal(made?.state, 'READY')
      assert.deepEqual(made?.targetStore, { dataStore: { name: 'target', type } })
      assert.equal(made?.data?.type, 'directory')
      assert.equal(made?.data?.format, 'Shapefile')
      const listed = await client.call('GET', '/0/tasks')
      assert.deepEqual(
        (listed.json.tasks as unknown as { state: string }[]).map((task) => task.state),
        ['READY', 'READY'],
      )
      const run = await client.call('POST', '/0?async=true')
      assert.equal(run.status, 204)
      const done = await pollUntil(client, '/0', 'COMPLETE')
      assert.equal(done.import?.tasks?.[1]?.state, 'COMPLETE')
      assert.equal(await countFeatures(client, 'topp:ne_110m_admin_0_boundary_lines_land'), 185)
      assert.equal(await countFeatures(client, 'topp:ne_110m_admin_1_states_provinces_shp'), 51)
      const task = await client.call('GET', '/0/tasks/0')
      assert.equal(task.json.task?.rowsRead, 185)
      assert.equal(task.json.task?.rowsLoaded, 185)
      assert.deepEqual(task.json.task?.target?.dataStore, { name: 'target', type })
    })

    it('2: a task without CRS becomes READY by an srs and is executed', async (test) => {
      const client = await startWithStore(test, type)
      for (const ext of ['shp', 'shx', 'dbf']) client.provide(`shapefile/blockgroups.${ext}`)
      const created = await client.call('POST', '', {
        import: {
          ...workspace,
          targetStore: { dataStore: { name: 'target' } },
          data: { type: 'file', file: 'blockgroups.shp' },
        },
      })
      assert.equal(created.json.import?.state, 'PENDING')
      assert.equal(created.json.import?.tasks?.[0]?.state, 'NO_CRS')
      const before = await client.call('GET', '/0/tasks/0/layer')
      assert.equal(before.json.layer?.srs, undefined)
      assert.ok(Array.isArray(before.json.layer?.srsCandidates))
      const refused = await client.call('POST', '/0')
      assert.equal(refused.status, 409)
      assert.match(refused.text, /Task 0 is NO_CRS/)
      for (const srs of ['26713', 'EPSG:9838275', 'nonsense']) {
        const wrong = await client.call('PUT', '/0/tasks/0/layer', { layer: { srs } })
        assert.equal(wrong.status, 400)
      }
      const fixed = await client.call('PUT', '/0/task/0/layer', "{layer: {srs: 'EPSG:4326'}}")
      assert.equal(fixed.status, 200)
      assert.equal(fixed.json.layer?.srs, 'EPSG:4326')
      const now = await client.call('GET', '/0')
      assert.equal(now.json.import?.state, 'PENDING')
      assert.equal(now.json.import?.tasks?.[0]?.state, 'READY')
      assert.equal((await client.call('POST', '/0')).status, 204)
      assert.equal((await client.call('GET', '/0')).json.import?.state, 'COMPLETE')
      assert.equal(await countFeatures(client, 'topp:blockgroups'), 663)
    })

    it('3: a table becomes points; APPEND adds to it, REPLACE swaps it', async (test) => {
      const client = await startWithStore(test, type)
      const load = async (csv: string, updateMode?: string): Promise<void> => {
        const created = await client.call('POST', '', {
          import: { ...workspace, targetStore: { dataStore: { name: 'target' } } },
        })
        const id = created.json.import?.id as unknown as number
        const uploaded = await client.upload(id, [{ name: 'places.csv', content: csv }], { name: 'test' })
        assert.equal(uploaded.status, 201, uploaded.text)
        assert.equal(uploaded.json.task?.state, 'NO_CRS')
        assert.equal(uploaded.headers.location, uploaded.json.task?.href)
        const task = `/${id}/tasks/0`
        assert.equal((await client.call('PUT', `${task}/layer`, { layer: { srs: 'EPSG:4326' } })).status, 200)
        const transform = await client.call('POST', `${task}/transforms`, {
          type: 'AttributesToPointGeometryTransform',
          latField: 'lat',
          lngField: 'lon',
        })
        assert.equal(transform.status, 201, transform.text)
        if (updateMode !== undefined) {
          const put = await client.call('PUT', task, { task: { updateMode } })
          assert.equal(put.status, 200)
          assert.equal(put.json.task?.updateMode, updateMode)
        }
        const ran = await client.call('POST', `/${id}`)
        assert.equal(ran.status, 204, ran.text)
        const done = await client.call('GET', `/${id}?expand=2`)
        assert.equal(done.json.import?.state, 'COMPLETE', done.text)
      }
      await load('name,lat,lon,pop\nA,1.5,10,5\nB,2,20,6\n')
      const items = await readItems(client, 'topp:places')
      assert.deepEqual(items.features?.[0]?.geometry, { type: 'Point', coordinates: [10, 1.5] })
      assert.equal(items.features?.[0]?.properties?.name, 'A')
      assert.equal(items.features?.[0]?.properties?.lat, undefined)
      await load('name,lat,lon,pop\nC,3,30,7\n', 'APPEND')
      assert.equal(await countFeatures(client, 'topp:places'), 3)
      await load('name,lat,lon,pop\nD,4,40,8\n', 'REPLACE')
      assert.equal(await countFeatures(client, 'topp:places'), 1)
      await load('name,lat,lon,pop\nE,5,50,9\n')
      assert.equal(await countFeatures(client, 'topp:places0'), 1)
    })

    it('5: a remote archive is fetched in the background, waited for and executed', async (test) => {
      const client = await startWithStore(test, type)
      const base = await startWebServer(test, (_request, reply) => {
        reply.end(readFileSync('tests/fixtures/archives/utf.zip'))
      })
      const created = await client.call('POST', '?async=true', {
        import: {
          ...workspace,
          targetStore: { dataStore: { name: 'target' } },
          data: { type: 'remote', location: `${base}/utf.zip` },
        },
      })
      assert.equal(created.status, 201)
      assert.equal(created.json.import?.state, 'INIT')
      await pollUntil(client, '/0', 'PENDING')
      assert.equal((await client.call('POST', '/0?async=true')).status, 204)
      const done = await pollUntil(client, '/0', 'COMPLETE')
      assert.equal(done.import?.data?.type, 'remote')
      assert.equal(done.import?.tasks?.[0]?.state, 'COMPLETE')
      assert.ok((await countFeatures(client, 'topp:utf')) > 0)
    })
  })
}

async function pollUntil(client: ImporterClient, path: string, state: string) {
  for (let tries = 0; tries < 400; tries += 1) {
    const { json } = await client.call('GET', path)
    if ((json.import?.state as unknown) === state) return json
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return assert.fail(
    `${path} did not become ${state}: ${(await client.call('GET', `${path}?expand=3`)).text}`,
  )
}
