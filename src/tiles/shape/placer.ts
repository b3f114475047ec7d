import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { TileAddress, TileMatrixSet } from '../tile-matrix-sets.ts'
import { tileEnvelope } from '../tile-matrix-sets.ts'
import { tileExtent, worldOf } from '../world.ts'
import { bicubic, fitPlace } from './local-fit.ts'
import type { Paths } from './paths.ts'

/** Transforms coordinates of a table to tile units: x to the right, y down, from its upper left corner. */
export interface Placer {
  /** Appends positions from WKB; those that cannot be transformed are NaN or infinite. */
  read(view: DataView, offset: number, count: number, stride: number, target: Paths): void
  /** Transforms positions in x and y in place. */
  move(xs: Float64Array, ys: Float64Array, from: number, to: number): void
  /** True if x and y preserve their order, so that the image of an envelope is that of its corners. */
  isStraight: boolean
  /** Tile units after which locations repeat. */
  turn: number
  /**
   * True if jumps of almost a full turn result from a transformation that limits longitudes to ±180 degrees.
   */
  isWrapped: boolean
  /** y of the equator. */
  equator: number
  /** Maximum latitude, in units of the table, that can be projected usefully; undefined if all can. */
  latitudeLimit: number | undefined
}

/** Options for transforming coordinates. */
export interface PlacerOptions {
  set: TileMatrixSet
  tile: TileAddress
  crs: CrsDeclaration | string
  /** Transforms to the CRS of the set; undefined if coordinates are already in it. */
  reprojector: Reprojector | undefined
  /**
   * Box of most coordinates, in the CRS of the table: within such a small box a polynomial replaces the
   * transformation to the tile, if the difference is invisible after rounding to integers. Without it no
   * polynomial is fitted.
   */
  box?: Envelope | undefined
}

/** At lower zoom levels a tile is so large that the polynomials deviate. */
const minLocalZoom = 9
const reachShare = 0.25

/** Mercator excludes the poles; up to this share of a right angle it maps latitudes far beyond every tile. */
const poleShare = 89.9 / 90

/** Returns the transformation of coordinates of a table to a tile. */
export function createPlacer({ set, tile, crs, reprojector, box }: PlacerOptions): Placer {
  const { minX, maxX, maxY } = tileEnvelope(set, tile)
  const frame: Frame = {
    left: minX,
    top: maxY,
    scale: tileExtent / (maxX - minX),
    turn: tileExtent * set.columns * 2 ** tile.z,
    equator: maxY * (tileExtent / (maxX - minX)),
  }
  const { kind, turn } = worldOf(crs, set)
  if (reprojector === undefined || reprojector.isIdentity || kind === 'set') {
    return { ...flatPlacer(frame), isWrapped: reprojector === undefined && kind === 'projected' }
  }
  const latitudeLimit = turn === undefined ? undefined : (turn / 4) * (isMercator(set) ? poleShare : 1)
  if (kind === 'wgs84' && isMercator(set)) return { ...mercatorPlacer(frame, tile), latitudeLimit }
  const { transformPlace } = reprojector
  if (transformPlace === undefined) throw new Error('Coordinates must be transformed before they are placed')
  const worldShare = turn === undefined ? undefined : (set.bounds.maxX - set.bounds.minX) / turn
  const local = box === undefined || tile.z < minLocalZoom ? undefined : widened(box)
  return { ...generalPlacer(frame, { transformPlace, worldShare, box: local }), latitudeLimit }
}

/** Geometries that extend into a tile also extend beyond it. */
function widened({ minX, minY, maxX, maxY }: Envelope): Envelope {
  const [dx, dy] = [(maxX - minX) * reachShare, (maxY - minY) * reachShare]
  return { minX: minX - dx, minY: minY - dy, maxX: maxX + dx, maxY: maxY + dy }
}

function isMercator({ id }: TileMatrixSet): boolean {
  return id === 'WebMercatorQuad'
}

interface Frame {
  left: number
  top: number
  /** Tile units per unit of the set's CRS. */
  scale: number
  turn: number
  equator: number
}

