/** The Web Mercator world is 2^30 units wide: 4 cm each. No cell is finer. */
export const worldExponent = 30

/** Width of the world with a copy on each side, so that locations beyond its edges have coordinates too. */
export const worldUnits = 2 ** worldExponent
const lastUnit = 2 ** 32 - 1

/** Web Mercator has no poles; this latitude replaces those beyond it. */
const lastLatitude = 89.99

/**
 * Positions and sizes of features, row by row in key order: all data that thinning uses. The size of features
 * that cannot be projected is NaN.
 */
export interface FeaturePositions {
  readonly count: number
  /** Reference point, in units to the right of the point one world width left of the antimeridian. */
  readonly x: Uint32Array
  /** In units below the point one world width above the northern edge. */
  readonly y: Uint32Array
  /** Longer side of the envelope as a share of the world's width. */
  readonly size: Float32Array
  /**
   * For layers with polygons: the exponent of the largest cells of which the envelope contains a sample
   * point, or than which the envelope is not smaller. The row is shown with these and all smaller cells.
   */
  readonly first?: Uint8Array
}

export function emptyPositions(count: number): FeaturePositions {
  return { count, x: new Uint32Array(count), y: new Uint32Array(count), size: new Float32Array(count) }
}

/** Returns the distance from the antimeridian to the right, in worlds. */
export function worldX(longitude: number): number {
  return longitude / 360 + 0.5
}

/** Returns the distance from the northern edge of Web Mercator, in worlds. */
export function worldY(latitude: number): number {
  const sine = Math.sin((Math.max(-lastLatitude, Math.min(lastLatitude, latitude)) * Math.PI) / 180)
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}

/**
 * Returns the latitude at this distance from the northern edge, in worlds; a pole if beyond the last
 * latitude.
 */
export function latitudeAt(y: number): number {
  const latitude = (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI
  return Math.abs(latitude) < lastLatitude ? latitude : 90 * Math.sign(latitude)
}

/** Converts worlds to units. */
export function toUnits(worlds: number): number {
  const units = Math.floor((worlds + 1) * worldUnits)
  return Math.max(0, Math.min(units, lastUnit))
}
