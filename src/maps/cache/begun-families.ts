import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { TileKey } from './kept-tile.ts'
import { familyText } from './kept-tile.ts'

interface Family {
  /** Whether it had no file when the first of its tiles was looked for: all that were kept since are here. */
  isWhole: boolean
  tiles: Set<number>
}

const mostFamilies = 1000
const mostTiles = 500_000

/**
 * Knows of the families that this process has begun which of their tiles were kept: no file has to be asked for others.
 * Whoever is told too little makes a tile once more.
 */
export class BegunFamilies {
  readonly #families = new Map<string, Family>()
  #tiles = 0

  /** Whether the tile may stand in a file. */
  mayHave(key: TileKey): boolean {
    const text = familyText(key)
    const family = this.#families.get(text)
    if (family === undefined) this.#families.set(text, { isWhole: false, tiles: new Set() })
    this.#dropOldest()
    return family?.isWhole !== true || family.tiles.has(numberOf(key.tile))
  }

  /** There is no file of the family of a tile that was looked for. */
  begin(key: TileKey): void {
    const family = this.#families.get(familyText(key))
    if (family !== undefined) family.isWhole = true
  }

  keep(key: TileKey): void {
    const family = this.#families.get(familyText(key))
    if (family === undefined) return
    this.#tiles -= family.tiles.size
    family.tiles.add(numberOf(key.tile))
    this.#tiles += family.tiles.size
    this.#dropOldest()
  }

  #dropOldest(): void {
    for (const [text, { tiles }] of this.#families) {
      if (this.#families.size <= mostFamilies && this.#tiles <= mostTiles) return
      this.#families.delete(text)
      this.#tiles -= tiles.size
    }
  }
}

/** Another number for every tile of a set: columns have 23 bits at most, rows 22. */
function numberOf({ z, x, y }: TileAddress): number {
  return (z * 2 ** 23 + x) * 2 ** 22 + y
}