function flatPlacer({ left, top, scale, turn, equator }: Frame): Placer {
  return {
    read(view, offset, count, stride, target) {
      target.reserve(count)
      const { xs, ys } = target
      let to = target.length
      for (let i = 0, at = offset; i < count; i += 1, at += stride, to += 1) {
        xs[to] = (view.getFloat64(at, true) - left) * scale
        ys[to] = (top - view.getFloat64(at + 8, true)) * scale
      }
      target.length = to
    },
    move(xs, ys, from, to) {
      for (let at = from; at < to; at += 1) {
        xs[at] = ((xs[at] as number) - left) * scale
        ys[at] = (top - (ys[at] as number)) * scale
      }
    },
    isStraight: true,
    turn,
    equator,
    isWrapped: false,
    latitudeLimit: undefined,
  }
}

const radiansOfDegree = Math.PI / 180

/** WGS 84 longitude and latitude to spherical Mercator, by its formula (EPSG method 1024). */
function mercatorPlacer({ turn, equator }: Frame, { x, y }: TileAddress): Placer {
  const middleX = turn / 2 - x * tileExtent
  const middleY = turn / 2 - y * tileExtent
  const unitsOfDegree = turn / 360
  const unitsOfRadian = turn / (4 * Math.PI)
  const down = (latitude: number): number => {
    const sine = Math.sin(latitude * radiansOfDegree)
    return middleY - Math.log((1 + sine) / (1 - sine)) * unitsOfRadian
  }
  return {
    read(view, offset, count, stride, target) {
      target.reserve(count)
      const { xs, ys } = target
      let to = target.length
      for (let i = 0, at = offset; i < count; i += 1, at += stride, to += 1) {
        xs[to] = view.getFloat64(at, true) * unitsOfDegree + middleX
        ys[to] = down(view.getFloat64(at + 8, true))
      }
      target.length = to
    },
    move(xs, ys, from, to) {
      for (let at = from; at < to; at += 1) {
        xs[at] = (xs[at] as number) * unitsOfDegree + middleX
        ys[at] = down(ys[at] as number)
      }
    },
    isStraight: true,
    turn,
    equator,
    isWrapped: false,
    latitudeLimit: undefined,
  }
}

type TransformPlace = NonNullable<Reprojector['transformPlace']>

interface GeneralWay {
  transformPlace: TransformPlace
  /** Units of the set's CRS per degree of longitude, if the table has such coordinates. */
  worldShare: number | undefined
  box: Envelope | undefined
}

function generalPlacer(frame: Frame, { transformPlace, worldShare, box }: GeneralWay): Placer {
  const { left, top, scale, turn, equator } = frame
  const world = turn / scale
  const position = { x: 0, y: 0 }
  /**
   * A transformation returns longitudes from -180 to 180 degrees: chooses the turn nearest to the original
   * one.
   */
  const exact = (one: { x: number; y: number }): void => {
    const { x } = one
    transformPlace(one, 0)
    if (worldShare !== undefined) one.x += Math.round((x * worldShare - one.x) / world) * world
    one.x = (one.x - left) * scale
    one.y = (top - one.y) * scale
  }
  const fit = box && fitPlace(box, exact)
  const { minX = 0, minY = 0, maxX = 0, maxY = 0 } = box ?? {}
  const [perX, perY] = [2 / (maxX - minX), 2 / (maxY - minY)]
  const put = (x: number, y: number): void => {
    if (fit !== undefined && x >= minX && x <= maxX && y >= minY && y <= maxY) {
      const u = (x - minX) * perX - 1
      const v = (y - minY) * perY - 1
      position.x = bicubic(fit.x, u, v)
      position.y = bicubic(fit.y, u, v)
      return
    }
    position.x = x
    position.y = y
    exact(position)
  }
  return {
    read(view, offset, count, stride, target) {
      target.reserve(count)
      const { xs, ys } = target
      let to = target.length
      for (let i = 0, at = offset; i < count; i += 1, at += stride, to += 1) {
        put(view.getFloat64(at, true), view.getFloat64(at + 8, true))
        xs[to] = position.x
        ys[to] = position.y
      }
      target.length = to
    },
    move(xs, ys, from, to) {
      for (let at = from; at < to; at += 1) {
        put(xs[at] as number, ys[at] as number)
        xs[at] = position.x
        ys[at] = position.y
      }
    },
    isStraight: false,
    turn,
    equator,
    isWrapped: worldShare === undefined,
    latitudeLimit: undefined,
  }
}
