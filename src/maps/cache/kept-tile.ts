import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { TileAddress, TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'

/** What the tiles of one file have in common. Plain data. */
export interface TileFamily {
  layerId: number
  version: number
  /** What else the bytes depend on, as a text that its maker reads again: the attributes shown, a style. */
  variant: string
  set: TileMatrixSetId
  /** What the bytes are, by the word of MBTiles. */
  format: 'pbf' | 'png' | 'webp'
}

/** One tile that is or may be kept. Plain data. */
export interface TileKey extends TileFamily {
  tile: TileAddress
}

/** A tile as it is kept. Plain data. */
export interface KeptTile {
  /** As they are sent; empty where nothing is drawn. */
  bytes: Uint8Array
  /** What is known of the tile, as JSON. */
  counts: string
}

/** Another text for every other family. */
export function familyText({ layerId, version, variant, set, format }: TileFamily): string {
  return `${layerId}.${version}.${set}.${format}.${variant}`
}

/** While a tile is answered its text is needed several times, one after the other. */
let last: { key: TileKey; text: string } | undefined

/** Another text for every other tile. */
export function tileText(key: TileKey): string {
  if (last?.key === key) return last.text
  const { z, x, y } = key.tile
  const text = `${z}/${x}/${y}/${familyText(key)}`
  last = { key, text }
  return text
}

/** Stands for the family in names of files, but for its layer. */
export function familyName({ version, variant, set, format }: TileFamily): string {
  const digest = createHash('sha256').update(`${format} ${variant}`).digest('hex').slice(0, 16)
  return `${version}-${set}-${digest}`
}

/** By this a tile that was damaged on the disk, or got into another's place, is told from one that was kept so. */
export function sealOf(key: TileKey, { bytes, counts }: KeptTile): number {
  return crc32(bytes, crc32(`${tileText(key)} ${counts}`))
}
