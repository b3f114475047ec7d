import type { Filter } from '../../../filters/filter.ts'
import { allOf, notOf } from '../../../filters/filter.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { PropertySelection } from '../../../stores/reading/feature-page-request.ts'
import { keepPrivately } from '../../caching.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { findProperty, isUnusedGml, requireProperty } from '../property-names.ts'
import type { FeatureReading } from './feature-readings.ts'
import { toFeatureReadings } from './feature-readings.ts'
import type { FeatureRequest } from './feature-request.ts'
import { readFeatureRequest } from './kvp-feature-request.ts'
import { readOutputFormat } from './output-formats.ts'
import { sendHits, sendPage } from './send-page.ts'
import { byIdRequest, storedId } from './stored-queries.ts'
import type { WfsRequest } from './wfs-deps.ts'

const format = 'application/gml+xml; version=3.2'

/** Sends the values of one property of the features of a type, without nulls (OGC 09-025r2, section 10). */
export async function getPropertyValue(deps: OwsDeps, asked: WfsRequest): Promise<unknown> {
  if (asked.version !== '2.0.0')
    throw new OwsFailure('OperationNotSupported', 'GetPropertyValue is of WFS 2.0: ask by it', 'request')
  const reference = requireReference(asked)
  const wanted = await requestOf(deps, asked)
  const { name, mediaType } = readOutputFormat(wanted.outputFormat, asked.version)
  if (name !== 'gml32')
    throw new OwsFailure('InvalidParameterValue', `Values are written as ${format} alone`, 'outputformat')
  const [found, ...others] = await toFeatureReadings(deps, asked, wanted)
  if (found === undefined)
    throw new OwsFailure('MissingParameterValue', 'The parameter TYPENAMES is missing', 'typenames')
  if (others.length > 0)
    throw new OwsFailure('InvalidParameterValue', 'Values are those of one type: ask for each', 'typenames')
  const reading = readingOfValues(found, reference)
  keepPrivately(asked.reply)
  if (wanted.resultType === 'hits') return sendHits(deps, asked, [reading], 'values')
  return sendPage(deps, asked, { reading, wanted, output: 'values', mediaType })
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

async function requestOf({ documents }: OwsDeps, asked: WfsRequest): Promise<FeatureRequest> {
  const id = storedId(asked)
  if (id !== undefined) return byIdRequest(asked.values, id)
  return asked.features ?? readFeatureRequest(asked.values, documents)
}

/** The property alone, of the features that have it. */
function readingOfValues(reading: FeatureReading, reference: string): FeatureReading {
  const { layer, wish } = reading
  const { selection, having } = valuesOf(layer.details.schema, reference)
  const asked = having === undefined ? wish.filter?.asked : narrowed(wish.filter?.asked, having)
  if (asked === undefined) return { ...reading, wish: { ...wish, selection } }
  return { ...reading, wish: { ...wish, selection, filter: { asked, srs: wish.filter?.srs ?? 'EPSG:4326' } } }
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
