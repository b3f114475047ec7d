import type { App } from '../app-types.ts'
import { DatabaseImportBody, RunQuery } from './bodies.ts'
import { create } from './imports-area.ts'
import type { ImporterScope } from './scope.ts'
import { tags } from './scope.ts'
import { fromWireDatabase } from './wire-database.ts'

/**
 * `/rest/database-imports`: beside the importer's contract, which describes database data and does not create them. A
 * server that connects where it is told is for administrators alone.
 */
export function addDatabaseRoutes(app: App, scope: ImporterScope): void {
  app.post(
    '/rest/database-imports',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        tags,
        summary: 'Create an import of the tables of a database',
        querystring: RunQuery,
        body: DatabaseImportBody,
      },
    },
    (request, reply) => {
      const { data, ...wanted } = request.body.import
      const source = { type: 'database', database: fromWireDatabase(data) } as const
      return create(scope, request, reply, { wanted, source, query: request.query })
    },
  )
}
