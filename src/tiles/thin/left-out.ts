import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import type { LayerLevels } from './layer-thinning.ts'
import type { Places } from './places.ts'
import { worldExponent } from './places.ts'
import { levelOf, tileRange } from './tile-cells.ts'

/** How many features the tiles of one zoom leave out: number of the tile, count, number, count and so on. */
type LeftOut = readonly number[]

/** Of each set, zoom by zoom. */
export type LeftOutBySet = Record<TileMatrixSetId, LeftOut[]>

/** A tile as one number among those of its zoom. */
export function tileNumber(set: TileMatrixSetId, { z, x, y }: TileAddress): number {
  return y * 2 ** levelOf(set, z) + x
}

/** Counts in each tile of the first `levels` levels the features whose reference point it holds and does not show. */
export function countLeftOut(places: Places, { levels }: LayerLevels, depth: number): LeftOutBySet {
  return {
    WebMercatorQuad: countOf('WebMercatorQuad', places, levels, depth),
    WorldCRS84Quad: countOf('WorldCRS84Quad', places, levels, depth - 1),
  }
}

/** From the deepest zoom to the first: each tile leaves out what its four parts do, and what only they show. */
function countOf(set: TileMatrixSetId, places: Places, levels: Uint8Array, zooms: number): LeftOut[] {
  const counts: LeftOut[] = []
  let parts = new Map<number, number>()
  for (let z = zooms - 1; z >= 0; z -= 1) {
    const level = levelOf(set, z)
    const isDeepest = z === zooms - 1
    const own = countRows(tileFinder(set, z), places, (row) => {
      const first = levels[row] as number
      return isDeepest ? first > level : first === level + 1
    })
    for (const [part, count] of parts) add(own, parentOf(part, level), count)
    counts[z] = [...own].sort(([a], [b]) => a - b).flat()
    parts = own
  }
  return counts
}

/** The tile around one of the next level. */
function parentOf(part: number, level: number): number {
  const wide = 2 ** level
  const row = Math.floor(part / (wide * 2))
  return (row >>> 1) * wide + ((part - row * wide * 2) >>> 1)
}

function add(counts: Map<number, number>, number: number, count: number): void {
  counts.set(number, (counts.get(number) ?? 0) + count)
}

function countRows(
  findTile: (x: number, y: number) => number | undefined,
  { count, x, y, size }: Places,
  isCounted: (row: number) => boolean,
): Map<number, number> {
  const counts = new Map<number, number>()
  for (let row = 0; row < count; row += 1) {
    if (!isCounted(row) || Number.isNaN(size[row] as number)) continue
    const number = findTile(x[row] as number, y[row] as number)
    if (number !== undefined) add(counts, number, 1)
  }
  return counts
}

/** The tile of a zoom that holds a place; undefined for a place that stands in none. */
function tileFinder(set: TileMatrixSetId, z: number): (x: number, y: number) => number | undefined {
  const wide = 2 ** levelOf(set, z)
  const high = 2 ** z
  const edges = new Map<number, number>()
  const edge = (row: number): number => {
    const known = edges.get(row)
    if (known !== undefined) return known
    const units = tileRange(set, { z, x: 0, y: row }).minY
    edges.set(row, units)
    return units
  }
  return (x, y) => {
    const column = (x >>> (worldExponent - levelOf(set, z))) - wide
    if (column < 0 || column >= wide || y < edge(0) || y >= edge(high)) return undefined
    let row = 0
    for (let step = high >>> 1; step > 0; step >>>= 1) if (y >= edge(row + step)) row += step
    return row * wide + column
  }
}
