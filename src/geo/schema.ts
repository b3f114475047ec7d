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
  /** Maximum length of a text in characters, if the source or the target limits it. */
  maxLength?: number
  /** Number of digits in total and after the point, for `decimal`. */
  precision?: number
  scale?: number
  /** False if the target column does not accept null. */
  isNullable?: boolean
  /** Name in the source, if it was renamed. */
  source?: string
  /** An example value from the source, for users. */
  example?: string
  /**
   * True for the source's identity column: its FID column, OBJECTID, or the only column of its primary key.
   */
  isIdentity?: true
  /** Its alias in the source, for users. */
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

/**
 * Maximum number of attributes read from a file: a GeoPackage table has at most 2,000 columns, including the
 * id and the geometry.
 */
export const maxAttributes = 1998

/** Attributes in order, and at most one geometry. Plain data: passed between threads and stored as JSON. */
export interface Schema {
  attributes: Attribute[]
  geometry: GeometryField | undefined
}

/**
 * Sets the title of each attribute to the result of `titleOf` for its name and present title; undefined does
 * not change it.
 */
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

/** Returns the attribute for requests by time: the first date or timestamp. */
export function timeAttribute({ attributes }: Schema): Attribute | undefined {
  return attributes.find(({ type }) => type === 'date' || type === 'timestamp')
}

/** Returns the index of an attribute by its exact name; -1 if there is none. */
export function attributeIndex(schema: Schema, name: string): number {
  return schema.attributes.findIndex((attribute) => attribute.name === name)
}

/** Returns the identity column of a source, if it has one. */
export function identityAttribute({ attributes }: Schema): Attribute | undefined {
  return attributes.find(({ isIdentity }) => isIdentity === true)
}
