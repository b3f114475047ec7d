/** The world of web mercator is 2^30 units wide: 4 cm each. No cell is finer. */
export const worldExponent = 30

/** One world stands on each side of the world itself, so that what lies beyond its edges has a place too. */
export const worldUnits = 2 ** worldExponent
const lastUnit = 2 ** 32 - 1

/** Web mercator has no poles; this latitude stands for what lies beyond it. */
const lastLatitude = 89.99

/**
 * Where features stand and how large they are, row by row in the order of their keys: all that thinning knows of them.
 * What has no place on the map has the size NaN.
 */
export interface Places {
  readonly count: number
  /** Of the reference point, in units to the right of one world's width left of the antimeridian. */
  readonly x: Uint32Array
  /** In units below one world's width above the northern edge. */
  readonly y: Uint32Array
  /** The longer side of the envelope as a part of the world's width. */
  readonly size: Float32Array
  /**
   * Of layers with polygons: the exponent of the largest cells of which the envelope holds a sample point, or than which it is no
   * smaller. With these cells and all smaller ones the row is shown.
   */
  readonly first?: Uint8Array
}

export function emptyPlaces(count: number): Places {
  return { count, x: new Uint32Array(count), y: new Uint32Array(count), size: new Float32Array(count) }
}

/** Worlds to the right of the antimeridian. */
export function worldX(longitude: number): number {
  return longitude / 360 + 0.5
}

/** Worlds below the northern edge of web mercator. */
export function worldY(latitude: number): number {
  const sine = Math.sin((Math.max(-lastLatitude, Math.min(lastLatitude, latitude)) * Math.PI) / 180)
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}

/** The latitude of a place that many worlds below the northern edge; a pole where that is beyond the last latitude. */
export function latitudeAt(y: number): number {
  const latitude = (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI
  return Math.abs(latitude) < lastLatitude ? latitude : 90 * Math.sign(latitude)
}

/** Units of a number of worlds. */
export function toUnits(worlds: number): number {
  const units = Math.floor((worlds + 1) * worldUnits)
  return units < 0 ? 0 : units > lastUnit ? lastUnit : units
}
