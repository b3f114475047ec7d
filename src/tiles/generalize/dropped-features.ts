import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import type { FeaturePositions } from './feature-positions.ts'
import { worldExponent, worldUnits } from './feature-positions.ts'
import type { LayerLevels } from './layer-generalization.ts'
import { levelOf, tileRange } from './tile-cells.ts'
import { TileCounter } from './tile-counter.ts'

/** Number of features that the tiles of one zoom level omit: alternating tile number and count. */
type LeftOut = readonly number[]

/** For each set and zoom level. */
export type LeftOutBySet = Record<TileMatrixSetId, LeftOut[]>

/** Maximum zoom level with precomputed edges. */
const knownZoom = 10
/** Number of parts of the world's height. */
const parts = 4096
const partUnits = worldUnits / parts

/** Number of a tile within its zoom level. */
export function tileNumber(set: TileMatrixSetId, { z, x, y }: TileAddress): number {
  return y * 2 ** levelOf(set, z) + x
}

/**
 * Counts for each tile of the first `levels` levels the features whose reference point it contains and that
 * it omits.
 */
export function countLeftOut(
  positions: FeaturePositions,
  { levels }: LayerLevels,
  depth: number,
): LeftOutBySet {
  return {
    WebMercatorQuad: countOf('WebMercatorQuad', positions, levels, depth),
    WorldCRS84Quad: countOf('WorldCRS84Quad', positions, levels, depth - 1),
  }
}

/**
 * Counts from the deepest zoom level to the first: each tile omits what its four children omit, and what only
 * they show.
 */
function countOf(
  set: TileMatrixSetId,
  positions: FeaturePositions,
  levels: Uint8Array,
  zooms: number,
): LeftOut[] {
  const own = countRows(set, positions, levels, zooms)
  const counts: LeftOut[] = []
  for (let z = zooms - 1; z >= 0; z -= 1) {
    const pairs = (own[z] as TileCounter).pairs()
    const parent = own[z - 1]
    if (parent !== undefined)
      for (let at = 0; at < pairs.length; at += 2)
        parent.add(parentOf(pairs[at] as number, levelOf(set, z - 1)), pairs[at + 1] as number)
    counts[z] = pairs
  }
  return counts
}

/** Returns the parent of a tile. */
function parentOf(part: number, level: number): number {
  const wide = 2 ** level
  const row = Math.floor(part / (wide * 2))
  return (row >>> 1) * wide + ((part - row * wide * 2) >>> 1)
}

/**
 * Counts for each zoom level the rows that it is the last to omit, and for the deepest one all that it omits.
 */
function countRows(
  set: TileMatrixSetId,
  { count, x, y, size }: FeaturePositions,
  levels: Uint8Array,
  zooms: number,
): TileCounter[] {
  const counts = Array.from({ length: zooms }, () => new TileCounter())
  const deepest = zooms - 1
  const level = levelOf(set, deepest)
  const wide = 2 ** level
  const right = worldExponent - level
  const before = levelOf(set, 1)
  const wides = Float64Array.from(counts, (_, zoom) => 2 ** levelOf(set, zoom))
  const findRow = rowFinder(set, deepest)
  for (let at = 0; at < count; at += 1) {
    const zoom = Math.min((levels[at] as number) - before, deepest)
    if (zoom < 0 || Number.isNaN(size[at] as number)) continue
    const column = ((x[at] as number) >>> right) - wide
    const row = findRow(y[at] as number)
    if (column < 0 || column >= wide || row < 0) continue
    const up = deepest - zoom
    ;(counts[zoom] as TileCounter).add((row >>> up) * (wides[zoom] as number) + (column >>> up), 1)
  }
  return counts
}

/** Returns a function that finds the tile row of a position at a zoom level; -1 outside of all rows. */
function rowFinder(set: TileMatrixSetId, z: number): (y: number) => number {
  const high = 2 ** z
  const edge = edgesOf(set, z)
  const top = edge(0)
  const bottom = edge(high)
  const search = (y: number, from: number, to: number): number => {
    let first = from
    let last = to
    while (first < last) {
      const middle = (first + last + 1) >>> 1
      if (y >= edge(middle)) first = middle
      else last = middle - 1
    }
    return first
  }
  // A part of the world's height contains few tile rows, so usually one or two are checked.
  const rowOfPart = Uint32Array.from({ length: parts + 1 }, (_, part) =>
    search(worldUnits + part * partUnits, 0, high - 1),
  )
  return (y) => {
    if (y < top || y >= bottom) return -1
    const part = Math.floor((y - worldUnits) / partUnits)
    if (part < 0 || part >= parts) return search(y, 0, high - 1)
    return search(y, rowOfPart[part] as number, rowOfPart[part + 1] as number)
  }
}

/**
 * Returns a function for the start of a tile row of a zoom level, in units. The first zoom levels are
 * precomputed.
 */
function edgesOf(set: TileMatrixSetId, z: number): (row: number) => number {
  const find = (row: number): number => tileRange(set, { z, x: 0, y: row }).minY
  const fine = Math.max(0, z - knownZoom)
  const known = Float64Array.from({ length: 2 ** (z - fine) + 1 }, (_, row) => find(row * 2 ** fine))
  const others = new Map<number, number>()
  return (row) => {
    const at = row >>> fine
    if (at << fine === row) return known[at] as number
    const found = others.get(row) ?? find(row)
    others.set(row, found)
    return found
  }
}
