/**
 * Curves and surfaces of SQL/MM (ISO 19125, 13249-3) have their own WKB codes, and are stored with arcs
 * approximated by short straight lines.
 */

/** A geometry of any type before linearization: positions, or parts. */
export type CurveTree = { typeCode: number; positions: number[][] } | { typeCode: number; parts: CurveTree[] }

/** ISO WKB type codes of curves, or of geometries with curves as parts. */
export const circularString = 8
export const compoundCurve = 9
export const curvePolygon = 10
export const multiCurve = 11
export const multiSurface = 12
export const polyhedralSurface = 15
export const tin = 16
export const triangle = 17

/** Linear type of each curve type. */
const linearTypes: Record<number, number> = {
  [circularString]: 2,
  [compoundCurve]: 2,
  [curvePolygon]: 3,
  [multiCurve]: 5,
  [multiSurface]: 6,
  [polyhedralSurface]: 6,
  [tin]: 6,
  [triangle]: 3,
}

/** Returns the WKB code of the linearized type: 1 to 7, 0 for an unknown code. */
export function linearTypeCode(typeCode: number): number {
  return typeCode >= 1 && typeCode <= 7 ? typeCode : (linearTypes[typeCode] ?? 0)
}

/** True if a WKB code is that of a curve or a surface. */
export function isCurveType(typeCode: number): boolean {
  return typeCode in linearTypes
}
