import type { Envelope } from '../geo/envelope.ts'

/** Identifiers of the tile matrix sets that tiles are cut by (OGC 17-083r4, annex D). */
export const tileMatrixSetIds = ['WebMercatorQuad', 'WorldCRS84Quad'] as const
/** One of `tileMatrixSetIds`. */
export type TileMatrixSetId = (typeof tileMatrixSetIds)[number]

/** One tile: zoom (the tile matrix), column from the west, row from the north. */
export interface TileAddress {
  z: number
  x: number
  y: number
}

/** How the earth is cut into tiles. Plain data: it crosses threads. */
export interface TileMatrixSet {
  id: TileMatrixSetId
  title: string
  /** Its name in OGC's register. */
  uri: string
  wellKnownScaleSet: string
  /** What its coordinates are in, x before y. */
  srs: string
  /** The same as the register has it. */
  crsUri: string
  orderedAxes: readonly [string, string]
  /** Of the one row of tiles at zoom 0, in the units of the CRS. */
  bounds: Envelope
  /** Tiles in a row and in a column at zoom 0; each zoom has twice as many. */
  columns: number
  rows: number
  /** Metres in one unit of the CRS, by which scales are told. */
  metresPerUnit: number
}

/** Deepest zoom of every set. */
export const maxZoom = 22

/** Pixels of a tile's edge by which the sets tell their scales; what a client shows is its own. */
const tilePixels = 256
/** Metres of a pixel by which scales are told (OGC 17-083r4, section 6.1.1.1). */
const standardPixel = 0.00028

/** Half the circumference of the sphere of EPSG:3857. */
const mercatorHalf = 20037508.342789244
/** Metres of a degree on the equator of WGS 84. */
const metresPerDegree = (6378137 * Math.PI) / 180
const register = 'http://www.opengis.net/def'

const sets: Record<TileMatrixSetId, TileMatrixSet> = {
  WebMercatorQuad: {
    id: 'WebMercatorQuad',
    title: 'Google Maps Compatible for the World',
    uri: `${register}/tilematrixset/OGC/1.0/WebMercatorQuad`,
    wellKnownScaleSet: `${register}/wkss/OGC/1.0/GoogleMapsCompatible`,
    srs: 'EPSG:3857',
    crsUri: `${register}/crs/EPSG/0/3857`,
    orderedAxes: ['E', 'N'],
    bounds: { minX: -mercatorHalf, minY: -mercatorHalf, maxX: mercatorHalf, maxY: mercatorHalf },
    columns: 1,
    rows: 1,
    metresPerUnit: 1,
  },
  WorldCRS84Quad: {
    id: 'WorldCRS84Quad',
    title: 'CRS84 for the World',
    uri: `${register}/tilematrixset/OGC/1.0/WorldCRS84Quad`,
    wellKnownScaleSet: `${register}/wkss/OGC/1.0/GoogleCRS84Quad`,
    srs: 'EPSG:4326',
    crsUri: `${register}/crs/OGC/1.3/CRS84`,
    orderedAxes: ['Lon', 'Lat'],
    bounds: { minX: -180, minY: -90, maxX: 180, maxY: 90 },
    columns: 2,
    rows: 1,
    metresPerUnit: metresPerDegree,
  },
}

export function getTileMatrixSet(id: TileMatrixSetId): TileMatrixSet {
  return sets[id]
}

/** The set of an identifier as a client writes it. */
export function findTileMatrixSet(id: string): TileMatrixSet | undefined {
  return tileMatrixSetIds.includes(id as TileMatrixSetId) ? sets[id as TileMatrixSetId] : undefined
}

/** Whether the set has such a tile. */
export function isTileOf({ columns, rows }: TileMatrixSet, { z, x, y }: TileAddress): boolean {
  const isWhole = Number.isInteger(z) && Number.isInteger(x) && Number.isInteger(y)
  if (!isWhole || z < 0 || z > maxZoom || x < 0 || y < 0) return false
  return x < columns * 2 ** z && y < rows * 2 ** z
}

/** What a tile covers, in the CRS of its set. */
export function tileEnvelope({ bounds, columns, rows }: TileMatrixSet, { z, x, y }: TileAddress): Envelope {
  const width = (bounds.maxX - bounds.minX) / (columns * 2 ** z)
  const height = (bounds.maxY - bounds.minY) / (rows * 2 ** z)
  return {
    minX: bounds.minX + x * width,
    minY: bounds.maxY - (y + 1) * height,
    maxX: bounds.minX + (x + 1) * width,
    maxY: bounds.maxY - y * height,
  }
}

/** One zoom of a set, in the words of OGC 17-083r4 (section 6.2). */
export interface TileMatrix {
  id: string
  scaleDenominator: number
  /** Units of the CRS in a pixel. */
  cellSize: number
  /** Upper left, in the order of the set's axes. */
  pointOfOrigin: [number, number]
  cornerOfOrigin: 'topLeft'
  tileWidth: number
  tileHeight: number
  matrixWidth: number
  matrixHeight: number
}

export function getTileMatrix(
  { bounds, columns, rows, metresPerUnit }: TileMatrixSet,
  z: number,
): TileMatrix {
  const matrixWidth = columns * 2 ** z
  const cellSize = (bounds.maxX - bounds.minX) / (matrixWidth * tilePixels)
  return {
    id: String(z),
    scaleDenominator: (cellSize * metresPerUnit) / standardPixel,
    cellSize,
    pointOfOrigin: [bounds.minX, bounds.maxY],
    cornerOfOrigin: 'topLeft',
    tileWidth: tilePixels,
    tileHeight: tilePixels,
    matrixWidth,
    matrixHeight: rows * 2 ** z,
  }
}

/** From the first to the last tile that holds data, both meant. */
export interface TileLimits {
  tileMatrix: string
  minTileRow: number
  maxTileRow: number
  minTileCol: number
  maxTileCol: number
}

/** The tiles of a zoom that an envelope (in the CRS of the set) touches; undefined where it lies beside all of them. */
export function tileLimits(set: TileMatrixSet, z: number, envelope: Envelope): TileLimits | undefined {
  const { bounds, columns, rows } = set
  const { minX, minY, maxX, maxY } = envelope
  const isTouching = maxX >= bounds.minX && minX <= bounds.maxX && maxY >= bounds.minY && minY <= bounds.maxY
  if (!isTouching) return undefined
  const across = columns * 2 ** z
  const down = rows * 2 ** z
  const column = (x: number): number => index((x - bounds.minX) / (bounds.maxX - bounds.minX), across)
  const row = (y: number): number => index((bounds.maxY - y) / (bounds.maxY - bounds.minY), down)
  return {
    tileMatrix: String(z),
    minTileRow: row(maxY),
    maxTileRow: row(minY),
    minTileCol: column(minX),
    maxTileCol: column(maxX),
  }
}

function index(share: number, count: number): number {
  return Math.min(Math.max(Math.floor(share * count), 0), count - 1)
}

/** Every tile of a zoom that an envelope touches, row by row from the north. */
export function* tilesOf(set: TileMatrixSet, z: number, envelope: Envelope): Generator<TileAddress> {
  const limits = tileLimits(set, z, envelope)
  if (limits === undefined) return
  for (let y = limits.minTileRow; y <= limits.maxTileRow; y += 1) {
    for (let x = limits.minTileCol; x <= limits.maxTileCol; x += 1) yield { z, x, y }
  }
}
