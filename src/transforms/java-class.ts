import type { AttributeType, GeometryType } from '../geo/schema.ts'
import { geometryTypes } from '../geo/schema.ts'

const attributeClasses: Record<AttributeType, string> = {
  boolean: 'java.lang.Boolean',
  int16: 'java.lang.Short',
  int32: 'java.lang.Integer',
  int64: 'java.lang.Long',
  float32: 'java.lang.Float',
  float64: 'java.lang.Double',
  decimal: 'java.math.BigDecimal',
  text: 'java.lang.String',
  date: 'java.sql.Date',
  time: 'java.sql.Time',
  timestamp: 'java.sql.Timestamp',
  binary: '[B',
}

const geometryPackage = 'org.locationtech.jts.geom.'
const olderGeometryPackage = 'com.vividsolutions.jts.geom.'

/** Returns the Java class name of an attribute or geometry type for clients. */
export function toJavaClass(type: AttributeType | GeometryType): string {
  return type in attributeClasses ? attributeClasses[type as AttributeType] : `${geometryPackage}${type}`
}

/** Meaning of a Java class name; `scale` 0 means a decimal with integers. */
export type JavaClassType = { attribute: AttributeType; scale?: number } | { geometry: GeometryType }

const types = new Map<string, JavaClassType>([
  ...Object.entries(attributeClasses).map(
    ([type, name]) => [name, { attribute: type as AttributeType }] as [string, JavaClassType],
  ),
  ['java.math.BigInteger', { attribute: 'decimal', scale: 0 }],
  ['java.util.Date', { attribute: 'timestamp' }],
  ...geometryTypes.flatMap((geometry) =>
    [geometryPackage, olderGeometryPackage].map(
      (prefix) => [`${prefix}${geometry}`, { geometry }] as [string, JavaClassType],
    ),
  ),
])

/** Returns undefined for an unknown class name. */
export function fromJavaClass(name: string): JavaClassType | undefined {
  return types.get(name.trim())
}

/** Lists every class of a value or a geometry, with its type. */
export function listJavaClasses(): {
  name: string
  type: AttributeType | GeometryType
  isGeometry: boolean
}[] {
  return [
    ...Object.entries(attributeClasses).map(([type, name]) => ({
      name,
      type: type as AttributeType,
      isGeometry: false,
    })),
    ...geometryTypes.map((type) => ({ name: toJavaClass(type), type, isGeometry: true })),
  ]
}
