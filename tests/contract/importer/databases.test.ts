import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { basicAuth } from '../../support/app.ts'
import { createDatabaseImport, importState, places, schemaWith } from '../../support/database-import.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { countFeatures, listOf, readItems, startImporter } from '../../support/importer-client.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

let url = ''
let targets = 0

/** A store over a new schema. */
async function makeStore(client: ImporterClient, name: string): Promise<{ schema: string }> {
  targets += 1
  const schema = `target_${targets}`
  await runSql(url, `create schema ${schema}`)
  await addStore(client, name, schema)
  return { schema }
}

async function addStore(client: ImporterClient, name: string, schema: string): Promise<void> {
  const reply = await client.server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: client.server.admin,
    payload: { dataStore: { name, type: 'PostGIS', connectionParameters: storeParameters(url, schema) } },
  })
  assert.equal(reply.statusCode, 201, reply.body)
}

const target = (name: string) => ({ import: { targetStore: { dataStore: { name } } } })

async function addUser(client: ImporterClient, role: string): Promise<{ authorization: string }> {
  const user = { name: `one-${role}`, password: 'long-enough', role }
  const reply = await client.server.app.inject({
    method: 'POST',
    url: '/rest/security/users',
    headers: client.server.admin,
    payload: { user },
  })
  assert.equal(reply.statusCode, 201)
  return basicAuth(user.name, user.password)
}

