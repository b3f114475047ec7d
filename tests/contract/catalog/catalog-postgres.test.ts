import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { publishNewLayer } from '../../../src/catalog/rows/publication.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient } from '../../support/configuration.ts'
import type { PostgresCluster } from '../../support/postgres.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { patienceMs } from '../../support/until.ts'

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

function connection(): Record<string, string> {
  const url = new URL(databaseUrl)
  return {
    host: url.hostname,
    port: url.port,
    database: url.pathname.slice(1),
    schema: 'public',
    user: url.username,
    passwd: url.password,
  }
}

describe('PostGIS stores', () => {
  let terrane: TestApp
  before(async () => {
    terrane = await createTestApp()
  })
  after(() => terrane.close())
  const { send } = configurationClient(() => terrane)
  const stores = '/workspaces/default/datastores'
  const create = (name: string, parameters: object) =>
    send('POST', stores, { dataStore: { name, type: 'PostGIS', connectionParameters: parameters } })
  const entriesOf = (reply: { json(): { dataStore: { connectionParameters: { entry: object[] } } } }) =>
    Object.fromEntries(
      reply.json().dataStore.connectionParameters.entry.map((one) => Object.values(one)),
    ) as Record<string, string>

  it('are tried at creation, and never show their password', async () => {
    const entry = Object.entries({ ...connection(), dbtype: 'postgis' }).map(([key, value]) => ({
      '@key': key,
      $: value,
    }))
    const created = await send('POST', stores, { dataStore: { name: 'pg', connectionParameters: { entry } } })
    assert.equal(created.statusCode, 201, created.body)
    const read = await send('GET', `${stores}/pg`)
    for (const reply of [created, read]) {
      assert.equal(reply.body.includes(connection().passwd ?? '-'), false)
      assert.equal(entriesOf(reply).passwd, '********')
      assert.equal(entriesOf(reply).host, connection().host)
    }
  })

  it('keep their password sealed in our database', async () => {
    const rows = await terrane.database.kysely.selectFrom('stores').selectAll().execute()
    assert.equal(JSON.stringify(rows).includes(connection().passwd ?? '-'), false)
  })

  it('with a wrong host, port, password or database are a 400 that says so, and are not kept', async () => {
    const wrong: [object, RegExp][] = [
      [{ host: 'nowhere.invalid' }, /nowhere\.invalid/],
      [{ port: '1' }, /127\.0\.0\.1|port/],
      [{ passwd: 'wrong' }, /password/i],
      [{ database: 'missing_database' }, /missing_database/],
    ]
    for (const [change, message] of wrong) {
      const reply = await create('wrong', { ...connection(), ...change })
      assert.equal(reply.statusCode, 400, reply.body)
      assert.match(reply.json().detail, message)
      assert.equal((await send('GET', `${stores}/wrong`)).statusCode, 404)
    }
  })

  it('keep the password when ******** is written back, and are tried when they change', async () => {
    await create('edited', connection())
    const shown = entriesOf(await send('GET', `${stores}/edited`))
    const change = (connectionParameters: object) =>
      send('PUT', `${stores}/edited`, { dataStore: { connectionParameters } })
    assert.equal((await change({ ...shown, schema: 'public' })).statusCode, 200)
    assert.equal((await change({ 'max connections': 3 })).statusCode, 200)
    assert.equal((await change({ passwd: 'wrong' })).statusCode, 400)
    const store = await terrane.catalog.stores.require('default', 'edited')
    await (await terrane.catalog.stores.open(store)).check(AbortSignal.timeout(patienceMs))
    assert.equal(store.parameters['max connections'], '3')
  })

  it('do not send a kept password to another server or user', async () => {
    for (const change of [
      { host: 'localhost' },
      { port: '5433' },
      { user: 'other' },
      { database: 'postgres' },
    ]) {
      const reply = await send('PUT', `${stores}/edited`, { dataStore: { connectionParameters: change } })
      assert.equal(reply.statusCode, 400)
      assert.equal(reply.json().code, 'password-needed')
    }
  })

  it('lose the table of a layer only with recurse', async () => {
    await create('tables', connection())
    const store = await terrane.catalog.stores.require('default', 'tables')
    const isThere = async (): Promise<boolean> => {
      const [row] = await runSql(databaseUrl, "select to_regclass('public.doomed') is not null as found")
      return row?.found === true
    }
    await runSql(databaseUrl, 'create table doomed (id int primary key, geom geometry(Point, 4326))')
    for (const [query, expected] of [
      ['', true],
      ['?recurse=true', false],
    ] as const) {
      await terrane.database.transaction((db) =>
        publishNewLayer(
          db,
          {
            workspace: 'default',
            name: 'doomed',
            storeId: store.id,
            nativeName: 'doomed',
            details: {
              kind: 'vector',
              title: 'Doomed',
              originalName: 'doomed',
              schema: { attributes: [], geometry: undefined },
              style: 'point',
            },
          },
          new Date().toISOString(),
        ),
      )
      assert.equal((await send('DELETE', `/layers/default:doomed${query}`)).statusCode, 200)
      assert.equal(await isThere(), expected)
    }
  })
})

