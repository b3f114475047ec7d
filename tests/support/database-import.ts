import { defined } from '../../src/core/values/defined.ts'
import type { DatabaseConnection } from '../../src/inputs/database/database.ts'
import type { Answer, ImporterClient, Json } from './importer-client.ts'
import { fileDatabase } from './postgis-store.ts'
import { runSql } from './postgres.ts'

/** The `parameters` of an import of the database at `url`. */
export function databaseParameters(url: string, others: Record<string, unknown> = {}) {
  const { hostname, port, pathname, username, password } = new URL(url)
  const place = { dbtype: 'postgis', host: hostname, port: Number(port), database: pathname.slice(1) }
  return { ...place, user: username, passwd: password, ...others }
}

export interface DatabaseImportOptions {
  tables?: string[]
  /** Further keys of the import, such as `targetStore`. */
  import?: Record<string, unknown>
  query?: string
  headers?: Record<string, string>
}

/** Creates an import from a database. */
export async function createDatabaseImport(
  { server }: ImporterClient,
  parameters: Record<string, unknown>,
  options: DatabaseImportOptions = {},
): Promise<Answer> {
  const { tables, query = '', headers = {} } = options
  const data = { type: 'database', parameters, ...defined({ tables }) }
  const reply = await server.app.inject({
    method: 'POST',
    url: `/rest/database-imports${query}`,
    headers: { ...server.admin, ...headers },
    payload: { import: { ...options.import, data } },
  })
  return {
    status: reply.statusCode,
    headers: reply.headers,
    json: (reply.body === '' ? {} : JSON.parse(reply.body)) as Json,
    text: reply.body,
  }
}

/** The connection to the database at `url`, in its schema `public`. */
export function databaseConnection(url: string): DatabaseConnection {
  const { hostname, port, pathname, username, password } = new URL(url)
  const place = { host: hostname, port: Number(port), database: pathname.slice(1), schema: 'public' }
  return { type: 'postgis', ...place, user: username, password }
}

/** A table of two named points. */
export const places = `create table places (id serial primary key, name text, geom geometry(Point, 4326));
  insert into places (name, geom) values ('a', 'SRID=4326;POINT(1 2)'), ('b', 'SRID=4326;POINT(3 4)')`

let schemas = 0

/** Connection parameters of a new schema of the test file's database, in which `statements` were run. */
export async function schemaWith(statements: string): Promise<SchemaParameters> {
  const url = await fileDatabase()
  schemas += 1
  const schema = `source ${schemas}`
  await runSql(url, `create schema "${schema}"; set search_path = "${schema}", public; ${statements}`)
  return { ...databaseParameters(url), schema }
}

export type SchemaParameters = ReturnType<typeof databaseParameters> & { schema: string }

/** An import to its third level. */
export async function importState(client: ImporterClient, id = 0): Promise<Json> {
  const { json } = await client.call('GET', `/${id}?expand=3`)
  return json.import as Json
}
