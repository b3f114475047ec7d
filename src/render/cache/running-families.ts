import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { TileKey } from './cached-tile.ts'
import { familyText } from './cached-tile.ts'

interface Family {
  /**
   * True if the family had no file when its first tile was requested, so that all its stored tiles are listed
   * here.
   */
  isWhole: boolean
  tiles: Set<number>
}

const maxFamilies = 1000
const maxTiles = 500_000

/**
 * Lists the stored tiles of families that this process created, so that no file is read for tiles that do not
 * exist. If an entry is missing, a tile is made again.
 */
export class RunningFamilies {
  readonly #families = new Map<string, Family>()
  #tiles = 0

  /** True if the tile may be in a file. */
  mayHave(key: TileKey): boolean {
    const text = familyText(key)
    const family = this.#families.get(text)
    if (family === undefined) this.#families.set(text, { isWhole: false, tiles: new Set() })
    this.#dropOldest()
    return family?.isWhole !== true || family.tiles.has(numberOf(key.tile))
  }

  /** Notes that the family of a tile has no file. */
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
      if (this.#families.size <= maxFamilies && this.#tiles <= maxTiles) return
      this.#families.delete(text)
      this.#tiles -= tiles.size
    }
  }
}

/** Returns a unique number for a tile within its set: columns have at most 23 bits, rows 22. */
function numberOf({ z, x, y }: TileAddress): number {
  return (z * 2 ** 23 + x) * 2 ** 22 + y
}
