import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { claimKey, renewKeys } from '../../../src/core/idempotency/key-repository.ts'
import { createTestApp } from '../../support/app.ts'
import { clientOf, listOf, readItems } from '../../support/importer-client.ts'
import { manyLayers } from '../../support/many-layers.ts'
import type { PostgresCluster } from '../../support/postgres.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { temporaryData } from '../../support/terrane-process.ts'

let cluster: PostgresCluster
let databaseUrl: string
before(async () => {
  cluster = await testCluster()
  databaseUrl = await cluster.createDatabase()
})
after(async () => {
  await cluster.dropDatabase(databaseUrl)
  await cluster.stop()
})

const csv = 'name,lat,lon,year\nBonn,50.73,7.1,1989\nK\u00f6ln,50.94,6.96,1990\n'

describe('a server whose catalogue is PostgreSQL', () => {
  // A catalogue has one secret key, which is in the data directory.
  const dataDir = temporaryData({ after })
  it('takes a table to a published layer, replaces it, and has it after a restart', async () => {
    const env = { TERRANE_DATABASE_URL: databaseUrl }
    const first = await createTestApp({ env, dataDir })
    const client = clientOf(first)
    try {
      const created = await client.call('POST', '', {
        import: {
          targetWorkspace: { workspace: { name: 'default' } },
          targetStore: { dataStore: { name: 'default' } },
        },
      })
      assert.deepEqual(created.json.import?.targetStore, { dataStore: { name: 'default', type: 'PostGIS' } })
      for (const updateMode of ['CREATE', 'REPLACE', 'APPEND']) {
        const { task } = (await client.upload(0, [{ name: 'cities.csv', content: csv }])).json
        assert.equal(String(task?.state), 'NO_CRS')
        const path = `/0/tasks/${task?.id}`
        assert.equal((await client.call('PUT', `${path}/layer`, '{layer:{srs:"EPSG:4326"}}')).status, 200)
        const transform = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
        assert.equal((await client.call('POST', `${path}/transforms`, transform)).status, 201)
        const index = { type: 'CreateIndexTransform', field: 'name' }
        assert.equal((await client.call('POST', `${path}/transforms`, index)).status, 201)
        assert.equal((await client.call('PUT', path, { task: { updateMode } })).status, 200)
        assert.equal((await client.call('POST', '/0')).status, 204)
        const done = await client.call('GET', path)
        assert.equal(done.json.task?.state, 'COMPLETE', done.text)
        const { features } = await readItems(client, 'default:cities')
        assert.equal(listOf(features).length, updateMode === 'APPEND' ? 4 : 2)
      }
    } finally {
      await first.close()
    }
    const second = await createTestApp({ env, dataDir })
    try {
      const again = clientOf(second)
      assert.equal((await again.call('GET', '/0')).json.import?.state, 'COMPLETE')
      const { features } = await readItems(again, 'default:cities')
      assert.deepEqual(listOf(features)[0]?.geometry?.coordinates, [7.1, 50.73])
      assert.equal((await again.call('DELETE', '/0')).status, 200)
      assert.equal(Number((await again.call('POST', '')).json.import?.id), 1)
    } finally {
      await second.close()
    }
  })

  it('gives every import that is created at the same time an id of its own', async () => {
    const server = await createTestApp({ env: { TERRANE_DATABASE_URL: databaseUrl }, dataDir })
    try {
      const client = clientOf(server)
      const created = await Promise.all(Array.from({ length: 20 }, () => client.call('POST', '')))
      assert.deepEqual([...new Set(created.map(({ status }) => status))], [201])
      assert.equal(new Set(created.map(({ json }) => Number(json.import?.id))).size, 20)
    } finally {
      await server.close()
    }
  })

  it('puts all layers of one uploaded GeoPackage into one store', async () => {
    const server = await createTestApp({ env: { TERRANE_DATABASE_URL: databaseUrl }, dataDir })
    try {
      const client = clientOf(server)
      const id = Number((await client.call('POST', '')).json.import?.id)
      await client.upload(id, [{ name: 'many.gpkg', content: manyLayers(7) }])
      await client.call('POST', `/${id}`)
      const shown = await client.call('GET', `/${id}?expand=3`)
      assert.equal(shown.json.import?.state, 'COMPLETE', String(shown.json.import?.message))
      const tasks = listOf(shown.json.import?.tasks)
      assert.equal(new Set(tasks.map((task) => String(task.target?.dataStore?.name))).size, 1)
      const fields = readFileSync('tests/fixtures/flatgeobuf/countries.fgb')
      await client.upload(id, [{ name: 'countries.fgb', content: fields }])
      assert.equal((await client.call('POST', `/${id}`)).status, 204)
    } finally {
      await server.close()
    }
  })

  it('keeps tasks and names in the order of an embedded one, in a database of any language', async (test) => {
    const name = `test_language_${process.pid}`
    await runSql(
      cluster.url('postgres'),
      `create database ${name} template template0 locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'`,
    )
    test.after(() => cluster.dropDatabase(cluster.url(name)))
    await runSql(cluster.url(name), 'create extension postgis')
    const orders: string[][] = []
    const environments: Record<string, string>[] = [{}, { TERRANE_DATABASE_URL: cluster.url(name) }]
    for (const env of environments) {
      const server = await createTestApp({ env })
      try {
        const client = clientOf(server)
        await client.call('POST', '')
        const files = ['b b.csv', 'B-a.csv', '_c.csv', 'Z.csv', 'bb.csv', '\u00e9.csv', 'a.csv']
        const content = 'x\n1\n'
        await client.upload(
          0,
          files.map((file) => ({ name: file, content })),
        )
        const { json, text } = await client.call('GET', '/0?expand=3')
        const tasks = listOf(json.import?.tasks).map((task) => String(task.data?.file))
        assert.equal(tasks.length, files.length, text)
        for (const workspace of ['b_b', 'bA', 'Bz', 'ba'])
          await server.app.inject({
            method: 'POST',
            url: '/rest/workspaces',
            headers: server.admin,
            payload: { workspace: { name: workspace } },
          })
        const listed = await server.app.inject({ url: '/rest/workspaces', headers: server.admin })
        const { workspaces } = listed.json()
        const names = listOf(workspaces.workspace).map((workspace) => String(workspace.name))
        assert.equal(names.length, 5)
        orders.push([...tasks, ...names])
      } finally {
        await server.close()
      }
    }
    assert.deepEqual(orders[1], orders[0])
  })

  it('frees an idempotency key of a killed process, and no key of a request under way', async () => {
    const server = await createTestApp({ env: { TERRANE_DATABASE_URL: databaseUrl }, dataDir })
    try {
      const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
      const times = { expiredBefore: ago(86_400), abandonedBefore: ago(86_400) }
      const claim = { userName: 'admin', requestHash: 'of another request' }
      const killed = { ...claim, key: 'killed' }
      const alive = { ...claim, key: 'alive' }
      for (const one of [killed, alive]) await claimKey(server.database, one, { now: ago(60), ...times })
      await renewKeys(server.database.kysely, [alive], ago(0))
      const client = clientOf(server)
      const withKey = (key: string) => client.call('POST', '', {}, { 'idempotency-key': key })
      assert.equal((await withKey('alive')).json.code, 'idempotency-key-reused')
      assert.equal((await withKey('killed')).status, 201)
      assert.equal((await withKey('killed')).headers['idempotency-replayed'], 'true')
    } finally {
      await server.close()
    }
  })
})
