import { notFound } from '../../../core/errors/errors.ts'
import type { TileMatrixSetId } from '../../../tiles/tile-matrix-sets.ts'
import type { TileFormat } from '../wmts/tile-request.ts'

/** A layer in a grid and format, as paths name it. */
export interface TileMap {
  layer: string
  grid: string
  set: TileMatrixSetId
  format: TileFormat
  /** File name extension. */
  ending: string
}

/** Grids by their names in GeoWebCache; the first is the default. */
export const grids: readonly (Pick<TileMap, 'grid' | 'set'> & { profile: string })[] = [
  { grid: 'EPSG:900913', set: 'WebMercatorQuad', profile: 'global-mercator' },
  { grid: 'EPSG:3857', set: 'WebMercatorQuad', profile: 'global-mercator' },
  { grid: 'EPSG:4326', set: 'WorldCRS84Quad', profile: 'global-geodetic' },
]
const formats = new Map<string, TileMap['format']>([
  ['png', 'png'],
  ['png8', 'png'],
  ['jpeg', 'jpeg'],
  ['jpg', 'jpeg'],
  ['pbf', 'mvt'],
  ['mvt', 'mvt'],
])

/** `<layer>@<grid>@<format>`; the ending of a file wins. Throws `Failure` (`not-found`). */
export function readTileMap(name: string, ending?: string): TileMap {
  const [layer = '', grid = 'EPSG:900913', named = 'png', ...more] = name.split('@')
  const found = grids.find((one) => one.grid.toLowerCase() === grid.toLowerCase())
  const format = formats.get((ending ?? named).toLowerCase())
  if (found === undefined || format === undefined || more.length > 0)
    throw notFound(
      'unknown-tile-map',
      `There is no tile map "${name.slice(0, 200)}": expected <workspace>:<layer>@<grid>@<format> with ${grids.map((one) => one.grid).join(', ')} and png, jpeg or pbf`,
    )
  return { layer, grid: found.grid, set: found.set, format, ending: format === 'mvt' ? 'pbf' : format }
}
