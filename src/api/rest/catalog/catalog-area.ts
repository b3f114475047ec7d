import type { Catalog } from '../../../catalog/catalog.ts'
import type { ApiArea, FastifyRequest } from '../../app-types.ts'
import { addEndpoints } from '../../endpoint.ts'
import type { ComparisonDeps, InventoryDeps, PublicAccessDeps, VersionDeps } from './catalog-deps.ts'
import {
  inventoryEndpoints,
  layerEndpoints,
  storeEndpoints,
  styleEndpoints,
  versionEndpoints,
  workspaceEndpoints,
} from './routes.ts'
import { documentTypes } from './style-documents.ts'

/** `/rest/workspaces` with their stores, and `/rest/layers`. */
export function catalogArea(deps: PublicAccessDeps & VersionDeps & ComparisonDeps & InventoryDeps): ApiArea {
  return (app) => {
    addEndpoints(app, workspaceEndpoints, deps)
    addEndpoints(app, storeEndpoints, deps)
    addEndpoints(app, inventoryEndpoints, deps)
    addEndpoints(app, layerEndpoints, deps)
    addEndpoints(app, versionEndpoints, deps)
  }
}

/** `/rest/styles`, and the styles of one workspace: their bodies may be documents. */
export function stylesArea(catalog: Catalog): ApiArea {
  return (app) => {
    for (const type of documentTypes)
      app.addContentTypeParser(
        type,
        { parseAs: 'string' },
        async (_request: FastifyRequest, body: string) => body,
      )
    addEndpoints(app, styleEndpoints, { catalog })
  }
}
