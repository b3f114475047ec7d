import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import type { LayerLevels } from './layer-thinning.ts'
import type { Places } from './places.ts'
import { latitudeAt, worldUnits } from './places.ts'
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
export function countLeftOut(places: Places, { levels }: LayerLevels, zooms: number): LeftOutBySet {
  return {
    WebMercatorQuad: countOf('WebMercatorQuad', places, levels, zooms),
    WorldCRS84Quad: countOf('WorldCRS84Quad', places, levels, zooms - 1),
  }
}

/** From the deepest zoom to the first: each tile has what its four parts leave out, and what only they show. */
function countOf(set: TileMatrixSetId, places: Places, levels: Uint8Array, zooms: number): LeftOut[] {
  const rowsByLevel = groupByLevel(places, levels, levelOf(set, zooms))
  const counts: LeftOut[] = []
  let deeper = new Map<number, number>()
  for (let z = zooms - 1; z >= 0; z -= 1) {
    const find = tileFinder(set, z, places)
    const here = new Map<number, number>()
    const wide = 2 ** levelOf(set, z)
    for (const [number, count] of deeper) {
      const parent = Math.floor(number / (wide * 4)) * wide + ((number % (wide * 2)) >>> 1)
      add(here, parent, count)
    }
    for (const row of rowsByLevel[levelOf(set, z) + 1] ?? []) {
      const number = find(row)
      if (number !== undefined) add(here, number, 1)
    }
    counts[z] = [...here].sort(([a], [b]) => a - b).flat()
    deeper = here
  }
  return counts
}

function add(counts: Map<number, number>, number: number, count: number): void {
  counts.set(number, (counts.get(number) ?? 0) + count)
}

/** Rows by level; the last group has those of deeper levels too. */
function groupByLevel({ count, size }: Places, levels: Uint8Array, last: number): Uint32Array[] {
  const sizes = new Uint32Array(last + 1)
  const groupOf = (row: number): number => Math.min(levels[row] as number, last)
  for (let row = 0; row < count; row += 1) sizes[groupOf(row)] = (sizes[groupOf(row)] as number) + 1
  const groups = Array.from(sizes, (length) => new Uint32Array(length))
  const filled = new Uint32Array(last + 1)
  for (let row = 0; row < count; row += 1) {
    const group = groupOf(row)
    ;(groups[group] as Uint32Array)[filled[group] as number] = row
    filled[group] = (filled[group] as number) + 1
  }
  return groups.map((rows) => rows.filter((row) => !Number.isNaN(size[row] as number)))
}

/** The tile that holds a row's reference point; undefined for a point that stands in none. */
function tileFinder(set: TileMatrixSetId, z: number, { x, y }: Places): (row: number) => number | undefined {
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
  return (row) => {
    const column = Math.floor(((x[row] as number) / worldUnits) * wide) - wide
    const down = y[row] as number
    let tile = roughRow(set, down / worldUnits - 1, wide)
    while (tile > 0 && down < edge(tile)) tile -= 1
    while (tile < high && down >= edge(tile + 1)) tile += 1
    if (column < 0 || column >= wide || tile < 0 || tile >= high) return undefined
    return down < edge(tile) ? undefined : tile * wide + column
  }
}

/** The row of tiles, or one beside it. */
function roughRow(set: TileMatrixSetId, down: number, wide: number): number {
  const rows = set === 'WebMercatorQuad' ? down * wide : ((90 - latitudeAt(down)) / 360) * wide
  return Math.max(0, Math.floor(rows))
}
