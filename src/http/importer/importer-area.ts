import type { ContextArea } from '../app-types.ts'
import { ImportBody } from './bodies.ts'
import { addDatabaseRoutes } from './database-area.ts'
import { addFileRoutes } from './files-area.ts'
import { addImportDataRoutes, addImportRoutes } from './imports-area.ts'
import type { ImporterScope } from './scope.ts'
import { addLayerRoutes, addTaskDataRoutes, addTaskRoutes } from './tasks-area.ts'
import { addTransformRoutes } from './transforms-area.ts'
import { addUploadRoutes } from './uploads-area.ts'
import { addWatchRoutes } from './watch-area.ts'

/** `/rest/imports` and everything below, and `/rest/database-imports` beside it. */
export const importerArea: ContextArea = async (app, context) => {
  const scope: ImporterScope = { context, importer: context.importer }
  app.addHook('preValidation', async (request) => {
    const isCreation = request.routeOptions.schema?.body === ImportBody
    if (isCreation && request.body === undefined) request.body = {}
  })
  addImportRoutes(app, scope)
  addImportDataRoutes(app, scope)
  addDatabaseRoutes(app, scope)
  addFileRoutes(app, scope)
  addTaskRoutes(app, scope)
  addTaskDataRoutes(app, scope)
  addLayerRoutes(app, scope)
  addTransformRoutes(app, scope)
  addWatchRoutes(app, scope)
  await addUploadRoutes(app, scope)
}
