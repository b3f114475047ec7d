import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import {
  createDatabaseImport,
  databaseParameters,
  importState,
  places,
  schemaWith,
} from '../../support/database-import.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf, listOf } from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'

describe('imports of a database that cannot be read', () => {
  let client: ImporterClient
  before(async () => {
    client = clientOf(await createTestApp())
  })
  after(() => client.server.close())

  it('warn of tables that the user may not read, and refuse those that are named', async () => {
    const parameters = await schemaWith(`${places}; create table closed (i int);
      drop role if exists reader; create role reader login password 'reader-password';
      grant select on places to reader`)
    await runSql(await fileDatabase(), `grant usage on schema "${parameters.schema}" to reader`)
    const reader = { ...parameters, user: 'reader', passwd: 'reader-password' }
    const { json } = await createDatabaseImport(client, reader)
    assert.deepEqual(json.import?.data?.tables, ['places'])
    assert.match(String(listOf(json.import?.messages)[0]?.message), /may not read closed/)
    const named = await createDatabaseImport(client, reader, { tables: ['closed'] })
    assert.equal(named.json.import?.state, 'INIT_ERROR')
    assert.match(String(named.json.import?.message), /may not read table "closed"/)
  })

  const failures: [string, Record<string, unknown>, string[] | undefined, RegExp][] = [
    ['a wrong password', { passwd: 'wrong-password' }, undefined, /User "terrane" or its password is wrong/],
    ['an unknown user', { user: 'nobody-here' }, undefined, /User "nobody-here" or its password is wrong/],
    ['an unknown host', { host: 'nowhere.invalid' }, undefined, /Host "nowhere.invalid" is not known/],
    ['a port where nothing listens', { port: 1 }, undefined, /Nothing listens on 127.0.0.1 port 1/],
    ['an unknown database', { database: 'absent' }, undefined, /Database "absent" does not exist/],
    ['an unknown schema', { schema: 'absent' }, undefined, /Schema "absent" does not exist/],
    ['an unknown table', {}, ['absent', 'places'], /has no table "absent": there are places/],
  ]
  for (const [what, change, tables, message] of failures) {
    it(`are in INIT_ERROR for ${what}`, async () => {
      const parameters = { ...(await schemaWith(places)), ...change }
      const options = tables === undefined ? {} : { tables }
      const { status, json, text } = await createDatabaseImport(client, parameters, options)
      assert.equal(status, 201)
      assert.equal(json.import?.state, 'INIT_ERROR')
      assert.match(String(json.import?.message), message)
      assert.ok(!text.includes(String(parameters.passwd)))
    })
  }

  it('go on from INIT_ERROR when what was wrong is mended', async () => {
    const parameters = await schemaWith(places)
    const { json } = await createDatabaseImport(client, parameters, { tables: ['later'] })
    assert.equal(json.import?.state, 'INIT_ERROR')
    await runSql(
      await fileDatabase(),
      `create table "${parameters.schema}".later as select * from "${parameters.schema}".places`,
    )
    await client.call('POST', `/${json.import?.id}`)
    assert.deepEqual((await importState(client, Number(json.import?.id))).data?.tables, ['later'])
  })

  const refused: [string, Record<string, unknown>, RegExp][] = [
    ['an unknown dbtype', { dbtype: 'dbase' }, /dbtype "dbase" is unknown/],
    ['no user', { user: null }, /"user" is missing/],
    ['no database', { database: null }, /database/],
    ['a port that is none', { port: 99_999 }, /port/],
    [
      'a file outside the import roots',
      { dbtype: 'geopkg', database: '/etc/passwd' },
      /TERRANE_IMPORT_ROOTS/,
    ],
    [
      'a file that is not there',
      { dbtype: 'geopkg', database: 'absent.gpkg' },
      /Database file ".*absent.gpkg" does not exist/,
    ],
  ]
  for (const [what, change, message] of refused) {
    it(`are refused with 400 for ${what}, and nothing is kept`, async () => {
      const before = (await client.call('GET', '')).text
      const { status, json } = await createDatabaseImport(client, {
        ...databaseParameters(await fileDatabase()),
        ...change,
      })
      assert.equal(status, 400)
      assert.match(String(json.detail), message)
      assert.equal((await client.call('GET', '')).text, before)
    })
  }

  it('are refused for a workspace or store that is not there', async () => {
    for (const expected of [
      { targetWorkspace: { workspace: { name: 'absent' } } },
      { targetStore: { dataStore: { name: 'absent' } } },
    ]) {
      const { status } = await createDatabaseImport(client, databaseParameters(await fileDatabase()), {
        import: expected,
      })
      assert.equal(status, 400)
    }
  })
})
