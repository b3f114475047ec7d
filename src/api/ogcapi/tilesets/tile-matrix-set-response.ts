import type { TileMatrixSet, TileMatrixSetId } from '../../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet } from '../../../tiles/tile-matrix-sets.ts'
import { crs84Uri, toCrsUri } from '../../crs-uris.ts'

/** A tile matrix set as registered (OGC 17-083r4, annex D). */
interface Registered {
  title: string
  crs: string
  orderedAxes: string[]
  wellKnownScaleSet: string
  /** Metres per unit of its CRS, along the equator. */
  metersPerUnit: number
  /** Tile matrices of the definition: more than there are tiles of here. */
  matrices: number
}

const definitions = 'http://www.opengis.net/def'
/** Half the long axis of the ellipsoid of WGS 84 times pi, over 180 degrees. */
const metersPerDegree = (6378137 * Math.PI) / 180

const registered: Record<TileMatrixSetId, Registered> = {
  WebMercatorQuad: {
    title: 'Google Maps Compatible for the World',
    crs: toCrsUri('EPSG:3857'),
    orderedAxes: ['X', 'Y'],
    wellKnownScaleSet: `${definitions}/wkss/OGC/1.0/GoogleMapsCompatible`,
    metersPerUnit: 1,
    matrices: 25,
  },
  WorldCRS84Quad: {
    title: 'CRS84 for the World',
    crs: crs84Uri,
    orderedAxes: ['Lon', 'Lat'],
    wellKnownScaleSet: `${definitions}/wkss/OGC/1.0/GoogleCRS84Quad`,
    metersPerUnit: metersPerDegree,
    matrices: 24,
  },
}

/** Identifiers of the sets that there are tiles by. */
export const servedSets: readonly TileMatrixSetId[] = ['WebMercatorQuad', 'WorldCRS84Quad']

const tileSize = 256
/** Pixel size in metres for scale denominators (OGC 17-083r4, section 6.1). */
const pixelMeters = 0.00028

/** Returns the URI of the registered definition. */
export function registeredUri(id: TileMatrixSetId): string {
  return `${definitions}/tilematrixset/OGC/1.0/${id}`
}

/** CRS of a set, as URI. */
export function crsOfSet(id: TileMatrixSetId): string {
  return registered[id].crs
}

/** Returns the entry of a list of sets. */
export function toSetEntry(id: TileMatrixSetId) {
  const { title, crs } = registered[id]
  return { id, title, uri: registeredUri(id), crs }
}

function toMatrix({ bounds, columns, rows }: TileMatrixSet, z: number, metersPerUnit: number) {
  const matrixWidth = columns * 2 ** z
  const cellSize = (bounds.maxX - bounds.minX) / matrixWidth / tileSize
  return {
    id: String(z),
    scaleDenominator: (cellSize * metersPerUnit) / pixelMeters,
    cellSize,
    pointOfOrigin: [bounds.minX, bounds.maxY],
    tileWidth: tileSize,
    tileHeight: tileSize,
    matrixWidth,
    matrixHeight: rows * 2 ** z,
  }
}

/** The whole definition (OGC 17-083r4, section 7.3). */
export function toTileMatrixSet(id: TileMatrixSetId) {
  const { orderedAxes, wellKnownScaleSet, metersPerUnit, matrices } = registered[id]
  const set = getTileMatrixSet(id)
  return {
    ...toSetEntry(id),
    orderedAxes,
    wellKnownScaleSet,
    tileMatrices: Array.from({ length: matrices }, (_, z) => toMatrix(set, z, metersPerUnit)),
  }
}
