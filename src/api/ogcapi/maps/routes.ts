import { endpoint } from '../../endpoint.ts'
import { getCollectionMap, getStyledMap } from './map.ts'

const collection = '/ogc/collections/:collectionId'

/** Pictures count as those of a map server do. */
export const mapEndpoints = [
  endpoint('GET', `${collection}/map`, 'public', 'OWS:WMS', { getCollectionMap }),
  endpoint('GET', `${collection}/styles/:styleId/map`, 'public', 'OWS:WMS', { getStyledMap }),
]
