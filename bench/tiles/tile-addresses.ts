import type { Envelope } from '../../src/geo/envelope.ts'
import type { TileAddress } from '../../src/tiles/tile-matrix-sets.ts'
import { seededRandom } from '../random.ts'

/** Tiles of a zoom that lie well within a region, in an order of chance that is the same at each run; `most` at most. */
export function tilesWithin(region: Envelope, z: number, most: number): TileAddress[] {
  const columns = spanOf(columnOf(region.minX, z), columnOf(region.maxX, z))
  const rows = spanOf(rowOf(region.maxY, z), rowOf(region.minY, z))
  const random = seededRandom(z + 1)
  const count = columns.length * rows.length
  const taken = new Set<number>()
  const tiles: TileAddress[] = []
  while (tiles.length < Math.min(most, count)) {
    const at = Math.floor(random() * count)
    if (taken.has(at)) continue
    taken.add(at)
    const x = columns[at % columns.length]
    const y = rows[Math.floor(at / columns.length)]
    if (x !== undefined && y !== undefined) tiles.push({ z, x, y })
  }
  return tiles
}

/** Without the first and the last, which reach beyond the data, where others are left. */
function spanOf(from: number, to: number): number[] {
  const all = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return all.length > 4 ? all.slice(1, -1) : all
}

function columnOf(longitude: number, z: number): number {
  return Math.floor(((longitude + 180) / 360) * 2 ** z)
}

function rowOf(latitude: number, z: number): number {
  const y = Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI
  return Math.floor(((1 - y) / 2) * 2 ** z)
}
