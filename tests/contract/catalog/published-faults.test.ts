import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { Client } from 'pg'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient } from '../../support/configuration.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import type { PostgresCluster } from '../../support/postgres.ts'
import { runSql, testCluster } from '../../support/postgres.ts'

let cluster: PostgresCluster
let databaseUrl: string
let terrane: TestApp
before(async () => {
  cluster = await testCluster()
  databaseUrl = await cluster.createDatabase()
  terrane = await createTestApp()
})
after(async () => {
  await terrane.close()
  await cluster.dropDatabase(databaseUrl)
  await cluster.stop()
})
const { send } = configurationClient(() => terrane)
const stores = '/workspaces/default/datastores'

/** Creates a schema with tables, and a store over it. */
async function makeStore(name: string, sql: string, parameters: object = {}): Promise<void> {
  await runSql(databaseUrl, `create schema ${name}; set search_path = ${name}, public; ${sql}`)
  const connectionParameters = { ...storeParameters(databaseUrl, name), ...parameters }
  const made = await send('POST', stores, { dataStore: { name, type: 'PostGIS', connectionParameters } })
  assert.equal(made.statusCode, 201, made.body)
}

async function publish(store: string, nativeName: string, name?: string): Promise<void> {
  const reply = await send('POST', `${stores}/${store}/featuretypes`, { featureType: { nativeName, name } })
  assert.equal(reply.statusCode, 201, reply.body)
}

function read(layer: string) {
  return terrane.app.inject({ url: `/ogc/collections/default:${layer}/items?f=json`, headers: terrane.admin })
}

interface Answered {
  statusCode: number
  code?: string
  features?: { geometry: { type: string } | null; properties: object }[]
}

async function items(layer: string): Promise<Answered> {
  const reply = await read(layer)
  return { statusCode: reply.statusCode, ...reply.json() }
}

/** Runs statements in a transaction that stays open until `end` is called. */
async function openTransaction(sql: string): Promise<{ end(): Promise<void> }> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`begin; ${sql}`)
  return {
    end: async () => {
      await client.query('rollback')
      await client.end()
    },
  }
}

