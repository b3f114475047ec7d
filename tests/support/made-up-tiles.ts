import { createHash } from 'node:crypto'
import type { CachedTile, TileKey } from '../../src/render/cache/cached-tile.ts'

/** A tile by its number, whose bytes follow from its place. */
export function madeUpTile(number: number): { key: TileKey; tile: CachedTile } {
  const place = { z: 12, x: number % 64, y: Math.floor(number / 64) }
  const family = { layerId: 7, version: 3, variant: '', set: 'WebMercatorQuad', format: 'pbf' } as const
  const digest = createHash('sha512').update(String(number)).digest()
  const bytes = new Uint8Array(Buffer.concat(Array.from({ length: 20 + (number % 100) }, () => digest)))
  return {
    key: { ...family, tile: place },
    tile: { bytes, counts: { number }, version: family.version, isCurrent: true },
  }
}
