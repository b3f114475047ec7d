import type { CrsDeclaration } from '../geo/crs.ts'
import { findCrs, matchCrs } from '../geo/crs-database.ts'
import { isSameCrs } from '../geo/crs-same.ts'
import type { TileMatrixSet } from './tile-matrix-sets.ts'

/** What is known of the coordinates of a table, as far as tiles depend on it. */
export interface World {
  /** Whether x and y are the very coordinates of the set, or longitude and latitude in degrees of WGS 84. */
  kind: 'set' | 'wgs84' | 'geographic' | 'projected'
  /** In x, after which places come again; undefined where they do not. */
  turn: number | undefined
}

const unitsOfTurn = new Map([
  ['degree', 360],
  ['grad', 400],
  ['radian', 2 * Math.PI],
])

/** What the coordinates of a CRS are to the tiles of a set. */
export function worldOf(crs: CrsDeclaration | string, set: TileMatrixSet): World {
  const srs = matchCrs(typeof crs === 'string' ? { srs: crs } : crs)
  if (isSameCrs(srs, set.srs)) return { kind: 'set', turn: set.bounds.maxX - set.bounds.minX }
  if (isSameCrs(srs, 'EPSG:4326')) return { kind: 'wgs84', turn: 360 }
  const record = srs === undefined ? undefined : findCrs(srs)
  if (record?.kind !== 'geographic') return { kind: 'projected', turn: undefined }
  return { kind: 'geographic', turn: unitsOfTurn.get(record.unit) ?? 360 }
}
