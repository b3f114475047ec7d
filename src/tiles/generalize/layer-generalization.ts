import type { FeaturePositions } from './feature-positions.ts'
import { worldExponent } from './feature-positions.ts'
import { quadOrder } from './quad-order.ts'
import type { AreaRule } from './sample-points.ts'

/**
 * Thinning of a layer for each zoom level of WebMercatorQuad from 0 on: the side of a cell is the width of
 * the world halved `cells[zoom]` times. Zoom levels beyond the list are not thinned.
 */
export interface LayerGeneralization {
  cells: readonly number[]
  /** Absent for layers with only points or lines. */
  areas?: AreaRule
}

/** Thinning of one tile; absent members mean no thinning. Plain data: it is passed between threads. */
export interface TileGeneralization {
  /** Cell size for selecting rows around the tile; absent to show all, up to the maximum of a tile. */
  cell?: number
  /** See `LayerGeneralization`. */
  areas?: AreaRule
  /** A file with the precomputed selection of rows, and the level of the tile. */
  overview?: { path: string; level: number }
}

/** Limits of the rules; other values than the default are for tests. */
export interface GeneralizationLimits {
  /** Maximum number of features per tile before its zoom level is thinned. */
  features: number
}

/** Maximum number of features per tile before its zoom level is thinned. */
export const fewFeatures = 10_000
const usualLimits: GeneralizationLimits = { features: fewFeatures }

/** The deepest zoom level: that of WorldCRS84Quad at 22. */
const lastZoom = 23

/** A tile is 2^9 pixels wide. */
const pixelHalvings = 9
/** A cell is at most 2^3 pixels wide. */
const maxDoublings = 3
/** Cells that only thin polygons may be as small as a tile unit, an eighth of a pixel. */
const maxHalvings = 3
/**
 * If a tile has room for more polygons even with such cells, polygons are sampled by parts of a unit. Maximum
 * number of times that the side of a unit is halved for that: see `UnitCoverage`.
 */
const maxUnitHalvings = 6
/** Maximum number of rows that a tile may then read, as a share of its maximum number of features. */
const sampledShare = 1 / 4
/** Polygons of this size in units, and larger ones, are not sampled. */
const sampledUnits = 4
/** `shared` counts from four worlds' width. */
const worldHalvings = 2

/** Result of thinning the features of a layer. */
export interface LayerLevels {
  thinning: LayerGeneralization
  /** The first zoom level that shows each row. */
  levels: Uint8Array
  /** For each thinned zoom level the number of features in the fullest tile, including omitted ones. */
  fullest: number[]
}

/** Positions along the curve of `quadOrder`: neighbors in memory are neighbors on the map. */
interface Walk {
  count: number
  rows: Uint32Array
  shared: Uint8Array
  sizes: Float32Array
  /** See `FeaturePositions.first`. */
  first: Uint8Array | undefined
  areas: AreaRule | undefined
}

/**
 * Returns the cells of a layer and the level of each of its rows. `areas` requires positions with `first`. A
 * million rows take about a third of a second.
 */
export function findLevels(
  positions: FeaturePositions,
  limits: GeneralizationLimits = usualLimits,
  areas?: AreaRule,
): LayerLevels {
  const walk = walkOf(positions, areas)
  const { rows } = walk
  const cells: number[] = []
  const fullest: number[] = []
  /** First zoom level of each row, in the order of the walk. */
  const shown = new Uint8Array(rows.length).fill(lastZoom + 1)
  for (let zoom = 0; zoom <= lastZoom; zoom += 1) {
    const most = fullestTile(walk, zoom)
    if (most <= limits.features) break
    const cell = findCell(walk, zoom, limits.features)
    cells.push(cell)
    fullest.push(most)
    showAt(walk, zoom, cell, shown)
  }
  const depth = cells.length
  const levels = new Uint8Array(positions.count).fill(depth)
  for (let at = 0; at < rows.length; at += 1)
    levels[rows[at] as number] = Math.min(shown[at] as number, depth)
  return { thinning: areas === undefined ? { cells } : { cells, areas }, levels, fullest }
}

