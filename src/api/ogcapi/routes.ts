import type { ApiArea, App, FastifyRequest } from '../app-types.ts'
import { addEndpoints, endpoint } from '../endpoint.ts'
import { answerFailures } from '../errors.ts'
import { writeProblemPage } from './as-html.ts'
import { CachedCounts } from './cached-counts.ts'
import { CachedValues } from './cached-values.ts'
import { CloudOptimizedCopies } from './cloud-optimized.ts'
import { describeCollection, getCollections, getQueryables, getSchema, getSortables } from './collections.ts'
import { getCoverage, getCoverageFile, getGranule, getGranuleFile, getGranules } from './coverages.ts'
import { getDownload } from './download.ts'
import {
  createFeature,
  deleteFeature,
  describeFeature,
  describeFeatures,
  replaceFeature,
  updateFeature,
} from './edits.ts'
import { getFeature, getFeatures } from './features.ts'
import { getFunctions } from './functions.ts'
import { getApi, getConformance, getLandingPage } from './landing-page.ts'
import { mapEndpoints } from './maps/routes.ts'
import type { OgcDeps } from './ogc-deps.ts'
import { PageTokens } from './page-token.ts'
import { recordEndpoints } from './records/routes.ts'
import { styleEndpoints } from './styles/routes.ts'
import {
  getCollectionTile,
  getCollectionTileset,
  getCollectionTilesets,
} from './tilesets/collection-tiles.ts'
import { getDatasetTile, getDatasetTileset, getDatasetTilesets } from './tilesets/dataset-tiles.ts'
import { getTileMatrixSet, getTileMatrixSetsList } from './tilesets/tile-matrix-sets.ts'

/** Tiles count as those of `/tiles`. */
const tilesetEndpoints = [
  endpoint('GET', '/ogc/tileMatrixSets', 'public', 'OWS:TMS', { getTileMatrixSetsList }),
  endpoint('GET', '/ogc/tileMatrixSets/:tileMatrixSetId', 'public', 'OWS:TMS', { getTileMatrixSet }),
  endpoint('GET', '/ogc/tiles', 'public', 'OWS:TMS', { getDatasetTilesets }),
  endpoint('GET', '/ogc/tiles/:tileMatrixSetId', 'public', 'OWS:TMS', { getDatasetTileset }),
  endpoint('GET', '/ogc/tiles/:tileMatrixSetId/:tileMatrix/:tileRow/:tileCol', 'public', 'OWS:TMS', {
    getDatasetTile,
  }),
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

const items = '/ogc/collections/:collectionId/items'
const item = `${items}/:featureId`

/** Changing features is for those who may load them. */
const editEndpoints = [
  endpoint('OPTIONS', items, 'public', 'OWS:WFS', { describeFeatures }),
  endpoint('POST', items, 'layer:edit', 'OWS:WFS', { createFeature }),
  endpoint('OPTIONS', item, 'public', 'OWS:WFS', { describeFeature }),
  endpoint('PUT', item, 'layer:edit', 'OWS:WFS', { replaceFeature }),
  endpoint('PATCH', item, 'layer:edit', 'OWS:WFS', { updateFeature }),
  endpoint('DELETE', item, 'layer:edit', 'OWS:WFS', { deleteFeature }),
]

/** `/ogc`. All requests about a raster layer count as `OWS:WCS`. */
export const ogcEndpoints = [
  endpoint('GET', '/ogc', 'public', 'OWS:WFS', { getLandingPage }),
  endpoint('GET', '/ogc/conformance', 'public', 'OWS:WFS', { getConformance }),
  endpoint('GET', '/ogc/api', 'public', 'OWS:WFS', { getApi }),
  endpoint('GET', '/ogc/functions', 'public', 'OWS:WFS', { getFunctions }),
  endpoint('GET', '/ogc/collections', 'public', 'OWS:WFS', { getCollections }),
  endpoint('GET', '/ogc/collections/:collectionId', 'public', 'OWS:WFS', { describeCollection }),
  endpoint('GET', '/ogc/collections/:collectionId/schema', 'public', 'OWS:WFS', { getSchema }),
  endpoint('GET', '/ogc/collections/:collectionId/queryables', 'public', 'OWS:WFS', { getQueryables }),
  endpoint('GET', '/ogc/collections/:collectionId/sortables', 'public', 'OWS:WFS', { getSortables }),
  endpoint('GET', items, 'public', 'OWS:WFS', { getFeatures }),
  endpoint('GET', item, 'public', 'OWS:WFS', { getFeature }),
  ...editEndpoints,
  endpoint('GET', '/ogc/collections/:collectionId/download', 'public', 'OWS:WFS', { getDownload }),
  endpoint('GET', '/ogc/collections/:collectionId/granules', 'public', 'OWS:WCS', { getGranules }),
  endpoint('GET', '/ogc/collections/:collectionId/granules/:featureId', 'public', 'OWS:WCS', { getGranule }),
  endpoint('GET', '/ogc/collections/:collectionId/granules/:featureId/file/:fileName', 'public', 'OWS:WCS', {
    getGranuleFile,
  }),
  endpoint('GET', '/ogc/collections/:collectionId/coverage', 'public', 'OWS:WCS', { getCoverage }),
  endpoint('GET', '/ogc/collections/:collectionId/file/:fileName', 'public', 'OWS:WCS', { getCoverageFile }),
  ...tilesetEndpoints,
  ...recordEndpoints,
  ...mapEndpoints,
  ...styleEndpoints,
]

/**
 * OGC API Features, core and CRS by reference (OGC 17-069r4 and 18-058r1), for every published layer.
 * `secret` signs page tokens.
 */
export function ogcArea({
  secret,
  ...parts
}: Omit<OgcDeps, 'kept' | 'pageTokens'> & { secret: Uint8Array }): ApiArea {
  const { layers } = parts.catalog
  const kept = { counts: new CachedCounts(layers), values: new CachedValues(layers) }
  const pageTokens = new PageTokens(secret)
  const cogs = new CloudOptimizedCopies(parts.downloads, layers)
  return (app) => {
    app.decorate('html', { ...parts.pages, version: parts.version })
    answerFailures(app, writeProblemPage)
    app.register(async (scope) => void scope.setNotFoundHandler(app.answerUnknownPath), { prefix: '/ogc' })
    keepBodies(app)
    addEndpoints(app, ogcEndpoints, { ...parts, kept, pageTokens, cogs })
  }
}

/** Features that are sent are read by the thread that writes them, digit by digit. */
function keepBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
}
