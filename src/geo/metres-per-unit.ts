import type { CrsDeclaration, CrsShape } from './crs.ts'
import { findCrs } from './crs-database.ts'
import { declarationShape } from './crs-declaration.ts'
import { shapeOfProj } from './crs-proj.ts'

/**
 * Returns metres per unit of x and of y: for a projected CRS in its plane, for longitudes and latitudes on
 * the ellipsoid at latitude `y`. Undefined for a CRS with unknown units.
 */
export function metresPerUnit(
  crs: CrsDeclaration | string,
  y: number,
): [alongX: number, alongY: number] | undefined {
  const shape = typeof crs === 'string' ? shapeOfProj(findCrs(crs)?.proj4 ?? '') : declarationShape(crs)
  if (shape === undefined) return undefined
  return shape.kind === 'projected' ? [shape.unit, shape.unit] : onEllipsoid(shape, y)
}

/** Calculates with the radii of curvature along the parallel and the meridian. */
function onEllipsoid({ semiMajor, inverseFlattening, unit }: CrsShape, y: number): [number, number] {
  const flattening = inverseFlattening > 0 ? 1 / inverseFlattening : 0
  const squared = flattening * (2 - flattening)
  const radians = (unit * Math.PI) / 180
  const latitude = y * radians
  const w = Math.sqrt(1 - squared * Math.sin(latitude) ** 2)
  const alongParallel = (semiMajor / w) * Math.cos(latitude)
  const alongMeridian = (semiMajor * (1 - squared)) / w ** 3
  return [alongParallel * radians, alongMeridian * radians]
}
