import { invalid } from '../../core/errors/errors.ts'
import type { WrittenJson } from './written-json.ts'
import { isWrittenObject, parseWritten } from './written-json.ts'

/** A feature sent by a client. */
export interface EditedFeature {
  /** By name; only those that it contains. */
  properties: ReadonlyMap<string, WrittenJson>
  /** Undefined if it contains none. */
  geometry: WrittenJson | undefined
  /** Undefined if it contains none. */
  id: WrittenJson | undefined
}

/** Parses a whole feature (RFC 7946, section 3.2); ignores members that the standard does not define. */
export function parseFeatureBody(body: Uint8Array): EditedFeature {
  const feature = parseWritten(body, 'The body')
  if (!isWrittenObject(feature)) throw notOneFeature('The body is not a JSON object')
  const { type, geometry, properties, id } = feature
  if (type === 'FeatureCollection')
    throw notOneFeature('The body is a FeatureCollection: one feature is sent at a time')
  if (type !== 'Feature') throw notOneFeature('"type" of the body is not "Feature"')
  if (geometry === undefined) throw notOneFeature('The feature has no "geometry": null where there is none')
  if (properties !== null && !isWrittenObject(properties))
    throw notOneFeature('"properties" of the feature is neither an object nor null')
  return { properties: new Map(Object.entries(properties ?? {})), geometry, id }
}

/** Parses changes to a feature as a JSON Merge Patch (RFC 7396). */
export function parsePatchBody(body: Uint8Array): EditedFeature {
  const patch = parseWritten(body, 'The body')
  if (!isWrittenObject(patch)) throw notOneFeature('The body is not a JSON object')
  const { type, geometry, properties, id } = patch
  if (type !== undefined && type !== 'Feature') throw notOneFeature('"type" of a feature stays "Feature"')
  if (properties !== undefined && !isWrittenObject(properties))
    throw notOneFeature(
      '"properties" of the body is not an object: name those that change, with null for empty',
    )
  return { properties: new Map(Object.entries(properties ?? {})), geometry, id }
}

function notOneFeature(text: string): Error {
  return invalid('invalid-feature', `${text} (GeoJSON, RFC 7946, section 3.2, is expected)`)
}
