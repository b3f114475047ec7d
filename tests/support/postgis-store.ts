import { createPostgisStore } from '../../src/stores/postgis/postgis-store.ts'
import type { StoreParameters } from '../../src/stores/store.ts'
import type { StoreUnderTest } from '../contract/store-session.ts'
import { loadRows } from '../contract/store-session.ts'
import { runSql, testCluster } from './postgres.ts'
import { traceSchema } from './store-traces.ts'

/** The connection parameters of a PostGIS store over the database at `url`. */
export function storeParameters(url: string, schema = 'public'): StoreParameters {
  const { hostname, port, pathname, username, password } = new URL(url)
  return { host: hostname, port, database: pathname.slice(1), schema, user: username, passwd: password }
}

let database: Promise<string> | undefined
let schemas = 0

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
    trace: () => traceSchema(url, schemaName),
    fill: async (schema, rows) => void (await loadRows(store, { schema, rows })),
    reopen: () => createPostgisStore(parameters),
    dispose: async () => {
      await runSql(url, `drop schema "${schemaName}" cascade`)
    },
  }
}
