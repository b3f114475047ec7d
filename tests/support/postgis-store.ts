import assert from 'node:assert/strict'
import { createPostgisStore } from '../../src/stores/postgis/postgis-store.ts'
import type { StoreParameters } from '../../src/stores/store.ts'
import type { StoreUnderTest } from '../contract/store-session.ts'
import { loadRows } from '../contract/store-session.ts'
import type { ImporterClient } from './importer-client.ts'
import { runSql, testCluster } from './postgres.ts'
import { traceSchema } from './store-traces.ts'
import { afterEachFile } from './test-file-hooks.ts'

/** The connection parameters of a PostGIS store over the database at `url`. */
export function storeParameters(url: string, schema = 'public'): StoreParameters {
  const { hostname, port, pathname, username, password } = new URL(url)
  return { host: hostname, port, database: pathname.slice(1), schema, user: username, passwd: password }
}

let database: Promise<string> | undefined
let schemas = 0

// Another file of this process gets another database: what a test finds in it does not depend on other files.
afterEachFile(() => {
  database = undefined
})

/** A new database of the test cluster for this test file, made once. */
export function fileDatabase(): Promise<string> {
  database ??= testCluster().then((cluster) => cluster.createDatabase())
  return database
}

/** A store over a new schema of the test file's database. */
export async function makePostgisStore(): Promise<StoreUnderTest & { schemaName: string }> {
  const url = await fileDatabase()
  schemas += 1
  const schemaName = `Schema ${schemas}`
  await runSql(url, `create schema "${schemaName}"`)
  const parameters = storeParameters(url, schemaName)
  const store = createPostgisStore(parameters)
  return {
    schemaName,
    store,
    lacks: [],
    execute: (sql) => runSql(url, sql.replaceAll('layer', `"${schemaName}".layer`)).then(() => undefined),
    trace: () => traceSchema(url, schemaName),
    fill: async (schema, rows) => void (await loadRows(store, { schema, rows })),
    reopen: () => createPostgisStore(parameters),
    dispose: async () => {
      await runSql(url, `drop schema "${schemaName}" cascade`)
    },
  }
}

/**
 * Adds a PostGIS store of that name to the default workspace, with a new schema in the database of the test
 * file.
 */
export async function addPostgisStore(
  { server }: ImporterClient,
  name: string,
): Promise<{ url: string; schema: string }> {
  const url = await fileDatabase()
  schemas += 1
  const schema = `store_${schemas}`
  await runSql(url, `create schema ${schema}`)
  const reply = await server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: server.admin,
    payload: { dataStore: { name, type: 'PostGIS', connectionParameters: storeParameters(url, schema) } },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return { url, schema }
}
