import type { CrsDeclaration } from '../geo/crs.ts'
import { findCrs, matchCrs } from '../geo/crs-database.ts'
import { isSameCrs } from '../geo/crs-same.ts'
import type { TileMatrixSet } from './tile-matrix-sets.ts'

/** Units of a tile's edge, and the width of its buffer (Mapbox Vector Tile 2.1, section 4.1). */
export const tileExtent = 4096
export const tileBuffer = 64

/** Properties of the coordinates of a table that tiles depend on. */
export interface World {
  /** Kind of x and y: coordinates of the set, or WGS 84 longitude and latitude in degrees. */
  kind: 'set' | 'wgs84' | 'geographic' | 'projected'
  /** Distance in x after which locations repeat; undefined if they do not. */
  turn: number | undefined
}

const unitsOfTurn = new Map([
  ['degree', 360],
  ['grad', 400],
  ['radian', 2 * Math.PI],
])

/** Returns how the coordinates of a CRS relate to the tiles of a set. */
export function worldOf(crs: CrsDeclaration | string, set: TileMatrixSet): World {
  const srs = matchCrs(typeof crs === 'string' ? { srs: crs } : crs)
  if (isSameCrs(srs, set.srs)) return { kind: 'set', turn: set.bounds.maxX - set.bounds.minX }
  if (isSameCrs(srs, 'EPSG:4326')) return { kind: 'wgs84', turn: 360 }
  const record = srs === undefined ? undefined : findCrs(srs)
  if (record?.kind !== 'geographic') return { kind: 'projected', turn: undefined }
  return { kind: 'geographic', turn: unitsOfTurn.get(record.unit) ?? 360 }
}
