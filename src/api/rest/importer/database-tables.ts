import { Type } from 'typebox'
import { geometryTypes } from '../../../geo/schema.ts'
import type { Importer } from '../../../importer/index.ts'
import { operation } from '../../endpoint.ts'
import { clientSignal } from '../../request-properties.ts'
import { DatabaseData, readDatabaseBody } from './database-response.ts'

const Table = Type.Object({
  name: Type.String(),
  columns: Type.Integer(),
  geometryType: Type.Optional(Type.Union(geometryTypes.map((one) => Type.Literal(one)))),
  srs: Type.Optional(Type.String()),
  rows: Type.Optional(Type.Integer({ description: 'Estimate of the database, without counting' })),
})

/** Stores nothing: for selecting tables before an import is created. */
export const listDatabaseTables = operation({
  summary: 'List the tables of a database that an import can load',
  description: 'Does not store the connection.',
  tags: ['importer'],
  body: Type.Object({ data: DatabaseData }),
  answers: { 200: Type.Object({ tables: Type.Array(Table), messages: Type.Array(Type.String()) }) },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const databaseRequest = readDatabaseBody(request.body.data)
    const { tables, messages } = await importer.databaseTables(databaseRequest, clientSignal(reply))
    return {
      tables: tables.map(({ name, schema, featureCount }) => ({
        name,
        columns: schema.attributes.length,
        geometryType: schema.geometry?.type,
        srs: schema.geometry?.crs?.srs,
        rows: featureCount,
      })),
      messages: messages.map(({ message }) => message),
    }
  },
})
