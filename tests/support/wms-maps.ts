import assert from 'node:assert/strict'
import sharp from 'sharp'
import type { ImporterClient } from './importer-client.ts'
import { repeating } from './until.ts'

/** In the CRS of a map, x before y. */
export type Box = readonly [minX: number, minY: number, maxX: number, maxY: number]

interface Answer {
  status: number
  type: string
  text: string
  bytes: Buffer
}

interface AskOptions {
  path?: string
  isAnonymous?: boolean
}

/** Repeats the request until the copies of rasters exist. */
export async function ask(
  { server: { app, admin } }: Pick<ImporterClient, 'server'>,
  query: string,
  { path = '/wms', isAnonymous = false }: AskOptions = {},
): Promise<Answer> {
  for (const hasTime = repeating(); ; ) {
    const headers = isAnonymous ? {} : admin
    const reply = await app.inject({ url: `${path}?service=WMS&${query}`, headers })
    if (reply.statusCode === 503 && (await hasTime())) continue
    const type = String(reply.headers['content-type'])
    return { status: reply.statusCode, type, text: reply.body, bytes: reply.rawPayload }
  }
}

/** Red, green, blue and alpha of each cell. */
export async function rgbaOf({ status, text, bytes }: Answer): Promise<Uint8Array> {
  assert.equal(status, 200, text.slice(0, 500))
  return sharp(bytes).ensureAlpha().raw().toBuffer()
}

/** Returns the query of a GetMap request in WMS 1.1.1. */
export function mapQuery(
  layers: string,
  srs: string,
  box: Box,
  [width, height]: readonly [number, number],
): string {
  return `version=1.1.1&request=GetMap&layers=${layers}&styles=&srs=${srs}&bbox=${box.join()}&width=${width}&height=${height}&format=image/png&transparent=true`
}

/** Returns one pixel of the image. */
export function cell(rgba: Uint8Array, width: number, x: number, y: number): number[] {
  return [...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]
}
