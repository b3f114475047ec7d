import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { TileAddress, TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'

/** Common properties of the tiles in one file. Plain data. */
export interface TileFamily {
  layerId: number
  version: number
  /**
   * Further parameters of the tiles, as a text that their maker parses, such as selected attributes or a
   * style.
   */
  variant: string
  set: TileMatrixSetId
  /** Format name in MBTiles. */
  format: 'pbf' | 'png' | 'webp'
}

/** Key of one tile. Plain data. */
export interface TileKey extends TileFamily {
  tile: TileAddress
}

/** A tile of a layer at one version. Plain data. */
export interface CachedTile<Counts = unknown> {
  /** As sent; empty if nothing is drawn. */
  bytes: Uint8Array
  /** Plain data. */
  counts: Counts
  version: number
  /**
   * True if no other program changed the data meanwhile, as far as known; otherwise do not cache by version.
   */
  isCurrent: boolean
}

/** Returns a text that is unique for the family. */
export function familyText({ layerId, version, variant, set, format }: TileFamily): string {
  return `${layerId}.${version}.${set}.${format}.${variant}`
}

/** The last key is cached, since its text is used several times per request. */
let last: { key: TileKey; text: string } | undefined

/** Returns a text that is unique for the tile. */
export function tileText(key: TileKey): string {
  if (last?.key === key) return last.text
  const { z, x, y } = key.tile
  const text = `${z}/${x}/${y}/${familyText(key)}`
  last = { key, text }
  return text
}

/** Returns the file name of the family, without its layer. */
export function familyName({ version, variant, set, format }: TileFamily): string {
  const digest = createHash('sha256').update(`${format} ${variant}`).digest('hex').slice(0, 16)
  return `${version}-${set}-${digest}`
}

/** Returns a checksum that detects a tile that was damaged on disk or stored under another key. */
export function sealOf(key: TileKey, bytes: Uint8Array, counts: string): number {
  return crc32(bytes, crc32(`${tileText(key)} ${counts}`))
}
