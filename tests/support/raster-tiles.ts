import assert from 'node:assert/strict'
import { join } from 'node:path'
import sharp from 'sharp'
import type { ImporterClient } from './importer-client.ts'
import { gdal } from './rasters.ts'
import { patience } from './until.ts'

export interface TilePicture {
  status: number
  headers: Record<string, unknown>
  /** Red, green, blue and alpha of each cell; empty where there is no picture. */
  rgba: Uint8Array
  width: number
  code: string | undefined
}

const half = 20037508.342789244

/** Requests a tile, and repeats the request while the server is still creating the tile. */
export async function pictureTile(client: ImporterClient, path: string): Promise<TilePicture> {
  const { app, admin } = client.server
  for (const hasTime = patience(); ; ) {
    const reply = await app.inject({ method: 'GET', url: `/tiles/${path}`, headers: admin })
    const { statusCode: status, headers } = reply
    const code = status >= 400 ? (JSON.parse(reply.body) as { code: string }).code : undefined
    if (code === 'tiles-being-made' && hasTime()) continue
    const rgba = status === 200 ? await rgbaOf(reply.rawPayload) : new Uint8Array()
    return { status, headers, rgba, width: Math.sqrt(rgba.length / 4), code }
  }
}

/** Red, green, blue and alpha of a picture. */
async function rgbaOf(picture: Uint8Array | string): Promise<Uint8Array> {
  return sharp(picture).ensureAlpha().raw().toBuffer()
}

/** The same tile as GDAL warps it from the original, by red, green, blue and alpha. */
export async function warpedTile(
  file: string,
  folder: string,
  [z, x, y]: readonly [number, number, number],
  ...options: string[]
): Promise<Uint8Array> {
  const size = (2 * half) / 2 ** z
  const box = [x * size - half, half - (y + 1) * size, (x + 1) * size - half, half - y * size].map(String)
  const target = join(folder, `warped-${z}-${x}-${y}.tif`)
  const grid = ['-t_srs', 'EPSG:3857', '-te', ...box, '-ts', '256', '256', '-dstalpha', '-overwrite']
  gdal('gdalwarp', '-q', ...grid, ...options, file, target)
  return rgbaOf(target)
}

/** The share of cells whose colours, where both are there, or whose alpha differ by more than `most`. */
export function differing(
  actual: Uint8Array,
  expected: Uint8Array,
  most: number,
): { color: number; alpha: number } {
  assert.equal(actual.length, expected.length)
  let [color, alpha] = [0, 0]
  for (let at = 0; at < actual.length; at += 4) {
    const isThere = (actual[at + 3] ?? 0) > 250 && (expected[at + 3] ?? 0) > 250
    if (Math.abs((actual[at + 3] ?? 0) - (expected[at + 3] ?? 0)) > most) alpha += 1
    const isOther = [0, 1, 2].some(
      (band) => Math.abs((actual[at + band] ?? 0) - (expected[at + band] ?? 0)) > most,
    )
    if (isThere && isOther) color += 1
  }
  return { color: color / (actual.length / 4), alpha: alpha / (actual.length / 4) }
}
