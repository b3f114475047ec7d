import { endpoint } from '../../endpoint.ts'
import { changeMap, createMap, deleteMap, listMaps, showMap } from './maps.ts'

/** Saved maps. */
export const mapEndpoints = [
  endpoint('GET', '/rest/maps', 'public', 'view', { listMaps }),
  endpoint('POST', '/rest/maps', 'user', 'create', { createMap }),
  endpoint('GET', '/rest/maps/:map', 'public', 'view', { showMap }),
  endpoint('PUT', '/rest/maps/:map', 'user', 'change', { changeMap }),
  endpoint('DELETE', '/rest/maps/:map', 'user', 'remove', { deleteMap }),
]
