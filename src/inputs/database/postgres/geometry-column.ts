import { ownValue } from '../../../core/values/record-keys.ts'
import { SeenGeometries } from '../../../geo/geometry-shape.ts'
import type { GeometryType } from '../../../geo/schema.ts'
import { geometryTypes } from '../../../geo/schema.ts'

/** Properties of a geometry column before its rows are read. */
export interface PostgresGeometryShape {
  type: GeometryType
  hasZ: boolean
  hasM: boolean
  /** 0 if unknown. */
  srid: number
}

/** Declaration of a column, as far as its type modifier contains one. */
export interface DeclaredGeometry extends PostgresGeometryShape {
  /** True if geometries may contain arcs, which are converted to lines. */
  canHaveArcs: boolean
  /** True if every row has this SRID and these dimensions. */
  isBinding: boolean
}

/** Curve types by the type of their linear form; surface types not listed become `Geometry`. */
const straightened: Record<number, GeometryType> = {
  8: 'LineString',
  9: 'LineString',
  10: 'Polygon',
  11: 'MultiLineString',
  12: 'MultiPolygon',
}

/** Parses a type modifier (PostGIS, `liblwgeom.h.in`: SRID, type, Z and M in one number). */
export function parseGeometryTypmod(typmod: number, isGeography: boolean): DeclaredGeometry {
  const standard = isGeography ? 4326 : 0
  if (typmod < 0) {
    return { type: 'Geometry', hasZ: false, hasM: false, srid: standard, canHaveArcs: true, isBinding: false }
  }
  const srid = ((typmod & 0x0fffff00) - (typmod & 0x10000000)) >> 8
  const code = (typmod & 0xfc) >> 2
  return {
    type: straightened[code] ?? geometryTypes[code] ?? 'Geometry',
    hasZ: (typmod & 2) !== 0,
    hasM: (typmod & 1) !== 0,
    srid: srid > 0 ? srid : standard,
    canHaveArcs: !isGeography && (code === 0 || code >= 7),
    isBinding: code !== 0 && (srid > 0 || isGeography),
  }
}

/**
 * Rows with equal properties in a geometry column; `type` is a WKB code, `flag` 0 to 3 for XY, XYM, XYZ,
 * XYZM.
 */
export interface GeometryGroup {
  type: string
  srid: number
  flag: number
  rows: number
}

const codesByName: Record<string, number> = {
  ...Object.fromEntries(geometryTypes.map((name, code) => [name.toUpperCase(), code])),
  CIRCULARSTRING: 2,
  COMPOUNDCURVE: 2,
  CURVEPOLYGON: 3,
  MULTICURVE: 5,
  MULTISURFACE: 6,
}

/** Returns a shape that represents all groups, with the SRID of most rows. */
export function shapeOfGroups(groups: GeometryGroup[]): PostgresGeometryShape {
  const seen = new SeenGeometries()
  const rowsBySrid = new Map<number, number>()
  for (const { type, srid, flag, rows } of groups) {
    seen.add(ownValue(codesByName, type) ?? 0, flag >= 2, flag % 2 === 1)
    rowsBySrid.set(srid, (rowsBySrid.get(srid) ?? 0) + rows)
  }
  const [most] = [...rowsBySrid].sort((a, b) => b[1] - a[1])
  return { type: seen.type, hasZ: seen.withZ > 0, hasM: seen.withM > 0, srid: most?.[0] ?? 0 }
}
