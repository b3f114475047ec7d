import { healthEndpoints } from './about/health.ts'
import { metricsEndpoints } from './about/metrics.ts'
import { nodeEndpoints } from './about/nodes.ts'
import { monitoringIndexEndpoints, startPageEndpoints } from './about/start-page.ts'
import {
  oidcEndpoints,
  ownAccountEndpoints,
  sessionEndpoints,
  tokenEndpoints,
  userEndpoints,
} from './auth/routes.ts'
import { basemapEndpoints } from './basemap/routes.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { ogcEndpoints } from './ogcapi/routes.ts'
import { owsEndpoints } from './ows/routes.ts'
import { auditEndpoints } from './rest/audit/routes.ts'
import { catalogEndpoints } from './rest/catalog/routes.ts'
import { downloadEndpoints } from './rest/downloads/routes.ts'
import { geoserverEndpoints } from './rest/geoserver/routes.ts'
import { groupEndpoints } from './rest/groups/routes.ts'
import { importerEndpoints } from './rest/importer/routes.ts'
import { jobEndpoints } from './rest/jobs/routes.ts'
import { mapEndpoints } from './rest/maps/routes.ts'
import {
  checkEndpoints,
  countedEndpoints,
  loadEndpoints,
  reportEndpoints,
  watchedEndpoints,
} from './rest/monitoring/routes.ts'
import { layerListEndpoints, stateEndpoints } from './rest/overview/routes.ts'
import { sourceEndpoints } from './rest/sources/routes.ts'
import { uploadEndpoints } from './rest/uploads/routes.ts'
import { permissionEndpoints } from './security/routes.ts'
import { stacEndpoints } from './stac/routes.ts'
import { pictureEndpoints } from './tiles/picture-routes.ts'
import { tileEndpoints } from './tiles/routes.ts'

/**
 * All endpoints of the server, area by area; each table lists method, path, access, event type and handler.
 */
export const endpoints: readonly AnyEndpoint[] = [
  ...startPageEndpoints, // /, /rest, /rest/security
  ...monitoringIndexEndpoints, // /monitoring, /monitoring/api
  ...healthEndpoints, // /health
  ...nodeEndpoints, // /rest/nodes
  ...jobEndpoints, // /rest/jobs
  ...metricsEndpoints, // /metrics
  ...userEndpoints, // /rest/security/users, /rest/security/self/password
  ...permissionEndpoints, // /rest/security/groups, /rest/security/permissions, /rest/security/access
  ...tokenEndpoints, // /rest/security/tokens
  ...sessionEndpoints, // /rest/security/session, /rest/security/sign-in
  ...oidcEndpoints, // /rest/security/oidc
  ...ownAccountEndpoints, // /rest/security/self
  ...auditEndpoints, // /rest/audit
  ...watchedEndpoints, // /monitoring/api/hosts, /monitoring/api/services
  ...countedEndpoints, // /monitoring/api/metric_data and what it names
  ...reportEndpoints, // /monitoring/api/report, /monitoring/tiles/demand
  ...loadEndpoints, // /monitoring/api/load
  ...checkEndpoints, // /monitoring/api/status, /monitoring/api/notifications
  ...ogcEndpoints, // /ogc
  ...stacEndpoints, // /stac
  ...tileEndpoints, // /tiles
  ...pictureEndpoints, // /tiles
  ...downloadEndpoints, // /rest/layers/<layer>/exports, /rest/downloads
  ...catalogEndpoints, // /rest/workspaces, /rest/catalogue/workspaces, /rest/catalogue/stores, /rest/layers, /rest/styles
  ...importerEndpoints, // /rest/imports
  ...basemapEndpoints, // /assets/basemap
  ...uploadEndpoints, // /rest/uploads
  ...sourceEndpoints, // /rest/sources
  ...owsEndpoints, // /wms
  ...groupEndpoints, // /rest/layergroups
  ...geoserverEndpoints, // /rest/namespaces, /rest/about, /rest/settings, /rest/services, /rest/security/acl, /gwc/rest
  ...mapEndpoints, // /rest/maps
  ...layerListEndpoints, // /rest/catalogue/layers
  ...stateEndpoints, // /rest/state
]
