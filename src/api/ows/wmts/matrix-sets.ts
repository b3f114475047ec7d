import type { TileAddress, TileMatrixSetId } from '../../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, isTileOf, maxZoom } from '../../../tiles/tile-matrix-sets.ts'
import { OwsFailure } from '../ows-failure.ts'

/** A tile matrix set by a name that clients use. */
export interface NamedMatrixSet {
  name: string
  set: TileMatrixSetId
  /** Prefix of its matrix names, before the zoom. */
  prefix: string
  /** URN of the CRS. */
  crs: string
  /** The corner in the north-west, in the order of the CRS. */
  corner: string
  /** Registered set with the same matrix names. */
  wellKnown?: string
}

const half = '20037508.342789244'
const mercatorCorner = `-${half} ${half}`

/**
 * Supported sets by the names of the standard (OGC 17-083r4), then those of GeoWebCache, which its clients
 * have stored.
 */
export const namedMatrixSets: readonly NamedMatrixSet[] = [
  {
    name: 'WebMercatorQuad',
    set: 'WebMercatorQuad',
    prefix: '',
    crs: 'urn:ogc:def:crs:EPSG::3857',
    corner: mercatorCorner,
    wellKnown: 'urn:ogc:def:wkss:OGC:1.0:GoogleMapsCompatible',
  },
  {
    name: 'WorldCRS84Quad',
    set: 'WorldCRS84Quad',
    prefix: '',
    crs: 'urn:ogc:def:crs:OGC:1.3:CRS84',
    corner: '-180 90',
  },
  {
    name: 'EPSG:900913',
    set: 'WebMercatorQuad',
    prefix: 'EPSG:900913:',
    crs: 'urn:ogc:def:crs:EPSG::900913',
    corner: mercatorCorner,
  },
  {
    name: 'EPSG:3857',
    set: 'WebMercatorQuad',
    prefix: 'EPSG:3857:',
    crs: 'urn:ogc:def:crs:EPSG::3857',
    corner: mercatorCorner,
  },
  {
    name: 'EPSG:4326',
    set: 'WorldCRS84Quad',
    prefix: 'EPSG:4326:',
    crs: 'urn:ogc:def:crs:EPSG::4326',
    corner: '90 -180',
  },
]

/** Metres for a unit of the CRS (OGC 07-057r7, section 6.1). */
const metresOfUnit: Record<TileMatrixSetId, number> = {
  WebMercatorQuad: 1,
  WorldCRS84Quad: (6378137 * Math.PI) / 180,
}
const tileCells = 256
/** Metres of a cell of OGC's size. */
const cellMetres = 0.00028

/** Columns, rows and scale denominator of the matrices, by zoom. */
export function matricesOf(set: TileMatrixSetId): { columns: number; rows: number; scale: number }[] {
  const { bounds, columns, rows } = getTileMatrixSet(set)
  return Array.from({ length: maxZoom + 1 }, (_, zoom) => {
    const across = columns * 2 ** zoom
    const cell = (bounds.maxX - bounds.minX) / (across * tileCells)
    return { columns: across, rows: rows * 2 ** zoom, scale: (cell * metresOfUnit[set]) / cellMetres }
  })
}

/** Throws `OwsFailure`. */
export function requireMatrixSet(name: string): NamedMatrixSet {
  const found = namedMatrixSets.find((one) => one.name.toLowerCase() === name.toLowerCase())
  if (found !== undefined) return found
  const names = namedMatrixSets.map((one) => one.name).join(', ')
  throw new OwsFailure(
    'InvalidParameterValue',
    `TILEMATRIXSET "${shown(name)}" is not one of ${names}`,
    'TileMatrixSet',
  )
}

/** Returns the tile of a matrix, row and column in a request; throws `OwsFailure`. */
export function readTile(
  { name, set, prefix }: NamedMatrixSet,
  { matrix, row, column }: { matrix: string; row: string; column: string },
): TileAddress {
  const start = matrix.toLowerCase().startsWith(prefix.toLowerCase()) ? prefix.length : 0
  const zoom = matrix.slice(start)
  if (!/^(?:0|[1-9]\d?)$/.test(zoom) || Number(zoom) > maxZoom)
    throw new OwsFailure(
      'InvalidParameterValue',
      `TILEMATRIX "${shown(matrix)}" is not one of ${name}: they are ${prefix}0 to ${prefix}${maxZoom}`,
      'TileMatrix',
    )
  const y = readNumber(row, 'TileRow')
  const x = readNumber(column, 'TileCol')
  const tile = { z: Number(zoom), x, y }
  if (isTileOf(getTileMatrixSet(set), tile)) return tile
  const { columns = 0, rows = 0 } = matricesOf(set)[tile.z] ?? {}
  const [reported, most] = y < rows ? ['TileCol', columns] : ['TileRow', rows]
  throw new OwsFailure('TileOutOfRange', `${reported} is beyond 0 to ${most - 1}`, reported)
}

function readNumber(text: string, name: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  if (/^-?\d+$/.test(text))
    throw new OwsFailure('TileOutOfRange', `${name} ${shown(text)} is out of range`, name)
  throw new OwsFailure('InvalidParameterValue', `${name} "${shown(text)}" is not a whole number`, name)
}

function shown(text: string): string {
  return text.slice(0, 60)
}
