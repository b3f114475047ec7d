import { tokenEndpoints } from './auth/routes.ts'
import { catalogEndpoints } from './catalog/routes.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { healthEndpoints } from './health.ts'
import { checkEndpoints } from './monitoring/routes.ts'

/** Every endpoint of the server, area by area; each table says method, path, who may call, what it counts as, and handler. */
export const endpoints: readonly AnyEndpoint[] = [
  ...healthEndpoints, // /health
  ...tokenEndpoints, // /rest/security/tokens
  ...checkEndpoints, // /monitoring/api/status, /monitoring/api/notifications
  ...catalogEndpoints, // /rest/workspaces, /rest/layers, /rest/styles
]
