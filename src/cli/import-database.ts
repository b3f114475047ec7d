import { resolve } from 'node:path'
import { ownValue } from '../core/values/record-keys.ts'
import { extensionOf } from '../formats/index.ts'
import { findDatabaseReader, findFileReader } from '../inputs/database/registry.ts'
import type { SessionContext, TargetOptions } from './import-context.ts'
import { importCreated, targetOf } from './import-session.ts'
import { readImport } from './import-views.ts'
import type { Environment } from './options.ts'
import { UsageError } from './options.ts'
import type { TaskOutcome } from './task-outcome.ts'

/** Connection parameters of a database as sent to the server. Contains a secret and is never shown. */
export interface NamedDatabase {
  /** Display name, without its password. */
  label: string
  parameters: Record<string, string | number>
}

/** Environment variable of a password that is not in the address. */
const passwordVariable = 'TERRANE_SOURCE_PASSWORD'

/** Parses the value of `--database`: an address with a scheme, or a file. Throws `UsageError`. */
export function parseDatabase(text: string, env: Environment): NamedDatabase {
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(text) ?? []
  return scheme === undefined || scheme.toLowerCase() === 'file'
    ? fileDatabase(text)
    : serverDatabase(text, env)
}

function fileDatabase(text: string): NamedDatabase {
  const path = resolve(text.replace(/^file:\/\//i, ''))
  const dbtype = findFileReader(extensionOf(path))?.type
  if (dbtype === undefined) {
    throw new UsageError(
      '--database is an address such as postgres://user@host/name, or a file: GeoPackage, SpatiaLite, SQLite',
    )
  }
  return { label: path, parameters: { dbtype, database: path } }
}

function serverDatabase(text: string, env: Environment): NamedDatabase {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // The address may contain a password, so it is not repeated.
  if (url === undefined)
    throw new UsageError('--database is not an address of the form postgres://user@host:port/name')
  const reader = findDatabaseReader(url.protocol.slice(0, -1))
  if (reader === undefined || reader.fileExtensions !== undefined)
    throw new UsageError(`--database does not know "${url.protocol}//": use postgres:// or mysql://`)
  const database = decodeURIComponent(url.pathname.slice(1))
  if (database === '') throw new UsageError('--database names no database: postgres://user@host:port/name')
  const password = url.password === '' ? env[passwordVariable] : decodeURIComponent(url.password)
  const named: Record<string, string | undefined> = {
    host: decodeURIComponent(url.hostname).replace(/^\[|\]$/g, ''),
    user: decodeURIComponent(url.username),
    ...optionsOf(url),
    passwd: password,
  }
  const given = Object.entries(named).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, value]],
  )
  const port: Record<string, number> = url.port === '' ? {} : { port: Number(url.port) }
  return {
    label: `${url.host}/${database}`,
    parameters: { dbtype: reader.type, database, ...Object.fromEntries(given), ...port },
  }
}

/** Connection parameters by their names in an address. */
const optionNames: Record<string, string> = { schema: 'schema', sslmode: 'SSL mode' }

function optionsOf(url: URL): Record<string, string> {
  return Object.fromEntries(
    [...url.searchParams].map(([name, value]) => {
      const parameter = ownValue(optionNames, name)
      if (parameter !== undefined) return [parameter, value]
      throw new UsageError(`--database takes ?schema=NAME and ?sslmode=MODE, not "${name}"`)
    }),
  )
}

/** Imports tables of a database and waits for the end. */
export function importDatabase(
  context: SessionContext,
  { label, parameters }: NamedDatabase,
  options: TargetOptions & { tables: string[] },
): Promise<TaskOutcome[]> {
  const { tables } = options
  const data = { type: 'database', parameters, tables: tables.length === 0 ? undefined : tables }
  return importCreated(context, label, options, async () =>
    readImport(
      await context.client.post('/rest/database-imports', { import: { ...targetOf(options), data } }),
    ),
  )
}
