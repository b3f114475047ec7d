import { invalid } from '../../lib/errors.ts'

/** A number as it was written, where it is not what JavaScript would write for it. */
export class WrittenNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A value of JSON whose numbers keep their digits. */
export type WrittenJson =
  | null
  | boolean
  | string
  | number
  | WrittenNumber
  | WrittenJson[]
  | { [name: string]: WrittenJson }

/** What a client sends of a feature. */
export interface EditedFeature {
  /** By name, those alone that it sends. */
  properties: ReadonlyMap<string, WrittenJson>
  /** Undefined where it sends none. */
  geometry: WrittenJson | undefined
  /** Undefined where it sends none. */
  id: WrittenJson | undefined
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown

const deepest = 100

/** The value of a body whose numbers keep their digits; throws `Failure` for what is no JSON in UTF-8. */
function parseWritten(body: Uint8Array): WrittenJson {
  const keepDigits: Reviver = (key, value, { source }) => {
    if (key === '__proto__') throw invalid('malformed-json', 'The body has a key "__proto__"')
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? new WrittenNumber(source)
      : value
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const parsed = JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]) as WrittenJson
    requireFlat(parsed, 0)
    return parsed
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError))
      throw error
    throw invalid('malformed-json', `The body is not JSON: ${error.message.slice(0, 200)}`, { cause: error })
  }
}

function requireFlat(value: WrittenJson, depth: number): void {
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber) return
  if (depth > deepest) throw invalid('malformed-json', `The body is nested deeper than ${deepest} levels`)
  for (const inner of Object.values(value)) requireFlat(inner, depth + 1)
}

/** Whether a value is an object, and no list. */
export function isObject(value: WrittenJson | undefined): value is Record<string, WrittenJson> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber)
  )
}

/** One whole feature (RFC 7946, section 3.2); members beside those that the standard names are passed over. */
export function parseFeatureBody(body: Uint8Array): EditedFeature {
  const feature = parseWritten(body)
  if (!isObject(feature)) throw notOneFeature('The body is no JSON object')
  const { type, geometry, properties, id } = feature
  if (type === 'FeatureCollection')
    throw notOneFeature('The body is a FeatureCollection: one feature is sent at a time')
  if (type !== 'Feature') throw notOneFeature('"type" of the body is not "Feature"')
  if (geometry === undefined) throw notOneFeature('The feature has no "geometry": null where there is none')
  if (properties !== null && !isObject(properties))
    throw notOneFeature('"properties" of the feature is neither an object nor null')
  return { properties: new Map(Object.entries(properties ?? {})), geometry, id }
}

/** What is to be changed of a feature, as a JSON Merge Patch (RFC 7396). */
export function parsePatchBody(body: Uint8Array): EditedFeature {
  const patch = parseWritten(body)
  if (!isObject(patch)) throw notOneFeature('The body is no JSON object')
  const { type, geometry, properties, id } = patch
  if (type !== undefined && type !== 'Feature') throw notOneFeature('"type" of a feature stays "Feature"')
  if (properties !== undefined && !isObject(properties))
    throw notOneFeature('"properties" of the body is no object: name those that change, with null for empty')
  return { properties: new Map(Object.entries(properties ?? {})), geometry, id }
}

function notOneFeature(text: string): Error {
  return invalid('invalid-feature', `${text} (GeoJSON, RFC 7946, section 3.2, is expected)`)
}

/** A document after a JSON Merge Patch (RFC 7396, section 2). */
export function mergePatch(target: WrittenJson | undefined, patch: WrittenJson): WrittenJson {
  if (!isObject(patch)) return patch
  const merged: Record<string, WrittenJson> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], value)
  }
  return merged
}

/** Plain JSON: numbers as doubles. */
export function plainJson(value: WrittenJson): unknown {
  if (value instanceof WrittenNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(plainJson)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainJson(inner)]))
}
