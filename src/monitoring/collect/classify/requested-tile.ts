import { decodeParameter } from './ows-parameters.ts'

/** A requested tile; `y` counts from the north. */
export interface RequestedTile {
  grid: 'mercator' | 'geographic'
  z: number
  x: number
  y: number
}

const grids: readonly [grid: RequestedTile['grid'], names: RegExp][] = [
  ['mercator', /^(?:WebMercatorQuad|GoogleMapsCompatible|(?:EPSG:)?(?:3857|900913|102100))$/i],
  ['geographic', /^(?:WorldCRS84Quad|GlobalCRS84Geometric|InspireCRS84Quad|(?:EPSG:)?4326|CRS:?84)$/i],
]

const xyzPath = /\/(\d{1,2})\/(\d{1,8})\/(\d{1,8})(?:@\dx)?\.\w{2,5}$/
const tmsPath =
  /\/(?:gwc\/service\/tms|tms)\/(?:1\.0\.0\/)?([^/]+)\/(\d{1,2})\/(\d{1,8})\/(\d{1,8})\.\w{2,5}$/i
const wmtsPath =
  /\/wmts\/(?:rest\/)?[^/]+\/(?:[^/]+\/)?([^/]+)\/([^/]+)\/(\d{1,8})\/(\d{1,8})(?:\.\w{2,5})?$/i
const ogcPath = /\/tiles\/([^/]+)\/(\d{1,2})\/(\d{1,8})\/(\d{1,8})$/
const maxZoom = 30
const maxPathLength = 2000

/**
 * Returns the tile that a path identifies without parameters: XYZ, TMS, WMTS and OGC API Tiles; undefined for
 * other paths and unknown grids.
 */
export function tileOfPath(path: string): RequestedTile | undefined {
  if (path.length > maxPathLength) return undefined
  if (tmsPath.test(path)) return tileOfTms(path)
  if (wmtsPath.test(path)) return tileOfWmts(path)
  return tileOfXyz(path) ?? tileOfOgc(path)
}

/** Returns the tile of a WMTS request with key-value parameters. */
export function tileOfParameters(parameters: {
  tilematrixset?: string[]
  tilematrix?: string[]
  tilerow?: string[]
  tilecol?: string[]
}): RequestedTile | undefined {
  const { tilematrixset, tilematrix, tilerow, tilecol } = parameters
  if (tilematrixset === undefined) return undefined
  const first = (values: string[] | undefined): string => values?.[0] ?? ''
  const [set, matrix, row, column] = [tilematrixset, tilematrix, tilerow, tilecol].map(first)
  return toTile(gridOf(set ?? ''), zoomOf(matrix ?? ''), column ?? '', row ?? '')
}

/**
 * Reads a TMS path of GeoWebCache, which has layer, grid and format in one segment; without a grid the tile
 * is in Web Mercator. Rows count from the south.
 */
function tileOfTms(path: string): RequestedTile | undefined {
  const [, layer = '', z = '', x = '', y = ''] = tmsPath.exec(path) ?? []
  if (z === '') return undefined
  const parts = decodeParameter(layer.replaceAll('+', '%2B')).split('@')
  const tile = toTile(parts.length > 1 ? gridOf(parts[1] ?? '') : 'mercator', z, x, y)
  if (tile === undefined) return undefined
  return { ...tile, y: 2 ** tile.z - 1 - tile.y }
}

function tileOfWmts(path: string): RequestedTile | undefined {
  const [, set = '', matrix = '', row = '', column = ''] = wmtsPath.exec(path) ?? []
  return set === ''
    ? undefined
    : toTile(gridOf(decodeParameter(set)), zoomOf(decodeParameter(matrix)), column, row)
}

function tileOfXyz(path: string): RequestedTile | undefined {
  const [, z = '', x = '', y = ''] = xyzPath.exec(path) ?? []
  return z === '' ? undefined : toTile('mercator', z, x, y)
}

function tileOfOgc(path: string): RequestedTile | undefined {
  const [, set = '', z = '', row = '', column = ''] = ogcPath.exec(path) ?? []
  return set === '' ? undefined : toTile(gridOf(decodeParameter(set)), z, column, row)
}

function gridOf(name: string): RequestedTile['grid'] | undefined {
  const last = /^urn:ogc:def:crs:EPSG:[\d.]*:(\d+)$/i.exec(name)?.[1] ?? name.slice(name.lastIndexOf('/') + 1)
  return grids.find(([, names]) => names.test(last))?.[0]
}

/** Returns the zoom level of a tile matrix, whose name is the level, or the name of the set and the level. */
function zoomOf(matrix: string): string {
  return /(?:^|:)(\d{1,2})$/.exec(matrix)?.[1] ?? ''
}

function toTile(
  grid: RequestedTile['grid'] | undefined,
  zoom: string,
  column: string,
  row: string,
): RequestedTile | undefined {
  if (grid === undefined || ![zoom, column, row].every((one) => /^\d{1,8}$/.test(one))) return undefined
  const [z, x, y] = [Number(zoom), Number(column), Number(row)]
  const columns = grid === 'mercator' ? 2 ** z : 2 ** (z + 1)
  return z > maxZoom || x >= columns || y >= 2 ** z ? undefined : { grid, z, x, y }
}
