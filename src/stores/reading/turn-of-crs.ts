import type { CrsDeclaration } from '../../geo/crs.ts'
import { findCrs, matchCrs } from '../../geo/crs-database.ts'

/** Circumference of the earth in EPSG:3857. */
const mercatorTurn = 2 * 20037508.342789244

/** Returns the distance in x after which places of a CRS come again; undefined where they do not. */
export function turnOfCrs(crs: CrsDeclaration | string): number | undefined {
  const srs = matchCrs(typeof crs === 'string' ? { srs: crs } : crs)
  if (srs === undefined) return undefined
  if (srs === 'EPSG:3857') return mercatorTurn
  const record = findCrs(srs)
  return record?.kind === 'geographic' && record.unit.startsWith('degree') ? 360 : undefined
}

/**
 * Returns the distances by which something from `minX` to `maxX` is moved so that it covers the same places where geometries are
 * stored beyond the 180th meridians, up to a turn from the origin.
 */
export function turnsBeyond(turn: number, { minX, maxX }: { minX: number; maxX: number }): number[] {
  const edge = turn / 2 + marginOf(turn)
  const turns: number[] = []
  if (maxX + turn > edge && minX + turn <= turn) turns.push(turn)
  if (minX - turn < -edge && maxX - turn >= -turn) turns.push(-turn)
  return turns
}

/** What ends at a meridian does not reach beyond it, nor does what rounding has moved past it. */
export function marginOf(turn: number): number {
  return turn * 1e-11
}
