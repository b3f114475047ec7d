import type { KeptTile } from './kept-tile.ts'

/** What an entry takes beside its bytes, about. */
const entryBytes = 500

/** The tiles that were asked for last, as many as fit. */
export class MemoryTiles {
  readonly #maxBytes: number
  readonly #tiles = new Map<string, KeptTile>()
  #sizeBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  find(text: string): KeptTile | undefined {
    const tile = this.#tiles.get(text)
    if (tile === undefined) return undefined
    this.#tiles.delete(text)
    this.#tiles.set(text, tile)
    return tile
  }

  keep(text: string, tile: KeptTile): void {
    const sizeBytes = sizeOf(tile)
    // One that took a good part of the room would put out many that are asked for more often.
    if (sizeBytes > this.#maxBytes / 8) return
    this.#remove(text)
    this.#tiles.set(text, tile)
    this.#sizeBytes += sizeBytes
    for (const oldest of this.#tiles.keys()) {
      if (this.#sizeBytes <= this.#maxBytes) return
      this.#remove(oldest)
    }
  }

  #remove(text: string): void {
    const tile = this.#tiles.get(text)
    if (tile === undefined) return
    this.#tiles.delete(text)
    this.#sizeBytes -= sizeOf(tile)
  }
}

function sizeOf({ bytes, counts }: KeptTile): number {
  return bytes.length + counts.length + entryBytes
}
