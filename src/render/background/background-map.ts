import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { BoundedCache } from '../../core/caches/bounded-cache.ts'

/** Deepest zoom level with tiles; beyond it maps enlarge them. */
export const deepestZoom = 5

const remembered = 200

/** A tile of the base map, compressed as stored, or decompressed for clients without gzip. */
export interface BackgroundTile {
  packed: Uint8Array
  plain(): Uint8Array
}

/** The base map of the world, below the data: tiles in a file shipped with the program. */
export class BackgroundMap {
  readonly #path: string
  readonly #tiles = new BoundedCache<string, { tile: BackgroundTile | undefined }>(remembered)
  #db: DatabaseSync | undefined
  #version: string | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Version of the tiles; differs if the tiles differ. */
  get version(): string {
    this.#version ??= createHash('sha256').update(readFileSync(this.#path)).digest('hex').slice(0, 8)
    return this.#version
  }

  /** Returns a tile; undefined if it shows only water. */
  tile(z: number, x: number, y: number): BackgroundTile | undefined {
    return this.#tiles.get(`${z}/${x}/${y}`, () => ({ tile: this.#read(z, x, y) })).tile
  }

  close(): void {
    this.#db?.close()
    this.#db = undefined
  }

  #read(z: number, x: number, y: number): BackgroundTile | undefined {
    this.#db ??= new DatabaseSync(this.#path, { readOnly: true })
    const sql = 'select tile_data from tiles where zoom_level = ? and tile_column = ? and tile_row = ?'
    const packed = this.#db.prepare(sql).get(z, x, 2 ** z - 1 - y)?.['tile_data']
    if (!(packed instanceof Uint8Array)) return undefined
    return { packed, plain: () => gunzipSync(packed) }
  }
}
