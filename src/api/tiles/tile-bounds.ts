import type { LayerRecord } from '../../catalog/index.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { unionEnvelope } from '../../geo/envelope.ts'
import { geographicRange } from '../geographic-range.ts'

/** Northern limit of web mercator, in degrees. */
const mercatorLatitude = 85.0511287798066
/** Zoom for a layer that is a point, or no larger than a house. */
const deepestCenter = 14

/** `bounds` and `center` of TileJSON 3.0: what there are tiles of, in longitude and latitude. */
export interface TileExtent {
  bounds?: number[]
  center?: number[]
}

/**
 * True if other programs changed the data since they were loaded: then their known extent may be too small.
 */
export function isChangedByOthers(layer: LayerRecord, version: number): boolean {
  return layer.version !== version || layer.versionCause === 'outside'
}

/** Returns the common extent of layers, ignoring those without one; empty if none has one. */
export async function tileExtentOf(layers: readonly LayerRecord[]): Promise<TileExtent> {
  const ranges = await Promise.all(layers.map(geographicRange))
  const known = ranges.filter((one) => one !== undefined)
  return known.length === 0 ? {} : toTileExtent(known.reduce(unionEnvelope))
}

/** Converts a range that may extend beyond 180 degrees: bounds must not, and then cover the full circle. */
export function toTileExtent(range: Envelope): TileExtent {
  const [south, north] = [withinMercator(range.minY), withinMercator(range.maxY)]
  const isBeyond = range.minX < -180 || range.maxX > 180
  const [west, east] = isBeyond ? [-180, 180] : [range.minX, range.maxX]
  const isRound = range.maxX - range.minX >= 360
  const longitude = isRound ? 0 : wrapped((range.minX + range.maxX) / 2)
  const latitude = latitudeOf((mercatorOf(south) + mercatorOf(north)) / 2)
  return { bounds: [west, south, east, north], center: [longitude, latitude, zoomOf(range, south, north)] }
}

function withinMercator(latitude: number): number {
  return Math.max(-mercatorLatitude, Math.min(mercatorLatitude, latitude))
}

function wrapped(longitude: number): number {
  if (longitude > 180) return longitude - 360
  return longitude < -180 ? longitude + 360 : longitude
}

/** In degrees of longitude, as far from the equator on the map. */
function mercatorOf(latitude: number): number {
  return (Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) * 180) / Math.PI
}

function latitudeOf(mercator: number): number {
  return (Math.atan(Math.sinh((mercator * Math.PI) / 180)) * 180) / Math.PI
}

/** The deepest zoom at which everything is seen in a tile. */
function zoomOf({ minX, maxX }: Envelope, south: number, north: number): number {
  const size = Math.max(maxX - minX, mercatorOf(north) - mercatorOf(south))
  return size <= 0 ? deepestCenter : Math.max(0, Math.min(deepestCenter, Math.floor(Math.log2(360 / size))))
}
