import type { Envelope } from '../../geo/envelope.ts'
import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import { tileExtent } from '../tile-units.ts'
import type { LayerThinning, TileThinning } from './layer-thinning.ts'
import { latitudeAt, toUnits, worldExponent, worldX, worldY } from './places.ts'

/** Half the width of web mercator's square in metres. */
const halfWorld = Math.PI * 6_378_137
/** One cell, since what is smaller than a cell may stand that far outside and touch; one for what a CRS bends. */
const margin = 2

/**
 * The level of what the tiles of a zoom show. A tile of WorldCRS84Quad is as wide as one of WebMercatorQuad a zoom deeper:
 * it shows the same features.
 */
export function levelOf(set: TileMatrixSetId, zoom: number): number {
  return set === 'WebMercatorQuad' ? zoom : zoom + 1
}

/** The cell that the tiles of a zoom are thinned by; undefined where they are not. */
export function cellOf({ cells }: LayerThinning, set: TileMatrixSetId, zoom: number): number | undefined {
  return cells[levelOf(set, zoom)]
}

const unitHalvings = Math.log2(tileExtent)

/**
 * The cells by which polygons of a tile are sampled, as `LayerThinning.cells`: those that the zoom is thinned by, otherwise the units of
 * the tile. Undefined for layers without polygons, and where units are smaller than the smallest cells.
 */
export function areaCellOf(
  thinning: TileThinning | undefined,
  set: TileMatrixSetId,
  zoom: number,
): number | undefined {
  if (thinning?.areas === undefined) return undefined
  const cell = thinning.cell ?? levelOf(set, zoom) + unitHalvings
  return cell > worldExponent ? undefined : cell
}

/**
 * The box whose features decide what a thinned tile shows: `box` widened to whole cells, both in the units of the set
 * (metres or degrees). To be widened before it is split at the antimeridian.
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

/** In units: the first that a tile holds, and the first beyond it. */
export interface TileRange {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

/** The places whose features count as those of a tile: each stands in one tile of a zoom. */
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
