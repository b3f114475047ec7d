/**
 * Curves and surfaces of SQL/MM (ISO 19125, 13249-3) have WKB codes of their own, and are held as what they come to
 * when arcs are drawn as short straight lines.
 */

/** A geometry of any type, on the way to one of lines: positions, or parts. */
export type CurveTree = { typeCode: number; positions: number[][] } | { typeCode: number; parts: CurveTree[] }

/** Type codes of ISO WKB that stand for curves, or are made of parts as they are. */
export const circularString = 8
export const compoundCurve = 9
export const curvePolygon = 10
export const multiCurve = 11
export const multiSurface = 12
export const polyhedralSurface = 15
export const tin = 16
export const triangle = 17

/** What each type becomes. */
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

/** The WKB code of what a geometry is held as: 1 to 7, 0 where the code is not known. */
export function linearTypeCode(typeCode: number): number {
  return typeCode >= 1 && typeCode <= 7 ? typeCode : (linearTypes[typeCode] ?? 0)
}

/** Whether a WKB code is that of a curve or a surface. */
export function isCurveType(typeCode: number): boolean {
  return typeCode in linearTypes
}
