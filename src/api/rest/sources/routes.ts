import { endpoint } from '../../endpoint.ts'
import {
  acceptSourceRun,
  changeSource,
  createSource,
  listSourceRuns,
  listSources,
  removeSource,
  runSource,
  showSource,
  showSourceRun,
} from './sources.ts'

/** `/rest/sources` */
export const sourceEndpoints = [
  endpoint('GET', '/rest/sources', 'staff', 'view', { listSources }),
  endpoint('POST', '/rest/sources', 'staff', 'create', { createSource }),
  endpoint('GET', '/rest/sources/:source', 'staff', 'view', { showSource }),
  endpoint('PUT', '/rest/sources/:source', 'staff', 'create', { changeSource }),
  endpoint('DELETE', '/rest/sources/:source', 'staff', 'remove', { removeSource }),
  endpoint('POST', '/rest/sources/:source/run', 'staff', 'publish', { runSource }),
  endpoint('GET', '/rest/sources/:source/runs', 'staff', 'view', { listSourceRuns }),
  endpoint('GET', '/rest/sources/:source/runs/:run', 'staff', 'view', { showSourceRun }),
  endpoint('POST', '/rest/sources/:source/runs/:run/accept', 'staff', 'publish', { acceptSourceRun }),
]
