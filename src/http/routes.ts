import type { Area } from './app-types.ts'
import { tokensArea } from './auth/tokens-area.ts'
import { usersArea } from './auth/users-area.ts'
import { coverageStoresArea } from './catalog/coverage-stores-area.ts'
import { dataStoresArea } from './catalog/data-stores-area.ts'
import { layersArea } from './catalog/layers-area.ts'
import { stylesArea } from './catalog/styles-area.ts'
import { workspacesArea } from './catalog/workspaces-area.ts'
import { healthArea } from './health.ts'
import { importerArea } from './importer/importer-area.ts'
import { metricsArea } from './metrics.ts'
import { monitoringArea } from './monitoring/monitoring-area.ts'
import { ogcArea } from './ogc/ogc-area.ts'
import { startPageArea } from './start-page.ts'

/** Every area of paths, one line each. */
export const areas: Area[] = [
  startPageArea, // /, /rest, /monitoring
  healthArea, // /health
  metricsArea, // /metrics
  usersArea, // /rest/security/users, /rest/security/self/password
  ogcArea, // /ogc
  tokensArea, // /rest/security/tokens
  workspacesArea, // /rest/workspaces
  dataStoresArea, // /rest/workspaces/<ws>/datastores
  coverageStoresArea, // /rest/workspaces/<ws>/coveragestores
  layersArea, // /rest/layers, /rest/workspaces/<ws>/layers
  stylesArea, // /rest/styles, /rest/workspaces/<ws>/styles
  importerArea, // /rest/imports
  monitoringArea, // /monitoring
]
