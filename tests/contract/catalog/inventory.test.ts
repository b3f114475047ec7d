import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { adminPassword, basicAuth, createTestApp } from '../../support/app.ts'
import { configurationClient, publishPoints } from '../../support/configuration.ts'
import type { PostgresCluster } from '../../support/postgres.ts'
import { testCluster } from '../../support/postgres.ts'

let cluster: PostgresCluster
before(async () => {
  cluster = await testCluster()
})
after(() => cluster.stop())

for (const catalogue of ['SQLite', 'PostgreSQL'])
  describe(`what is in workspaces and stores, in ${catalogue}`, () => {
    let terrane: TestApp
    let database: string | undefined
    before(async () => {
      database = catalogue === 'SQLite' ? undefined : await cluster.createDatabase()
      terrane = await createTestApp({ env: database === undefined ? {} : { TERRANE_DATABASE_URL: database } })
    })
    after(async () => {
      await terrane.close()
      if (database !== undefined) await cluster.dropDatabase(database)
    })
    const { send, read, createWorkspace } = configurationClient(() => terrane)

    it('is counted, for staff alone', async () => {
      await createWorkspace('roads')
      await createWorkspace('empty')
      for (const name of ['a', 'b']) await publishPoints(terrane, 'roads', name)
      await send('POST', '/workspaces/roads/styles', {
        style: { name: 'own', document: '{"version":8,"sources":{},"layers":[]}' },
      })
      const { total, workspaces } = await read('/catalogue/workspaces')
      assert.equal(total, 3)
      const counts = workspaces.map((one: Record<string, unknown>) => [
        one.name,
        one.default,
        one.stores,
        one.layers,
      ])
      assert.deepEqual(counts, [
        ['default', true, 0, 0],
        ['empty', false, 0, 0],
        ['roads', false, 1, 2],
      ])
      const { stores } = await read('/catalogue/stores?workspace=roads')
      assert.deepEqual([stores[0].name, stores[0].layers, stores[0].default], ['roads', 2, true])
      assert.equal((await read('/catalogue/stores')).total, 1)
      assert.deepEqual((await read('/catalogue/workspaces?q=ROA&limit=1')).total, 1)
      assert.equal((await send('GET', '/catalogue/stores?workspace=nowhere')).statusCode, 400)
      const member = (type: string, name: string) => ({ '@type': type, name: `roads:${name}` })
      const groups = {
        inner: [member('layer', 'a')],
        outer: [member('layer', 'b'), member('layerGroup', 'inner')],
      }
      for (const [name, published] of Object.entries(groups))
        await send('POST', '/workspaces/roads/layergroups', {
          layerGroup: { name, title: `The ${name} group`, publishables: { published } },
        })
      const listed = await read('/catalogue/layer-groups?q=THE%20OUTER')
      assert.equal(listed.total, 1)
      assert.deepEqual(listed.groups[0].members, [
        { kind: 'layer', name: 'roads:b' },
        { kind: 'layerGroup', name: 'roads:inner' },
      ])
      assert.deepEqual(listed.groups[0].layers, ['roads:b', 'roads:a'])
      assert.equal((await read('/catalogue/layer-groups?workspace=roads&limit=1')).total, 2)
      assert.equal((await read('/catalogue/layer-groups?workspace=')).total, 0)
      assert.equal((await send('GET', '/catalogue/layer-groups?workspace=nowhere')).statusCode, 400)
      await send('POST', '/security/users', { user: { name: 'reader', password: adminPassword } })
      const headers = basicAuth('reader', adminPassword)
      for (const path of [
        '/catalogue/workspaces',
        '/catalogue/stores',
        '/catalogue/layer-groups',
        '/workspaces/roads/dependents',
      ])
        assert.equal((await send('GET', path, undefined, headers)).statusCode, 403, path)
    })

    it('goes with them, which is told before', async () => {
      const created = await send('POST', '/imports', {
        import: { targetWorkspace: { workspace: { name: 'roads' } }, data: { type: 'directory' } },
      })
      assert.equal(created.statusCode, 201, created.body)
      const { dependents } = await read('/workspaces/roads/dependents')
      assert.deepEqual(dependents.layers, { total: 2, names: ['roads:a', 'roads:b'] })
      assert.deepEqual(dependents.stores, { total: 1, names: ['roads'] })
      assert.equal(dependents.imports.total, 1)
      assert.equal(dependents.styles.total, dependents.styles.names.length)
      const ofStore = (await read('/workspaces/roads/datastores/roads/dependents')).dependents
      assert.deepEqual(ofStore.layers.names, ['roads:a', 'roads:b'])
      assert.equal(ofStore.stores.total, 0)
      assert.equal(ofStore.files, catalogue === 'SQLite' ? 1 : 0)
      assert.equal((await send('GET', '/workspaces/nowhere/dependents')).statusCode, 404)
      assert.equal((await send('GET', '/workspaces/roads/datastores/nowhere/dependents')).statusCode, 404)
      assert.equal((await send('DELETE', '/workspaces/roads?recurse=true')).statusCode, 200)
      assert.equal((await read('/catalogue/stores')).total, 0)
    })

    it('tells of users too', async () => {
      const headers = basicAuth('reader', adminPassword)
      await send('POST', '/security/tokens', { token: { name: 'nightly' } }, headers)
      const login = { session: { name: 'reader', password: adminPassword } }
      await send('POST', '/security/session', login)
      const { dependents } = await read('/security/users/reader/dependents')
      assert.deepEqual(dependents, { tokens: { total: 1, names: ['nightly'] }, sessions: 1 })
      assert.equal((await send('GET', '/security/users/nobody/dependents')).statusCode, 404)
      assert.equal(
        (await send('GET', '/security/users/admin/dependents', undefined, headers)).statusCode,
        403,
      )
    })

    it('is reached by connections that can be tried, kept or not', async () => {
      const url = new URL(database ?? (await cluster.createDatabase()))
      const connectionParameters = {
        host: url.hostname,
        port: url.port,
        database: url.pathname.slice(1),
        schema: 'public',
        user: url.username,
        passwd: url.password,
      }
      const path = '/workspaces/empty/datastores'
      const expected = { dataStore: { name: 'pg', type: 'PostGIS', connectionParameters } }
      const tried = await send('POST', `${path}/check`, expected)
      assert.equal(tried.statusCode, 200, tried.body)
      assert.equal((await read('/catalogue/stores?workspace=empty')).total, 0)
      const wrong = { ...expected.dataStore, connectionParameters: { ...connectionParameters, passwd: 'x' } }
      const refused = await send('POST', `${path}/check`, { dataStore: wrong })
      assert.equal(refused.statusCode, 400)
      assert.match(refused.body, /password/i)
      assert.equal((await send('POST', path, expected)).statusCode, 201)
      const { check } = (await send('POST', `${path}/pg/check`)).json()
      assert.ok(check.tables >= 0 && check.milliseconds >= 0)
      assert.equal((await send('POST', `${path}/none/check`)).statusCode, 404)
      const file = {
        dataStore: { name: 'x', type: 'GeoPackage', connectionParameters: { database: '/etc/passwd' } },
      }
      assert.match((await send('POST', `${path}/check`, file)).body, /path-not-allowed/)
    })
  })
