import { Failure } from '../../../core/errors/errors.ts'
import { keepPrivately } from '../../caching.ts'
import { sendDownload, waitForDownload } from '../../ogcapi/generated-download.ts'
import type { FeatureDeps, OwsCatalog, OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { readFeatureRequest } from './kvp-feature-request.ts'
import type { LayerQuery } from './layer-query.ts'
import { toLayerQueries } from './layer-query.ts'
import { readOutputFormat } from './output-formats.ts'
import { sendFeaturePage, sendHits } from './send-page.ts'
import { sendSeveral } from './send-several.ts'
import { sendById, storedId } from './v2/stored-queries.ts'
import type { FeatureRequest, WfsRequest } from './wfs-request.ts'

const gmlOfVersion = { '2.0.0': 'gml32', '1.1.0': 'gml31', '1.0.0': 'gml21' } as const

/** Maximum time that a client waits for a Shapefile. */
const maxWaitSeconds = 300

/** Sends features of types (OGC 09-025r2, section 11; 04-094, section 9). */
export async function getFeature(
  { catalog, features: featureDeps, documents }: Pick<OwsDeps, 'catalog' | 'features' | 'documents'>,
  wfsRequest: WfsRequest,
): Promise<unknown> {
  const id = storedId(wfsRequest)
  if (id !== undefined)
    return sendById(catalog, wfsRequest, id, (one) => sendFeatures(catalog, featureDeps, wfsRequest, one))
  const { features, values } = wfsRequest
  return sendFeatures(
    catalog,
    featureDeps,
    wfsRequest,
    features ?? (await readFeatureRequest(values, documents)),
  )
}

async function sendFeatures(
  catalog: OwsCatalog,
  features: FeatureDeps,
  wfsRequest: WfsRequest,
  featureRequest: FeatureRequest,
): Promise<unknown> {
  const { name: output, mediaType } = readOutputFormat(featureRequest.outputFormat, wfsRequest.version)
  const queries = await toLayerQueries(catalog, wfsRequest, featureRequest)
  const [query, ...others] = queries
  if (query === undefined)
    throw new OwsFailure('MissingParameterValue', 'The parameter TYPENAMES is missing', 'typenames')
  keepPrivately(wfsRequest.reply)
  const reads = { layers: catalog.layers, ...features }
  if (featureRequest.resultType === 'hits')
    return sendHits(reads, wfsRequest, queries, gmlOfVersion[wfsRequest.version])
  if (output === 'shape-zip') {
    if (others.length > 0)
      throw new OwsFailure(
        'InvalidParameterValue',
        'A Shapefile contains one feature type: request each type separately',
        'outputformat',
      )
    return sendShapeZip(features, wfsRequest, query, featureRequest)
  }
  return others.length > 0
    ? sendSeveral(reads, wfsRequest, queries, { ...featureRequest, output, mediaType })
    : sendFeaturePage(reads, wfsRequest, query, { ...featureRequest, output, mediaType })
}

/** Sends features as a zipped Shapefile, created like a download. */
async function sendShapeZip(
  { downloads }: Pick<OwsDeps['features'], 'downloads'>,
  { request, reply }: WfsRequest,
  { layer, rows, responseCrs }: LayerQuery,
  { count, startIndex }: FeatureRequest,
): Promise<unknown> {
  if (layer.details.schema.geometry === undefined)
    throw new OwsFailure(
      'InvalidParameterValue',
      `A Shapefile cannot store rows without geometry, and layer "${layer.name}" has none: request csv`,
      'outputformat',
    )
  const { box, filter, selection } = rows
  const { sort, featureIds } = rows.query
  const page = { limit: count, offset: startIndex === 0 ? undefined : startIndex, sort, featureIds }
  const { name } = request.caller
  const record = await downloads.begin(
    layer,
    { format: 'shp', page, box, filter, srs: responseCrs?.srs, properties: selection?.attributes },
    { user: name ?? '', owner: name ?? `anonymous ${request.ip}`, isBrief: true },
  )
  const made = await waitForDownload(downloads, record, maxWaitSeconds, reply)
  if (made.state === 'COMPLETE') return sendDownload(downloads, made, request, reply)
  await downloads.files.remove(record.id)
  if (made.message !== undefined) throw new Failure('unavailable', 'download-failed', made.message)
  const text = `Creating the file took longer than ${maxWaitSeconds} s: request less data`
  throw new Failure('unavailable', 'too-slow', text)
}
