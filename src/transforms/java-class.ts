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

/** The Java class name that clients know an attribute's or a geometry's type by. */
export function toJavaClass(type: AttributeType | GeometryType): string {
  return type in attributeClasses ? attributeClasses[type as AttributeType] : `${geometryPackage}${type}`
}

/** What a Java class name stands for; `scale` 0 says that a decimal holds integers. */
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

/** Undefined for a class name that means nothing here. */
export function fromJavaClass(name: string): JavaClassType | undefined {
  return types.get(name.trim())
}

/** Every class that a value or a geometry can have, with the type that it means; the names that are shown. */
export function listJavaClasses(): {
  name: string
  type: AttributeType | GeometryType
  isGeometry: boolean
}[] {
  return [
    ...Object.entries(attributeClasses).map(([type, name]) => ({
      ...{ name, type: type as AttributeType, isGeometry: false },
    })),
    ...geometryTypes.map((type) => ({ name: toJavaClass(type), type, isGeometry: true })),
  ]
}
