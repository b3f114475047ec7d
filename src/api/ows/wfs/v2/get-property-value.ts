import type { Filter } from '../../../../filters/filter.ts'
import { allOf, notOf } from '../../../../filters/filter.ts'
import type { Schema } from '../../../../geo/schema.ts'
import type { PropertySelection } from '../../../../stores/index.ts'
import { keepPrivately } from '../../../caching.ts'
import type { OwsDeps } from '../../ows-deps.ts'
import { OwsFailure } from '../../ows-failure.ts'
import { findProperty, isUnusedGml, requireProperty } from '../../property-names.ts'
import type { RequestDocuments } from '../../request-documents.ts'
import { readFeatureRequest } from '../kvp-feature-request.ts'
import type { LayerQuery } from '../layer-query.ts'
import { toLayerQueries } from '../layer-query.ts'
import { readOutputFormat } from '../output-formats.ts'
import { sendFeaturePage, sendHits } from '../send-page.ts'
import type { FeatureRequest, WfsRequest } from '../wfs-request.ts'
import { byIdRequest, storedId } from './stored-queries.ts'

const format = 'application/gml+xml; version=3.2'

/** Sends the values of one property of the features of a type, without nulls (OGC 09-025r2, section 10). */
export async function getPropertyValue(
  { catalog, features, documents }: Pick<OwsDeps, 'catalog' | 'features' | 'documents'>,
  wfsRequest: WfsRequest,
): Promise<unknown> {
  if (wfsRequest.version !== '2.0.0')
    throw new OwsFailure(
      'OperationNotSupported',
      'GetPropertyValue needs WFS 2.0: set VERSION=2.0.0',
      'request',
    )
  const reference = requireReference(wfsRequest)
  const featureRequest = await toFeatureRequest(documents, wfsRequest)
  const { name, mediaType } = readOutputFormat(featureRequest.outputFormat, wfsRequest.version)
  if (name !== 'gml32')
    throw new OwsFailure('InvalidParameterValue', `Values are written as ${format} alone`, 'outputformat')
  const [found, ...others] = await toLayerQueries(catalog, wfsRequest, featureRequest)
  if (found === undefined)
    throw new OwsFailure('MissingParameterValue', 'The parameter TYPENAMES is missing', 'typenames')
  if (others.length > 0)
    throw new OwsFailure(
      'InvalidParameterValue',
      'GetPropertyValue returns values of one feature type: request each type separately',
      'typenames',
    )
  const query = toValueQuery(found, reference)
  keepPrivately(wfsRequest.reply)
  const reads = { layers: catalog.layers, ...features }
  return featureRequest.resultType === 'hits'
    ? sendHits(reads, wfsRequest, [query], 'values')
    : sendFeaturePage(reads, wfsRequest, query, { ...featureRequest, output: 'values', mediaType })
}

function requireReference({ values }: WfsRequest): string {
  const [given] = values.all(/^valuereference$/)
  const reference = given?.trim()
  if (reference !== undefined && reference !== '') return reference
  throw new OwsFailure(
    given === undefined ? 'MissingParameterValue' : 'InvalidParameterValue',
    'VALUEREFERENCE names a property: DescribeFeatureType lists them',
    'valuereference',
  )
}

async function toFeatureRequest(
  documents: RequestDocuments,
  wfsRequest: WfsRequest,
): Promise<FeatureRequest> {
  const id = storedId(wfsRequest)
  if (id !== undefined) return byIdRequest(wfsRequest.values, id)
  return wfsRequest.features ?? readFeatureRequest(wfsRequest.values, documents)
}

/** Returns the query of one property alone, of the features that have it. */
function toValueQuery(query: LayerQuery, reference: string): LayerQuery {
  const { layer, rows } = query
  const { filter } = rows
  const { selection, having } = valuesOf(layer.details.schema, reference)
  const requested = having === undefined ? filter?.requested : narrowed(filter?.requested, having)
  if (requested === undefined) return { ...query, rows: { ...rows, selection } }
  return { ...query, rows: { ...rows, selection, filter: { requested, srs: filter?.srs ?? 'EPSG:4326' } } }
}

function narrowed(filter: Filter | undefined, by: Filter): Filter {
  return allOf(filter === undefined ? [by] : [filter, by])
}

interface Values {
  selection: PropertySelection
  /** Condition for features that have a value; absent: all have one. */
  having?: Filter
}

function valuesOf(schema: Schema, reference: string): Values {
  const none: PropertySelection = { attributes: [], hasGeometry: false }
  if (/^(?:.*\/)?@gml:id$/.test(reference)) return { selection: none }
  const isNone = isUnusedGml(reference) && findProperty(schema, reference) === undefined
  if (isNone) return { selection: none, having: { kind: 'constant', is: false } }
  const property = requireProperty(schema, reference, 'valuereference')
  if (property === schema.geometry?.name)
    return { selection: { ...none, hasGeometry: true }, having: notOf({ kind: 'empty' }) }
  return {
    selection: { ...none, attributes: [property] },
    having: notOf({ kind: 'empty', attribute: property }),
  }
}