describe('a published table', () => {
  it('that is locked ends its requests with the reason, and other tables are read meanwhile', async () => {
    await makeStore(
      'locking',
      `create table locked (id int primary key, g geometry(Point, 4326)); insert into locked values (1, null);
       create table free (id int primary key, g geometry(Point, 4326)); insert into free values (1, null)`,
    )
    await publish('locking', 'locked')
    await publish('locking', 'free')
    const lock = await openTransaction('lock table locking.locked in access exclusive mode')
    try {
      const waiting = Promise.all(Array.from({ length: 12 }, () => items('locked')))
      assert.equal((await items('free')).statusCode, 200)
      for (const { statusCode, code } of await waiting)
        assert.deepEqual([statusCode, code], [503, 'table-locked'])
      const listed = await send('GET', `${stores}/locking/tables`)
      assert.equal(listed.statusCode, 200, listed.body)
      await runSql(databaseUrl, 'alter table locking.free add column name text')
      await terrane.catalog.follower.follow()
      const { layer } = (await send('GET', '/layers/default:free')).json()
      assert.deepEqual(
        layer.attributes.map(({ name }: { name: string }) => name),
        ['id', 'name', 'g'],
      )
    } finally {
      await lock.end()
    }
    assert.equal((await items('locked')).statusCode, 200)
  })

  it('that is renamed, dropped or made again is a problem of its layer alone', async () => {
    await makeStore(
      'moving',
      `create table renamed (id int primary key, name text); create table dropped (id int primary key, name text);
       create table stays (id int primary key); insert into stays values (1)`,
    )
    for (const name of ['renamed', 'dropped', 'stays']) await publish('moving', name)
    await runSql(databaseUrl, 'alter table moving.renamed rename to other; drop table moving.dropped')
    for (const name of ['renamed', 'dropped']) {
      const { statusCode } = await items(name)
      assert.ok(statusCode >= 400 && statusCode !== 500, `${name}: ${statusCode}`)
    }
    assert.equal((await items('stays')).statusCode, 200)
    await terrane.catalog.follower.follow()
    await terrane.catalog.availability.refresh()
    const { byId } = await terrane.catalog.cards.now()
    const problems = [...byId.values()].flatMap((card) =>
      ['renamed', 'dropped', 'stays'].includes(card.name)
        ? [[card.name, terrane.catalog.availability.problemOf(card)]]
        : [],
    )
    assert.deepEqual(Object.fromEntries(problems), {
      renamed: 'source-gone',
      dropped: 'source-gone',
      stays: undefined,
    })
    await runSql(
      databaseUrl,
      'create table moving.dropped (id int primary key, size float8); insert into moving.dropped values (7, 2.5)',
    )
    await terrane.catalog.follower.follow()
    const again = await items('dropped')
    assert.deepEqual(
      again.features?.map(({ properties }) => properties),
      [{ id: 7, size: 2.5 }],
    )
    const { layer } = (await send('GET', '/layers/default:dropped')).json()
    assert.deepEqual(layer.altered, ['Column "name" was dropped or renamed.'])
  })

  it('has names with quotes, capitals and Unicode', async () => {
    await makeStore(
      'naming',
      `create table "Straße ""A"" 'b'" ("Id" int primary key, "Größe; --" float8, "a.b" text, "Geom" geometry(Point, 25832));
       insert into "Straße ""A"" 'b'" values (1, 2.5, 'x', ST_SetSRID(ST_MakePoint(500000, 5500000), 25832))`,
    )
    await publish('naming', `Straße "A" 'b'`, 'strasse')
    const { features } = await items('strasse')
    assert.deepEqual(
      features?.map(({ properties }) => properties),
      [{ Id: 1, 'Größe; --': 2.5, 'a.b': 'x' }],
    )
  })

  it('has curves, which become lines, and no CRS where the SRID is 0', async () => {
    await makeStore(
      'shapes',
      `create table curves (id int primary key, g geometry(CurvePolygon, 4326));
       insert into curves values (1, ST_GeomFromText('CURVEPOLYGON(CIRCULARSTRING(0 0, 1 1, 2 0, 1 -1, 0 0))', 4326));
       create table zero (id int primary key, g geometry(Point, 0));
       insert into zero values (1, ST_MakePoint(1, 2))`,
    )
    await publish('shapes', 'curves')
    await publish('shapes', 'zero')
    const curves = await items('curves')
    assert.equal(curves.statusCode, 200)
    assert.match(String(curves.features?.[0]?.geometry?.type), /Polygon$/)
    const { layer } = (await send('GET', '/layers/default:zero')).json()
    assert.equal(layer.srs, undefined)
    const { statusCode } = await items('zero')
    assert.ok(statusCode === 200 || statusCode === 400, String(statusCode))
  })

  it('is read whatever the statement_timeout of the role is', async () => {
    const user = `hasty_${process.pid}`
    await makeStore('hasty', 'create table slow (id int primary key); insert into slow values (1)')
    await runSql(
      databaseUrl,
      `create role ${user} login password 'hasty'; grant usage on schema hasty to ${user};
       grant select on all tables in schema hasty to ${user}; alter role ${user} set statement_timeout = '1s';
       create view hasty.view as select s.id, pg_sleep(1.2)::text as rest from hasty.slow s; grant select on hasty.view to ${user}`,
    )
    try {
      const connectionParameters = { ...storeParameters(databaseUrl, 'hasty'), user, passwd: 'hasty' }
      const made = await send('POST', stores, {
        dataStore: { name: 'hasty_role', type: 'PostGIS', connectionParameters },
      })
      assert.equal(made.statusCode, 201, made.body)
      await publish('hasty_role', 'view', 'hasty_view')
      assert.equal((await items('hasty_view')).features?.length, 1)
    } finally {
      await send('DELETE', `${stores}/hasty_role?recurse=true`)
      await runSql(databaseUrl, `drop schema hasty cascade; drop role ${user}`)
    }
  })

  it('of another server that is away names that server, and other tables are read', async () => {
    const { hostname, pathname } = new URL(databaseUrl)
    await makeStore(
      'foreign_tables',
      `create extension postgres_fdw schema public; create server away foreign data wrapper postgres_fdw
         options (host '${hostname}', port '1', dbname '${pathname.slice(1)}');
       create user mapping for public server away options (user 'nobody', password 'x');
       create foreign table far (id int) server away; create table near (id int primary key)`,
    )
    const refused = await send('POST', `${stores}/foreign_tables/featuretypes`, {
      featureType: { nativeName: 'far' },
    })
    assert.ok([400, 503].includes(refused.statusCode), refused.body)
    assert.match(refused.body, /away/)
    const all = await send('POST', `${stores}/foreign_tables/tables`, { publish: {} })
    assert.equal(all.statusCode, 200, all.body)
    assert.deepEqual(
      [all.json().published.length, all.json().failed.map(({ table }: { table: string }) => table)],
      [1, ['far']],
    )
    assert.equal((await items('near')).statusCode, 200)
  })
})

describe('a database', () => {
  it('that is away ends lists, publication and reads with the reason, and is used when it is back', async (t) => {
    const relay = await startRelay(t)
    await makeStore(
      'leaving',
      'create table first (id int primary key); create table second (id int primary key)',
      { host: '127.0.0.1', port: String(relay.port) },
    )
    await publish('leaving', 'first')
    relay.cut()
    const listed = await send('GET', `${stores}/leaving/tables`)
    assert.ok(listed.statusCode >= 400 && listed.statusCode !== 500, listed.body)
    const refused = await send('POST', `${stores}/leaving/featuretypes`, { featureType: { name: 'second' } })
    assert.ok(refused.statusCode >= 400 && refused.statusCode !== 500, refused.body)
    const gone = await items('first')
    assert.ok(gone.statusCode >= 400 && gone.statusCode !== 500, String(gone.statusCode))
    await terrane.catalog.follower.follow()
    relay.connectAgain()
    await publish('leaving', 'second')
    assert.equal((await items('first')).statusCode, 200)
  })
})

/** Starts a relay to the database that can be cut and connected again. */
async function startRelay(t: TestContext): Promise<{ port: number; cut(): void; connectAgain(): void }> {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) return client.resetAndDestroy()
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
    client.pipe(upstream).pipe(client)
    return client
  })
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    cut()
    server.close()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut,
    connectAgain: () => {
      isCut = false
    },
  }
}
