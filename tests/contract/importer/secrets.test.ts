import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { createDatabaseImport, places, schemaWith } from '../../support/database-import.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { untilPrepared } from '../../support/remote-client.ts'
import { startWebServer } from '../../support/web-server.ts'

const remotePassword = 'tr0ub4dor&3'

/** Every row of every table of our own database, as text. */
async function everything({ server }: ImporterClient): Promise<string> {
  const { kysely } = server.database
  const texts: string[] = []
  for (const { name, schema = 'public' } of await kysely.introspection.getTables()) {
    if (name === 'spatial_ref_sys' || schema !== 'public') continue
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(kysely)
    texts.push(`${name} ${JSON.stringify(rows)}`)
  }
  return texts.join('\n')
}

for (const catalogue of ['SQLite', 'PostgreSQL'] as const) {
  describe(`secrets in a catalogue in ${catalogue}`, () => {
    it('are sealed: of remote data, of a database, and of a PostGIS store', async (test) => {
      const env = {
        TERRANE_REMOTE_ALLOW: '127.0.0.1',
        ...(catalogue === 'SQLite' ? {} : { TERRANE_DATABASE_URL: await createCatalogDatabase() }),
      }
      const client = await startImporter(test, { env })
      const base = await startWebServer(test, (_request, reply) => {
        reply.end(readFileSync('tests/fixtures/geojson/valid.geojson'))
      })
      const data = { type: 'remote', location: `${base}/a.geojson`, username: 'u', password: remotePassword }
      assert.equal((await client.call('POST', '?async=true', { import: { data } })).status, 201)
      assert.equal((await untilPrepared(client, 0)).state, 'PENDING')
      const parameters = await schemaWith(places)
      assert.equal((await createDatabaseImport(client, parameters)).status, 201)
      const { app, admin: headers } = client.server
      const dataStore = { name: 'db', type: 'PostGIS', connectionParameters: parameters }
      const url = '/rest/workspaces/default/datastores'
      const made = await app.inject({ method: 'POST', url, headers, payload: { dataStore } })
      assert.equal(made.statusCode, 201, made.body)

      const before = await everything(client)
      assert.match(before, /imports .*sealedPassword/)
      for (const secret of [remotePassword, parameters.passwd]) assert.ok(!before.includes(secret))

      assert.equal((await client.call('POST', '/0')).status, 204)
      const { kysely } = client.server.database
      const rows = await kysely.selectFrom('imports').select('document').where('id', '=', 0).execute()
      assert.doesNotMatch(JSON.stringify(rows), /sealedPassword/, 'it goes when the import is complete')
      for (const secret of [remotePassword, parameters.passwd])
        assert.ok(!(await everything(client)).includes(secret))
    })
  })
}
