import type { CrsDeclaration } from './crs.ts'

/**
 * Types of attribute values. `decimal` stores its digits as text; `date` is days since 1970-01-01; `time`
 * microseconds since midnight; `timestamp` microseconds since 1970-01-01T00:00:00Z.
 */
export const attributeTypes = [
  'boolean',
  'int16',
  'int32',
  'int64',
  'float32',
  'float64',
  'decimal',
  'text',
  'date',
  'time',
  'timestamp',
  'binary',
] as const
export type AttributeType = (typeof attributeTypes)[number]

/** Geometry types of OGC 06-103r4 (Simple Features, part 1); `Geometry` includes all of them. */
export const geometryTypes = [
  'Geometry',
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
] as const
export type GeometryType = (typeof geometryTypes)[number]

/** A column of a set: its name, its type, and the limits of its values. */
export interface Attribute {
  name: string
  type: AttributeType
  /** Longest text in characters, where the source or the target limits it. */
  maxLength?: number
  /** Digits in all and after the point, for `decimal`. */
  precision?: number
  scale?: number
  /** False where the target column refuses null. */
  isNullable?: boolean
  /** Name in the source, if it was renamed. */
  source?: string
  /** An example value from the source, for people. */
  example?: string
  /**
   * True for the source's identity column: its FID column, OBJECTID, or the only column of its primary key.
   */
  isIdentity?: true
  /** Its alias in the source, for people. */
  title?: string
  /** Labels of its coded values, by the values as text. */
  labels?: Record<string, string>
}

/** The geometry of a dataset: allowed types, and CRS. */
export interface GeometryField {
  name: string
  type: GeometryType
  hasZ: boolean
  hasM: boolean
  crs: CrsDeclaration | undefined
}

/** Attributes that a file is read with at most: a GeoPackage table has 2,000 columns, the id and the geometry among them. */
export const maxAttributes = 1998

/** Attributes in order, and at most one geometry. Plain data: passed between threads and stored as JSON. */
export interface Schema {
  attributes: Attribute[]
  geometry: GeometryField | undefined
}

/** Gives each attribute the title that `titleOf` returns for its name and present title; undefined leaves it as it is. */
export function withTitles(
  schema: Schema,
  titleOf: (name: string, title: string | undefined) => string | undefined,
): Schema {
  const attributes = schema.attributes.map((attribute) => {
    const title = titleOf(attribute.name, attribute.title)
    return title === undefined ? attribute : { ...attribute, title }
  })
  return { ...schema, attributes }
}

/** The attribute by which features are asked for by time: the first date or timestamp. */
export function timeAttribute({ attributes }: Schema): Attribute | undefined {
  return attributes.find(({ type }) => type === 'date' || type === 'timestamp')
}

/** The place of an attribute by its exact name; -1 where there is none. */
export function attributeIndex(schema: Schema, name: string): number {
  return schema.attributes.findIndex((attribute) => attribute.name === name)
}

/** The identity column of a source; undefined where it has none. */
export function identityAttribute({ attributes }: Schema): Attribute | undefined {
  return attributes.find(({ isIdentity }) => isIdentity === true)
}
