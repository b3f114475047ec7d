import type { Area, HttpContext } from '../http/app-types.ts'
import { tokenEndpoints } from '../http/auth/routes.ts'
import { usersArea } from '../http/auth/users-area.ts'
import { catalogArea, stylesArea } from '../http/catalog/catalog-area.ts'
import { addEndpoints } from '../http/endpoint.ts'
import { healthEndpoints } from '../http/health.ts'
import { importerArea } from '../http/importer/importer-area.ts'
import { metricsArea } from '../http/metrics.ts'
import { monitoringArea } from '../http/monitoring/monitoring-area.ts'
import { ogcArea } from '../http/ogc/ogc-area.ts'
import { startPageArea } from '../http/start-page.ts'
import { FreeSpace } from '../lib/free-space.ts'

/** Every area of paths, each with the parts that its handlers work with. */
export function openAreas({
  version,
  catalog,
  importer,
  monitoring,
  directory,
  database,
  clock,
}: HttpContext): Area[] {
  const space = new FreeSpace(directory.root)
  return [
    startPageArea, // /, /rest, /monitoring
    (app) => addEndpoints(app, healthEndpoints, { version, importer, monitoring, space }),
    metricsArea, // /metrics
    usersArea, // /rest/security/users, /rest/security/self/password
    ogcArea, // /ogc
    (app) => addEndpoints(app, tokenEndpoints, { database, clock }), // /rest/security/tokens
    catalogArea({ catalog }), // /rest/workspaces, /rest/layers
    stylesArea({ catalog }), // /rest/styles, /rest/workspaces/<ws>/styles
    importerArea, // /rest/imports
    monitoringArea, // /monitoring
  ]
}
