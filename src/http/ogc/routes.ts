import { endpoint } from '../endpoint.ts'
import { describeCollection, getCollections, getSchema } from './collections.ts'
import { getCoverageFile, getGranule, getGranuleFile, getGranules } from './coverages.ts'
import { getFeature, getFeatures } from './features.ts'
import { getApi, getConformance, getLandingPage } from './landing-page.ts'
import {
  getCollectionTile,
  getCollectionTileset,
  getCollectionTilesets,
} from './tilesets/collection-tiles.ts'
import { getTileMatrixSet, getTileMatrixSetsList } from './tilesets/tile-matrix-sets.ts'

/** Tiles count as those of `/tiles`. */
const tilesetEndpoints = [
  endpoint('GET', '/ogc/tileMatrixSets', 'public', 'OWS:TMS', { getTileMatrixSetsList }),
  endpoint('GET', '/ogc/tileMatrixSets/:tileMatrixSetId', 'public', 'OWS:TMS', { getTileMatrixSet }),
  endpoint('GET', '/ogc/collections/:collectionId/tiles', 'public', 'OWS:TMS', { getCollectionTilesets }),
  endpoint('GET', '/ogc/collections/:collectionId/tiles/:tileMatrixSetId', 'public', 'OWS:TMS', {
    getCollectionTileset,
  }),
  endpoint(
    'GET',
    '/ogc/collections/:collectionId/tiles/:tileMatrixSetId/:tileMatrix/:tileRow/:tileCol',
    'public',
    'OWS:TMS',
    { getCollectionTile },
  ),
]

/** `/ogc`. What is asked about a layer of rasters counts as `OWS:WCS` in any case. */
export const ogcEndpoints = [
  endpoint('GET', '/ogc', 'public', 'OWS:WFS', { getLandingPage }),
  endpoint('GET', '/ogc/conformance', 'public', 'OWS:WFS', { getConformance }),
  endpoint('GET', '/ogc/api', 'public', 'OWS:WFS', { getApi }),
  endpoint('GET', '/ogc/collections', 'public', 'OWS:WFS', { getCollections }),
  endpoint('GET', '/ogc/collections/:collectionId', 'public', 'OWS:WFS', { describeCollection }),
  endpoint('GET', '/ogc/collections/:collectionId/schema', 'public', 'OWS:WFS', { getSchema }),
  endpoint('GET', '/ogc/collections/:collectionId/items', 'public', 'OWS:WFS', { getFeatures }),
  endpoint('GET', '/ogc/collections/:collectionId/items/:featureId', 'public', 'OWS:WFS', { getFeature }),
  endpoint('GET', '/ogc/collections/:collectionId/granules', 'public', 'OWS:WCS', { getGranules }),
  endpoint('GET', '/ogc/collections/:collectionId/granules/:featureId', 'public', 'OWS:WCS', { getGranule }),
  endpoint('GET', '/ogc/collections/:collectionId/granules/:featureId/file/:fileName', 'public', 'OWS:WCS', {
    getGranuleFile,
  }),
  endpoint('GET', '/ogc/collections/:collectionId/file/:fileName', 'public', 'OWS:WCS', { getCoverageFile }),
  ...tilesetEndpoints,
]
