import type { Area, FastifyRequest } from '../app-types.ts'
import { addEndpoints } from '../endpoint.ts'
import type {
  CatalogParts,
  ComparisonParts,
  InventoryParts,
  PublicityParts,
  VersionParts,
} from './catalog-parts.ts'
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
export function catalogArea(parts: PublicityParts & VersionParts & ComparisonParts & InventoryParts): Area {
  return (app) => {
    addEndpoints(app, workspaceEndpoints, parts)
    addEndpoints(app, storeEndpoints, parts)
    addEndpoints(app, inventoryEndpoints, parts)
    addEndpoints(app, layerEndpoints, parts)
    addEndpoints(app, versionEndpoints, parts)
  }
}

/** `/rest/styles`, and the styles of one workspace: their bodies may be documents. */
export function stylesArea(parts: CatalogParts): Area {
  return (app) => {
    for (const type of documentTypes)
      app.addContentTypeParser(
        type,
        { parseAs: 'string' },
        async (_request: FastifyRequest, body: string) => body,
      )
    addEndpoints(app, styleEndpoints, parts)
  }
}
