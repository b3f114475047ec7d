import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import sharp from 'sharp'
import type { ImporterClient } from './importer-client.ts'
import { startImporter } from './importer-client.ts'
import { gdal, importRaster, rasterFixtures } from './rasters.ts'
import { repeating } from './until.ts'

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
  for (const hasTime = repeating(); ; ) {
    const reply = await app.inject({ method: 'GET', url: `/tiles/${path}`, headers: admin })
    const { statusCode: status, headers } = reply
    const code = status >= 400 ? (JSON.parse(reply.body) as { code: string }).code : undefined
    if (code === 'tiles-being-made' && (await hasTime())) continue
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

/** A picture of three bands in UTM. */
export const rgb = join(rasterFixtures, 'RGB.byte.tif')
/** A tile within it. */
export const rgbTile = [9, 144, 219] as const

/** A server with rasters that GDAL makes of others; gives their folder. */
export async function serveRasters(
  test: TestContext,
  files: Record<string, (target: string) => void>,
): Promise<{ client: ImporterClient; folder: string }> {
  const client = await startImporter(test)
  const folder = join(client.server.dataDir, 'incoming')
  for (const [name, make] of Object.entries(files)) {
    make(join(folder, name))
    await importRaster(client, name)
  }
  return { client, folder }
}

/** Makes a raster by `gdal_translate`. */
export const translated =
  (source: string, ...options: string[]) =>
  (target: string): void =>
    gdal('gdal_translate', '-q', ...options, source, target)

/** Names of the copies that were made for layers. */
export function copiesOf({ server }: ImporterClient): string[] {
  const folder = join(server.dataDir, 'maps')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.tif'))
}
