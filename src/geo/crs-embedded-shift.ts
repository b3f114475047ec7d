import type { CrsDeclaration, CrsShape } from './crs.ts'
import type { Shift } from './crs-shift.ts'
import { ellipsoidOf, helmertShift } from './crs-shift.ts'

/** The shift to WGS 84 that a definition carries: `TOWGS84` in WKT 1, `+towgs84` in PROJ strings. */
export interface EmbeddedShift {
  toWgs84: Shift
  fromWgs84: Shift
}

const wgs84 = ellipsoidOf(6378137, 298.257223563)

/**
 * Returns the datum shift in a definition; undefined if there is none, and `unreadable` if only PROJ can
 * apply it: grids, and bound CRSs of WKT 2 and PROJJSON.
 */
export function findEmbeddedShift(
  { wkt, projjson, proj4 }: CrsDeclaration,
  shape: CrsShape,
): EmbeddedShift | 'unreadable' | undefined {
  const text = wkt ?? projjson ?? proj4 ?? ''
  if (/nadgrids|BOUNDCRS|BoundCRS/.test(text)) return 'unreadable'
  const numbers = /TOWGS84\s*\[([^\]]*)\]/i.exec(text)?.[1] ?? /\+towgs84=([\d.,eE+-]+)/.exec(text)?.[1]
  if (numbers === undefined) return undefined
  const parameters = numbers.split(',').map(Number)
  if (!parameters.every(Number.isFinite)) return 'unreadable'
  const own = ellipsoidOf(shape.semiMajor, shape.inverseFlattening)
  return {
    toWgs84: helmertShift(parameters, own, wgs84, false),
    fromWgs84: helmertShift(parameters, wgs84, own, true),
  }
}
