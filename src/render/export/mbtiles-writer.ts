import { rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { ArchivedTile, ArchiveFacts, ArchiveWriter } from './archive.ts'
import { centerOf, vectorLayers } from './archive.ts'

const schema = `
PRAGMA application_id = 0x4d504258;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE metadata (name text, value text);
CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
BEGIN;`

/** Writes MBTiles 1.3. */
export class MbtilesWriter implements ArchiveWriter {
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #insert
  #sizeBytes = 0

  constructor(path: string) {
    this.#path = path
    this.#db = new DatabaseSync(path)
    this.#db.exec(schema)
    this.#insert = this.#db.prepare('INSERT INTO tiles VALUES (?, ?, ?, ?)')
  }

  add(tiles: readonly ArchivedTile[]): number {
    for (const { tile, bytes } of tiles) {
      const { z, x, y } = tile
      this.#insert.run(z, x, 2 ** z - 1 - y, bytes)
      this.#sizeBytes += bytes.length + 40
    }
    return this.#sizeBytes
  }

  finish(facts: ArchiveFacts): number {
    const insert = this.#db.prepare('INSERT INTO metadata VALUES (?, ?)')
    const { name, description, bounds, minZoom, maxZoom, version } = facts
    const metadata = {
      name,
      format: 'pbf',
      type: 'overlay',
      version: String(version),
      minzoom: String(minZoom),
      maxzoom: String(maxZoom),
      bounds: bounds.join(','),
      center: centerOf(facts).join(','),
      description,
      json: JSON.stringify({ vector_layers: vectorLayers(facts) }),
    }
    for (const [key, value] of Object.entries(metadata)) if (value !== undefined) insert.run(key, value)
    this.#db.exec(
      'CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row); COMMIT; PRAGMA optimize',
    )
    this.#db.close()
    return statSync(this.#path).size
  }

  discard(): void {
    if (this.#db.isOpen) this.#db.close()
    rmSync(this.#path, { force: true })
  }
}