function walkOf(positions: FeaturePositions, areas: AreaRule | undefined): Walk {
  const { rows, shared } = quadOrder(positions)
  const sizes = new Float32Array(rows.length)
  for (let at = 0; at < rows.length; at += 1) sizes[at] = positions.size[rows[at] as number] as number
  const own = positions.first
  const first = own === undefined ? undefined : Uint8Array.from(rows, (row) => own[row] as number)
  return { count: rows.length, rows, shared, sizes, first, areas }
}

/** Returns the maximum number of reference points in a tile of the zoom level. */
function fullestTile({ count, shared }: Walk, zoom: number): number {
  const depth = zoom + worldHalvings
  let most = 0
  let start = 0
  for (let at = 1; at < count; at += 1) {
    if ((shared[at] as number) >= depth) continue
    if (at - start > most) most = at - start
    start = at
  }
  return Math.max(most, count - start)
}

/**
 * Returns the smallest cell with which no tile of the zoom level shows more than `limit`, or the largest
 * cell.
 */
function findCell(walk: Walk, zoom: number, limit: number): number {
  const halvings = walk.areas === 'all' ? pixelHalvings + maxHalvings : pixelHalvings
  const parts = walk.areas === 'all' ? maxUnitHalvings : 0
  for (let part = Math.min(parts, worldExponent - zoom - halvings); part > 0; part -= 1) {
    const cell = zoom + halvings + part
    if (isSampledWithin(walk, zoom, cell, { limit, largest: sampledUnits * 2 ** part })) return cell
  }
  const finest = Math.min(zoom + halvings, worldExponent)
  const coarsest = zoom + pixelHalvings - maxDoublings
  for (let cell = finest; cell > coarsest; cell -= 1) if (isWithin(walk, zoom, cell, limit)) return cell
  return coarsest
}

function isWithin(
  { count, shared, sizes, first, areas }: Walk,
  zoom: number,
  cell: number,
  limit: number,
): boolean {
  const tileDepth = zoom + worldHalvings
  const cellDepth = cell + worldHalvings
  const side = 2 ** -cell
  let shown = 0
  let isTaken = false
  for (let at = 0; at < count; at += 1) {
    const common = shared[at] as number
    if (common < tileDepth) shown = 0
    if (common < cellDepth) isTaken = false
    if (first === undefined ? (sizes[at] as number) >= side : (first[at] as number) <= cell) shown += 1
    else if (!isTaken && areas !== 'all') {
      isTaken = true
      shown += 1
    }
    if (shown > limit) return false
  }
  return true
}

/**
 * True if no tile of the zoom reads too many rows, or has too many sample points in the envelopes of those
 * that are shorter than `largest` cells.
 */
function isSampledWithin(
  { count, shared, sizes, first }: Walk,
  zoom: number,
  cell: number,
  { limit, largest }: { limit: number; largest: number },
): boolean {
  if (first === undefined) return false
  const tileDepth = zoom + worldHalvings
  const maxRows = limit * sampledShare
  const width = 2 ** cell
  let [shown, points] = [0, 0]
  for (let at = 0; at < count; at += 1) {
    if ((shared[at] as number) < tileDepth) shown = points = 0
    if ((first[at] as number) > cell) continue
    const size = (sizes[at] as number) * width
    shown += 1
    points += size < largest ? Math.max(1, size * size) : 1
    if (shown > maxRows || points > limit) return false
  }
  return true
}

/** Sets the level of the rows that this zoom is the first to show. */
function showAt(
  { count, rows, shared, sizes, first, areas }: Walk,
  zoom: number,
  cell: number,
  levels: Uint8Array,
): void {
  const depth = cell + worldHalvings
  const side = 2 ** -cell
  let best = -1
  for (let at = 0; at <= count; at += 1) {
    if (at === count || (shared[at] as number) < depth) {
      if (best >= 0 && (levels[best] as number) > zoom) levels[best] = zoom
      best = -1
    }
    if (at === count) break
    const size = sizes[at] as number
    if (first === undefined ? size >= side : (first[at] as number) <= cell) {
      if ((levels[at] as number) > zoom) levels[at] = zoom
    } else if (
      areas !== 'all' &&
      (best < 0 || comesBefore(size, rows[at] as number, sizes[best] as number, rows[best] as number))
    )
      best = at
  }
}

/** Order of preference of features: larger ones first, of equally large ones those with the lower key. */
export function comesBefore(size: number, row: number, otherSize: number, otherRow: number): boolean {
  return size > otherSize || (size === otherSize && row < otherRow)
}
