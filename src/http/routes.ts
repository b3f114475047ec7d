import { sessionEndpoints, tokenEndpoints, userEndpoints } from './auth/routes.ts'
import { catalogEndpoints } from './catalog/routes.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { healthEndpoints } from './health.ts'
import { metricsEndpoints } from './metrics.ts'
import { checkEndpoints } from './monitoring/routes.ts'
import { monitoringIndexEndpoints, startPageEndpoints } from './start-page.ts'

/** Every endpoint of the server, area by area; each table says method, path, who may call, what it counts as, and handler. */
export const endpoints: readonly AnyEndpoint[] = [
  ...startPageEndpoints, // /, /rest, /rest/security
  ...monitoringIndexEndpoints, // /monitoring, /monitoring/api
  ...healthEndpoints, // /health
  ...metricsEndpoints, // /metrics
  ...userEndpoints, // /rest/security/users, /rest/security/self/password
  ...tokenEndpoints, // /rest/security/tokens
  ...sessionEndpoints, // /rest/security/session
  ...catalogEndpoints, // /rest/workspaces, /rest/layers, /rest/styles
  ...checkEndpoints, // /monitoring/api/status, /monitoring/api/notifications
]
