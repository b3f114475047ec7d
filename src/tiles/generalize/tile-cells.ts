import type { Envelope } from '../../geo/envelope.ts'
import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import { tileExtent } from '../world.ts'
import { latitudeAt, toUnits, worldExponent, worldX, worldY } from './feature-positions.ts'
import type { LayerGeneralization, TileGeneralization } from './layer-generalization.ts'

/** Half the width of the Web Mercator square in metres. */
const halfWorld = Math.PI * 6_378_137
/**
 * Margin in cells: one because a feature smaller than a cell may be that far outside and still touch the
 * tile, one for the distortion of a CRS.
 */
const margin = 2

/**
 * Returns the level of the contents of the tiles at a zoom level. A tile of WorldCRS84Quad is as wide as one
 * of WebMercatorQuad one zoom level deeper: it shows the same features.
 */
export function levelOf(set: TileMatrixSetId, zoom: number): number {
  return set === 'WebMercatorQuad' ? zoom : zoom + 1
}

/** Returns the cell for thinning the tiles of a zoom level; undefined if they are not thinned. */
export function cellOf(
  { cells }: LayerGeneralization,
  set: TileMatrixSetId,
  zoom: number,
): number | undefined {
  return cells[levelOf(set, zoom)]
}

const unitHalvings = Math.log2(tileExtent)

/**
 * Returns the cells for sampling polygons of a tile, like `LayerGeneralization.cells`: those for thinning the zoom
 * level, otherwise the tile units. Undefined for layers without polygons, and if units are smaller than the
 * smallest cells.
 */
export function areaCellOf(
  thinning: TileGeneralization | undefined,
  set: TileMatrixSetId,
  zoom: number,
): number | undefined {
  if (thinning?.areas === undefined) return undefined
  const cell = thinning.cell ?? levelOf(set, zoom) + unitHalvings
  return cell > worldExponent ? undefined : cell
}

/**
 * Returns the box whose features determine what a thinned tile shows: `box` extended to whole cells, both in
 * units of the set (metres or degrees). Call before splitting the box at the antimeridian.
 */
export function widenToCells(set: TileMatrixSetId, box: Envelope, cell: number): Envelope {
  const count = 2 ** cell
  const before = (worlds: number): number => (Math.floor(worlds * count) - margin) / count
  const after = (worlds: number): number => (Math.ceil(worlds * count) + margin) / count
  if (set === 'WebMercatorQuad') {
    const width = 2 * halfWorld
    return {
      minX: (before(box.minX / width + 0.5) - 0.5) * width,
      minY: (0.5 - after(0.5 - box.minY / width)) * width,
      maxX: (after(box.maxX / width + 0.5) - 0.5) * width,
      maxY: (0.5 - before(0.5 - box.maxY / width)) * width,
    }
  }
  return {
    minX: (before(worldX(box.minX)) - 0.5) * 360,
    minY: latitudeAt(after(worldY(box.minY))),
    maxX: (after(worldX(box.maxX)) - 0.5) * 360,
    maxY: latitudeAt(before(worldY(box.maxY))),
  }
}

/** Range of a tile in units: the first unit inside, and the first unit beyond it. */
export interface TileRange {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

/**
 * Returns the range of positions whose features count as features of a tile: each feature is in one tile of a
 * zoom level.
 */
export function tileRange(set: TileMatrixSetId, { z, x, y }: TileAddress): TileRange {
  const wide = 2 ** levelOf(set, z)
  const top = (row: number): number =>
    set === 'WebMercatorQuad' ? row / wide : worldY(90 - (row * 360) / wide)
  return {
    minX: toUnits(x / wide),
    minY: toUnits(top(y)),
    maxX: toUnits((x + 1) / wide),
    maxY: toUnits(top(y + 1)),
  }
}
