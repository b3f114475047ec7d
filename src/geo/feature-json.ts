import { createHash } from 'node:crypto'
import type { FeatureBatch } from './batch.ts'
import type { Column } from './column.ts'
import { columnValue, isValid } from './column.ts'
import type { Attribute } from './schema.ts'
import { dateText, timestampText, timeText } from './time-text.ts'
import { writeGeometryJson } from './wkb-to-geojson.ts'

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Writes an integer in a column of fractions as `4.0`, because clients derive the type of a property from its
 * first values.
 */
function withFraction(digits: string): string {
  return /[.e]/i.test(digits) ? digits : `${digits}.0`
}

/** Decimals that are not numbers in JSON. */
const notFinite: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])

/** Integers with more digits remain texts: clients would truncate them. */
const maxDigits = 15

function decimalToJson(digits: string, { scale }: Attribute): string {
  if (notFinite.has(digits)) return 'null'
  if (!jsonNumber.test(digits)) return JSON.stringify(digits)
  return scale === 0 || digits.length > maxDigits ? digits : withFraction(digits)
}

/** Writes one value as JSON; digits of large integers and decimals are preserved. */
function valueToJson(column: Column, row: number, attribute: Attribute): string {
  const value = columnValue(column, row)
  if (value === null) return 'null'
  switch (column.type) {
    case 'int64':
      return String(value)
    case 'decimal':
      return decimalToJson(String(value), attribute)
    case 'date':
      return `"${dateText(value as number)}"`
    case 'time':
      return `"${timeText(value as bigint)}"`
    case 'timestamp':
      return `"${timestampText(value as bigint)}"`
    case 'binary':
      return JSON.stringify(Buffer.from(value as Uint8Array).toString('base64'))
    case 'float32':
    case 'float64':
      return Number.isFinite(value) ? withFraction(String(value)) : 'null'
    default:
      return JSON.stringify(value)
  }
}

/** Writes the geometry of a row as GeoJSON text, or `null`. */
export function geometryToJson(batch: FeatureBatch, row: number, isYx: boolean): string {
  const geometry = batch.geometry
  if (geometry === undefined || !isValid(geometry.validity, row)) return 'null'
  const bytes = geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1])
  return writeGeometryJson(bytes, { isYx })
}

/** Names of attributes as JSON, created once for all features of a schema. */
const knownNames = new WeakMap<Attribute[], string[]>()

function namesOf(attributes: Attribute[]): string[] {
  const known = knownNames.get(attributes)
  if (known !== undefined) return known
  const names = attributes.map(({ name }, index) => `${index === 0 ? '' : ','}${JSON.stringify(name)}:`)
  knownNames.set(attributes, names)
  return names
}

/** Output options for a feature's coordinates. */
export interface FeatureShape {
  /** Coordinates with latitude or northing first. */
  isYx: boolean
}

/** Writes the attributes of a row as a JSON object. */
export function propertiesToJson(batch: FeatureBatch, row: number): string {
  const { attributes } = batch.schema
  const names = namesOf(attributes)
  let properties = ''
  for (let index = 0; index < attributes.length; index += 1) {
    const column = batch.columns[index]
    const attribute = attributes[index]
    if (column === undefined || attribute === undefined) continue
    properties += names[index] + valueToJson(column, row, attribute)
  }
  return `{${properties}}`
}

/** Writes the id of a feature as JSON: a number if possible. */
export function idToJson(id: string): string {
  return /^(?:0|[1-9]\d{0,14})$/.test(id) ? id : JSON.stringify(id)
}

/** Writes one feature of a batch as GeoJSON (RFC 7946, section 3.2). */
export function featureToJson(batch: FeatureBatch, row: number, id: string, shape: FeatureShape): string {
  const geometry = geometryToJson(batch, row, shape.isYx)
  return `{"type":"Feature","id":${idToJson(id)},"geometry":${geometry},"properties":${propertiesToJson(batch, row)}}`
}

/** Returns a text that changes whenever a stored value or the geometry of a row changes. */
export function featureTag(batch: FeatureBatch, row: number, id: string): string {
  const hash = createHash('sha256').update(JSON.stringify(id))
  batch.schema.attributes.forEach(({ name }, index) => {
    const column = batch.columns[index]
    const value = column === undefined ? null : columnValue(column, row)
    hash.update(`\n${JSON.stringify(name)}:${typeof value}:`)
    if (value instanceof Uint8Array) hash.update(`${value.length}:`).update(value)
    else if (typeof value === 'string') hash.update(JSON.stringify(value))
    else hash.update(Object.is(value, -0) ? '-0' : String(value))
  })
  const { geometry } = batch
  if (geometry !== undefined && isValid(geometry.validity, row))
    hash
      .update('\ngeometry:')
      .update(geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1]))
  return hash.digest('base64url').slice(0, 22)
}
