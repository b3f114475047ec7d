import type { Static } from 'typebox'
import { Type } from 'typebox'
import { hiddenSecret } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import { findTlsMode, tlsNames } from '../../../core/postgres/address.ts'
import { defined } from '../../../core/values/defined.ts'
import type { DatabaseRequest, DatabaseSource, TaskRecord } from '../../../importer/index.ts'
import { databaseReaders, findDatabaseReader, getDatabaseReader } from '../../../inputs/database/registry.ts'

const maxTables = 10_000
const text = Type.String({ minLength: 1, maxLength: 1000 })

/** Connection parameters by the contract's names, without those that have no meaning here. */
const Parameters = Type.Object({
  dbtype: text,
  database: text,
  host: Type.Optional(text),
  port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  schema: Type.Optional(text),
  user: Type.Optional(text),
  passwd: Type.Optional(Type.String({ maxLength: 10_000 })),
  'SSL mode': Type.Optional(Type.String()),
})

export const DatabaseData = Type.Object({
  type: Type.Optional(Type.Literal('database')),
  parameters: Parameters,
  tables: Type.Optional(Type.Array(text, { minItems: 1, maxItems: maxTables })),
})
export type DatabaseDataInput = Static<typeof DatabaseData>

export function readDatabaseBody({ parameters, tables }: DatabaseDataInput): DatabaseRequest {
  const { dbtype, passwd, 'SSL mode': mode, ...place } = parameters
  const type = findDatabaseReader(dbtype)?.type
  if (type === undefined) {
    const known = databaseReaders.flatMap(({ type, aliases }) => [type, ...aliases]).join(', ')
    throw invalid('unknown-database-type', `dbtype "${dbtype}" is unknown: use ${known}`)
  }
  const tls = mode === undefined ? undefined : findTlsMode(mode)
  if (mode !== undefined && tls === undefined) {
    throw invalid('database-connection', `SSL mode "${mode}" is unknown: use ${tlsNames.join(', ')}`)
  }
  return {
    connection: { type, ...place, tls, password: passwd },
    tables: tables === undefined ? undefined : [...new Set(tables)],
  }
}

/** Returns all connection parameters of the contract, absent ones null; a password reads `********`. */
function toParametersResponse({
  place,
  sealedPassword,
}: DatabaseSource): Record<string, string | number | null> {
  return {
    schema: place.schema ?? null,
    'fetch size': null,
    'validate connections': null,
    'Connection timeout': null,
    'Primary key metadata table': null,
    preparedStatements: null,
    database: place.database,
    port: place.port ?? null,
    passwd: sealedPassword === undefined ? null : hiddenSecret,
    'min connections': null,
    dbtype: place.type,
    host: place.host ?? null,
    'Loose bbox': null,
    'max connections': null,
    user: place.user ?? null,
    ...defined({ 'SSL mode': place.tls }),
  }
}

export function toDatabaseResponse(source: DatabaseSource, href: string) {
  return {
    type: 'database',
    format: getDatabaseReader(source.place).format,
    href,
    parameters: toParametersResponse(source),
    tables: source.tables,
  }
}

export function toTableResponse(task: TaskRecord, name: string, href: string) {
  return { type: 'table', name, format: task.format ?? null, href }
}
