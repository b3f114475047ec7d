import type { CrsDeclaration } from '../../geo/crs.ts'
import { findCrs, matchCrs } from '../../geo/crs-database.ts'

/** Circumference of the earth in EPSG:3857. */
const mercatorTurn = 2 * 20037508.342789244

/** Returns the distance in x after which locations of a CRS repeat; undefined if they do not. */
export function axisTurnOfCrs(crs: CrsDeclaration | string): number | undefined {
  const srs = matchCrs(typeof crs === 'string' ? { srs: crs } : crs)
  if (srs === undefined) return undefined
  if (srs === 'EPSG:3857') return mercatorTurn
  const record = findCrs(srs)
  return record?.kind === 'geographic' && record.unit.startsWith('degree') ? 360 : undefined
}

/**
 * Returns the distances by which something from `minX` to `maxX` is moved so that it covers the same
 * locations in tables with geometries beyond ±180°, up to one turn from the origin.
 */
export function turnsBeyond(turn: number, { minX, maxX }: { minX: number; maxX: number }): number[] {
  const edge = turn / 2 + marginOf(turn)
  const turns: number[] = []
  if (maxX + turn > edge && minX + turn <= turn) turns.push(turn)
  if (minX - turn < -edge && maxX - turn >= -turn) turns.push(-turn)
  return turns
}

/** Tolerance: a geometry that ends at a meridian, or exceeds it by rounding, does not extend beyond it. */
export function marginOf(turn: number): number {
  return turn * 1e-11
}