describe('imports of a database', () => {
  before(async () => {
    url = await fileDatabase()
  })

  it('make one task for each table and load it into the default store', async (t) => {
    const parameters = await schemaWith(`${places};
      create table roads (name text, geom geometry(LineString, 25832));
      insert into roads values ('r', 'SRID=25832;LINESTRING(500000 5000000, 500001 5000001)')`)
    const client = await startImporter(t)
    const created = await createDatabaseImport(client, parameters)
    assert.equal(created.status, 201, created.text)
    assert.match(String(created.headers.location), /\/rest\/imports\/0$/)
    assert.equal(created.json.import?.state, 'PENDING')
    assert.deepEqual(
      listOf(created.json.import?.tasks).map(({ state }) => state),
      ['READY', 'READY'],
    )
    assert.equal((await client.call('POST', '/0')).status, 204)
    assert.equal((await importState(client)).state, 'COMPLETE')
    const { features } = await readItems(client, 'default:places')
    assert.deepEqual(
      listOf(features).map(({ properties, geometry }) => [
        properties?.id,
        properties?.name,
        geometry?.coordinates,
      ]),
      [
        [1, 'a', [1, 2]],
        [2, 'b', [3, 4]],
      ],
    )
    assert.equal(await countFeatures(client, 'default:roads'), 1)
  })

  it('are described with every connection parameter, absent ones null, and the tables', async (t) => {
    const parameters = await schemaWith(places)
    const client = await startImporter(t)
    await createDatabaseImport(client, parameters)
    const href = 'http://localhost:80/rest/imports/0'
    const described = {
      type: 'database',
      format: 'PostGIS',
      href: `${href}/data`,
      parameters: {
        schema: parameters.schema,
        'fetch size': null,
        'validate connections': null,
        'Connection timeout': null,
        'Primary key metadata table': null,
        preparedStatements: null,
        database: parameters.database,
        port: parameters.port,
        passwd: parameters.passwd,
        'min connections': null,
        dbtype: 'postgis',
        host: parameters.host,
        'Loose bbox': null,
        'max connections': null,
        user: parameters.user,
      },
      tables: ['places'],
    }
    assert.deepEqual((await client.call('GET', '/0/data')).json, described)
    assert.deepEqual((await client.call('GET', '/0')).json.import?.data, described)
    const table = { type: 'table', name: 'places', format: 'PostGIS', href: `${href}/tasks/0/data` }
    assert.deepEqual((await client.call('GET', '/0/tasks/0/data')).json, table)
    assert.deepEqual((await client.call('GET', '/0/tasks/0')).json.task?.data, table)
    for (const path of ['/0/data/files', '/0/tasks/0/data/files']) {
      assert.deepEqual((await client.call('GET', path)).json, { files: [] })
    }
    assert.equal((await client.call('GET', '/0/data/files/places')).status, 404)
  })

  it('show the password to administrators alone', async (t) => {
    const parameters = await schemaWith(places)
    const client = await startImporter(t)
    await createDatabaseImport(client, parameters)
    const staff = await addUser(client, 'staff')
    for (const path of ['/0', '/0/data', '/0?expand=3', '?expand=3']) {
      assert.ok((await client.call('GET', path)).text.includes(`"${parameters.passwd}"`), path)
      const { status, text } = await client.call('GET', path, undefined, staff)
      assert.equal(status, 200)
      assert.ok(text.includes('"passwd":"********"') && !text.includes(String(parameters.passwd)), path)
    }
  })

  it('are created by administrators alone', async (t) => {
    const parameters = await schemaWith(places)
    const client = await startImporter(t)
    const staff = await addUser(client, 'staff')
    assert.equal((await createDatabaseImport(client, parameters, { headers: staff })).status, 403)
    assert.deepEqual((await client.call('GET', '')).json, { imports: [] })
  })

  it('are not created at /rest/imports, which names the command', async (t) => {
    const client = await startImporter(t)
    for (const type of ['database', 'table']) {
      const { status, json } = await client.call('POST', '', { import: { data: { type } } })
      assert.equal(status, 400)
      assert.match(String(json.detail), /terrane import --database/)
    }
  })

  it('take the tables that are named, views too', async (t) => {
    const parameters = await schemaWith(
      `${places}; create table others (i int); create view v as select 1 as i`,
    )
    const client = await startImporter(t)
    const tables = ['v', 'places', 'v']
    const { json } = await createDatabaseImport(client, parameters, { tables })
    assert.deepEqual(json.import?.data?.tables, ['places', 'v'])
  })

  it('wait for a CRS where a table has no geometry, then load it as a table', async (t) => {
    const parameters = await schemaWith(
      `create table people (id int, name text); insert into people values (1, 'x')`,
    )
    const client = await startImporter(t)
    const { json } = await createDatabaseImport(client, parameters)
    assert.equal(listOf(json.import?.tasks)[0]?.state, 'NO_CRS')
    await client.call('PUT', '/0/tasks/0/layer', { layer: { srs: 'EPSG:4326' } })
    await client.call('POST', '/0')
    assert.equal((await importState(client)).state, 'COMPLETE')
    assert.equal(await countFeatures(client, 'default:people'), 1)
  })

  it('load into a named store, keep every value, and are READY where that is named', async (t) => {
    const parameters =
      await schemaWith(`create table kinds (id int primary key, big bigint, exact numeric, short varchar(9),
        day date, at timestamptz, flag boolean, raw bytea, x double precision, g geometry(PolygonZ, 25832));
      insert into kinds values (1, 9223372036854775807, 1.50, 'ä', '2024-02-29', '2024-02-29 12:00Z', true, '\\x00ff', 0.1,
        'SRID=25832;POLYGON Z ((0 0 1, 1 0 1, 1 1 1, 0 0 1))'), (2, null, null, null, null, null, null, null, null, null)`)
    const client = await startImporter(t)
    const { schema } = await makeStore(client, 'wide')
    const { json } = await createDatabaseImport(client, parameters, target('wide'))
    assert.equal(json.import?.state, 'READY')
    await client.call('POST', '/0')
    assert.equal((await importState(client)).state, 'COMPLETE')
    const different = `select count(*)::int as rows from ((select * from "${parameters.schema}".kinds) except
      (select id, big, exact, short, day, at, flag, raw, x, g from ${schema}.kinds)) as missing`
    assert.deepEqual(await runSql(url, different), [{ rows: 0 }])
  })

  it('replace and append', async (t) => {
    const parameters = await schemaWith(places)
    const client = await startImporter(t)
    for (const [id, updateMode, rows] of [
      [0, 'CREATE', 2],
      [1, 'APPEND', 4],
      [2, 'REPLACE', 2],
    ] as const) {
      await createDatabaseImport(client, parameters)
      await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode } })
      await client.call('POST', `/${id}`)
      assert.equal((await importState(client, id)).state, 'COMPLETE')
      assert.equal(await countFeatures(client, 'default:places'), rows, updateMode)
    }
  })

  it('refuse a table as source and target of one load', async (t) => {
    const parameters = await schemaWith(places)
    const client = await startImporter(t)
    await addStore(client, 'same', parameters.schema)
    for (const [id, host] of ['127.0.0.1', 'localhost'].entries()) {
      await createDatabaseImport(client, { ...parameters, host }, target('same'))
      await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: 'APPEND' } })
      await client.call('POST', `/${id}`)
      const [task] = listOf((await importState(client, id)).tasks)
      assert.equal(task?.state, 'ERROR')
      assert.match(String(task?.errorMessage), /is both source and target/)
    }
    assert.deepEqual(await runSql(url, `select count(*)::int as rows from "${parameters.schema}".places`), [
      { rows: 2 },
    ])
  })

  it('run their transformations', async (t) => {
    const parameters = await schemaWith(
      `create table stations (lat float8, lon float8); insert into stations values (51, 7)`,
    )
    const client = await startImporter(t)
    const transforms = [
      { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' },
      { type: 'ReprojectTransform', source: 'EPSG:4326', target: 'EPSG:3857' },
    ]
    const { json } = await createDatabaseImport(client, parameters, { import: { transforms } })
    assert.equal(listOf(json.import?.tasks)[0]?.state, 'READY')
    await client.call('POST', '/0')
    assert.equal(await countFeatures(client, 'default:stations'), 1)
  })

  it('reject rows that cannot be represented, and keep them', async (t) => {
    const parameters = await schemaWith(`create table days (id int, day timestamp, g geometry(Point, 4326));
      insert into days select i, case i when 7 then '294276-12-31' else '2024-01-01' end::timestamp, null from generate_series(1, 100) i`)
    const client = await startImporter(t)
    await createDatabaseImport(client, parameters)
    await client.call('POST', '/0')
    const [task] = listOf((await importState(client)).tasks)
    assert.deepEqual(
      [task?.state, task?.rowsRead, task?.rowsLoaded, task?.rejected],
      ['COMPLETE', 100, 99, 1],
    )
    assert.match((await client.call('GET', '/0/tasks/0/rejects')).text, /too late/)
  })

  it('are asynchronous, and run at once, where that is asked for', async (t) => {
    const parameters = await schemaWith(places)
    const client = await startImporter(t)
    const created = await createDatabaseImport(client, parameters, { query: '?async=true&exec=true' })
    assert.equal(created.json.import?.state, 'INIT')
    await until(async () => String((await importState(client)).state) === 'COMPLETE')
    assert.equal(await countFeatures(client, 'default:places'), 2)
  })

  it('fail a task whose table changed, and leave the others', async (t) => {
    const parameters = await schemaWith(`${places}; create table others as select * from places`)
    const client = await startImporter(t)
    await createDatabaseImport(client, parameters)
    await runSql(url, `alter table "${parameters.schema}".others drop column name`)
    await client.call('POST', '/0')
    const tasks = listOf((await importState(client)).tasks)
    assert.deepEqual(
      tasks.map(({ state }) => state),
      ['ERROR', 'COMPLETE'],
    )
    assert.match(String(tasks[0]?.errorMessage), /has changed since it was examined/)
  })
})
