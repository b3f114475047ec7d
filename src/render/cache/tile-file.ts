import { renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { CachedTile, TileFamily, TileKey } from './cached-tile.ts'
import { sealOf } from './cached-tile.ts'

/** Time that a write waits for another server that writes to the same file. */
const busyMs = 100
const maxLogBytes = 4 << 20
/** Suffix of files that are being created. */
export const unfinishedEnding = '.new'

/** Schema of MBTiles 1.3 with the tables `metadata` and `tiles`; `tiles` is a view without empty tiles. */
const schema = `
CREATE TABLE metadata (name text, value text);
CREATE TABLE kept_tiles (
  zoom_level integer, tile_column integer, tile_row integer, tile_data blob, counts text, seal integer,
  PRIMARY KEY (zoom_level, tile_column, tile_row)
);
CREATE VIEW tiles AS
  SELECT zoom_level, tile_column, tile_row, tile_data FROM kept_tiles WHERE length(tile_data) > 0;
CREATE TABLE uses (
  zoom_level integer, tile_column integer, tile_row integer, asked integer, used integer,
  PRIMARY KEY (zoom_level, tile_column, tile_row)
) WITHOUT ROWID;`

const isTile = 'zoom_level = ? AND tile_column = ? AND tile_row = ?'

/** Key of a tile within the file, with the number of its requests. */
export interface CountedTile {
  tile: TileAddress
  asked: number
}

/** The error for a damaged file, which must be deleted. */
export class DamagedFile extends Error {
  constructor(path: string) {
    super(`${path} is damaged`)
    this.name = 'DamagedFile'
  }
}

/** Rows of MBTiles count from the south (TMS). */
function placeOf({ z, x, y }: TileAddress): [number, number, number] {
  return [z, x, 2 ** z - 1 - y]
}

/**
 * The tiles of one family in an MBTiles file, which several processes may have open. Each tile has a checksum
 * of its contents and key.
 */
export class TileFile {
  readonly path: string
  readonly #db: DatabaseSync
  readonly #find
  readonly #keep
  readonly #use

  /** Opens an existing file. Throws the errors of SQLite. */
  constructor(path: string) {
    this.path = path
    this.#db = new DatabaseSync(path, { timeout: busyMs })
    try {
      this.#db.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${maxLogBytes}`,
      )
      this.#find = this.#db.prepare(`SELECT tile_data, counts, seal FROM kept_tiles WHERE ${isTile}`)
      this.#keep = this.#db.prepare('INSERT OR REPLACE INTO kept_tiles VALUES (?, ?, ?, ?, ?, ?)')
      this.#use = this.#db.prepare(
        'INSERT INTO uses VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET asked = asked + ?4, used = ?5',
      )
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  /** Throws `DamagedFile` if the entry contains another tile. */
  find(key: TileKey): CachedTile | undefined {
    const row = this.#find.get(...placeOf(key.tile))
    if (row === undefined) return undefined
    const { tile_data: bytes, counts, seal } = row
    if (!(bytes instanceof Uint8Array) || typeof counts !== 'string') throw new DamagedFile(this.path)
    if (sealOf(key, bytes, counts) !== seal) throw new DamagedFile(this.path)
    return { bytes, counts: JSON.parse(counts), version: key.version, isCurrent: true }
  }

  keep(tiles: readonly { key: TileKey; tile: CachedTile }[]): void {
    this.#alone(() => {
      for (const { key, tile } of tiles) {
        const counts = JSON.stringify(tile.counts)
        this.#keep.run(...placeOf(key.tile), tile.bytes, counts, sealOf(key, tile.bytes, counts))
      }
    })
  }

  /** Records numbers of requests of tiles, and the time of the last one, in seconds. */
  use(tiles: readonly CountedTile[], atSeconds: number): void {
    this.#alone(() => {
      for (const { tile, asked: requested } of tiles) this.#use.run(...placeOf(tile), requested, atSeconds)
    })
  }

  /** Returns the most requested tiles first. */
  mostRequested(limit: number): CountedTile[] {
    const rows = this.#db.prepare('SELECT * FROM uses WHERE asked > 0 ORDER BY asked DESC LIMIT ?').all(limit)
    return rows.map((row) => {
      const z = Number(row['zoom_level'])
      const y = 2 ** z - 1 - Number(row['tile_row'])
      return { tile: { z, x: Number(row['tile_column']), y }, asked: Number(row['asked']) }
    })
  }

  /** Deletes the least recently used quarter, and returns the space to the disk. */
  trim(): void {
    this.#alone(() => {
      this.#db.exec(`
        DELETE FROM kept_tiles WHERE rowid IN (
          SELECT kept_tiles.rowid FROM kept_tiles LEFT JOIN uses USING (zoom_level, tile_column, tile_row)
          ORDER BY coalesce(used, 0) LIMIT (SELECT (count(*) + 3) / 4 FROM kept_tiles));
        DELETE FROM uses WHERE NOT EXISTS (
          SELECT 1 FROM kept_tiles k WHERE k.zoom_level = uses.zoom_level AND k.tile_column = uses.tile_column
            AND k.tile_row = uses.tile_row)`)
    })
    this.#db.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)')
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  #alone(write: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      write()
      this.#db.exec('COMMIT')
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }
}

/** Creates a file that becomes visible when it is complete. */
export function createTileFile(path: string, family: TileFamily, metadata: Record<string, string>): void {
  const unfinished = `${path}${unfinishedEnding}`
  const db = new DatabaseSync(unfinished)
  try {
    db.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = 0x4d504258; BEGIN; ${schema}`)
    const insert = db.prepare('INSERT INTO metadata VALUES (?, ?)')
    const all = { ...metadata, terrane_family: JSON.stringify(family) }
    for (const [name, value] of Object.entries(all)) insert.run(name, value)
    db.exec('COMMIT')
  } finally {
    db.close()
  }
  renameSync(unfinished, path)
}

/** Returns the family of a file from its metadata; undefined if it is not one of the server's files. */
export function readFamily(path: string): TileFamily | undefined {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: busyMs })
    const row = db.prepare("SELECT value FROM metadata WHERE name = 'terrane_family'").get()
    return JSON.parse(String(row?.['value'])) as TileFamily
  } catch {
    return undefined
  } finally {
    db?.close()
  }
}