describe('a catalogue on PostgreSQL', () => {
  let terrane: TestApp
  before(async () => {
    terrane = await createTestApp({ env: { TERRANE_DATABASE_URL: databaseUrl } })
  })
  after(() => terrane.close())
  const { send } = configurationClient(() => terrane)

  it('holds users, tokens and sessions', async () => {
    const user = { name: 'ann', password: 'long-enough', role: 'staff' }
    assert.equal((await send('POST', '/security/users', { user })).statusCode, 201)
    assert.equal((await send('POST', '/security/users', { user })).statusCode, 409)
    const token = (await send('POST', '/security/tokens', { token: { name: 't' } })).json().token
    const bearer = { authorization: `Bearer ${token.value}` }
    assert.equal((await send('GET', '/workspaces', undefined, bearer)).statusCode, 200)
    assert.equal((await send('DELETE', `/security/tokens/${token.id}`)).statusCode, 200)
    assert.equal((await send('GET', '/workspaces', undefined, bearer)).statusCode, 401)
    const session = { session: { name: 'ann', password: 'long-enough' } }
    assert.equal((await send('POST', '/security/session', session)).statusCode, 200)
  })

  it('holds workspaces, stores and styles, with idempotency keys', async () => {
    const body = { workspace: { name: 'pg', public: true } }
    const first = await send('POST', '/workspaces', body, { 'idempotency-key': 'a' })
    const second = await send('POST', '/workspaces', body, { 'idempotency-key': 'a' })
    assert.equal(first.statusCode, 201)
    assert.equal(second.body, first.body)
    assert.equal(
      (await send('POST', '/workspaces/pg/datastores', { dataStore: { name: 'f', type: 'GeoPackage' } }))
        .statusCode,
      201,
    )
    assert.equal((await send('POST', '/styles', { style: { name: 's' } })).statusCode, 201)
    assert.equal((await send('DELETE', '/workspaces/pg?recurse=true')).statusCode, 200)
  })

  it('gives each workspace a schema of its own for data', async () => {
    const store = await terrane.catalog.stores.getDefault('default')
    assert.equal(store.type, 'PostGIS')
    assert.equal(store.parameters.schema, 'ws_default')
  })

  it('keeps the connection of a default store as the server made it', async () => {
    const url = '/workspaces/default/datastores/default'
    const shown = (await send('GET', url)).json()
    assert.equal((await send('PUT', url, shown)).statusCode, 200)
    const change = { dataStore: { connectionParameters: { schema: 'public' } } }
    assert.equal((await send('PUT', url, change)).json().code, 'default-store')
  })

  it('lets two servers share one data directory and one catalogue', async () => {
    const env = { TERRANE_DATABASE_URL: databaseUrl }
    const other = await createTestApp({ env, dataDir: terrane.dataDir })
    const reply = await other.app.inject({ url: '/rest/security/users/ann', headers: other.admin })
    assert.equal(reply.statusCode, 200)
    await other.close()
  })
})
