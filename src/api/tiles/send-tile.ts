import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Catalog, LayerRecord, Layers } from '../../catalog/index.ts'
import { BoundedCache } from '../../core/caches/bounded-cache.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { Maps, PreviousVersions, Rasters } from '../../render/index.ts'
import type { Tile, TileRequest } from '../../stores/index.ts'
import type { TileAddress, TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, isTileOf } from '../../tiles/tile-matrix-sets.ts'
import { chooseEncoding } from '../accepted-encodings.ts'
import type { FastifyReply } from '../app-types.ts'
import type { CachingSettings, LayerAtVersion } from './caching.ts'
import { hasAlready, setCacheControl } from './caching.ts'
import type { TileLimiter } from './tile-limiter.ts'
import { chosenProperties, parseProperties, unknownProperties } from './tile-query.ts'

/** Media type of vector tiles. */
export const mvt = 'application/vnd.mapbox-vector-tile'
const gzipLevel = 1

const unzip = promisify(gunzip)
const zip = promisify<Uint8Array, { level: number }, Buffer>(gzip)

/** Dependencies of the endpoints below `/tiles`. */
export interface TileDeps extends CachingSettings {
  catalog: Pick<Catalog, 'layers' | 'layerGroups'>
  maps: Maps
  /** Earlier versions of layers. */
  earlier: Pick<PreviousVersions, 'at' | 'tile'>
  rasters: Pick<Rasters, 'zooms' | 'map'>
  /** Limits for all tile requests of the server. */
  limiter: TileLimiter
}

/** Options of a response with a tile. */
interface SendTileOptions {
  /** Versions that the client takes the layers to have. */
  v?: string | undefined
  /** May throw for an empty tile, instead of an empty response. */
  whenEmpty?(): Promise<void>
}

/** Parses the numbers of a tile in a path; throws `Failure` (`not-found`) if the set has no such tile. */
export function parseTile(set: TileMatrixSetId, { z, x, y }: Record<keyof TileAddress, string>): TileAddress {
  const isPlain = [z, x, y].every((text) => /^(?:0|[1-9]\d{0,7})$/.test(text))
  const tile = { z: Number(z), x: Number(x), y: Number(y) }
  if (isPlain && isTileOf(getTileMatrixSet(set), tile)) return tile
  throw unknownTile(set, { z, x, y })
}

export function unknownTile(set: TileMatrixSetId, { z, x, y }: Record<keyof TileAddress, string>): Error {
  return notFound('unknown-tile', `There is no tile ${z}/${x}/${y} (zoom, column, row) by ${set}`)
}

/** Sends a vector tile with the layers in sequence. The caller may read them. */
export async function sendTile(
  deps: Pick<TileDeps, 'catalog' | 'maps' | 'limiter' | 'version' | 'sharedMaxAgeSeconds'>,
  reply: FastifyReply,
  layers: readonly LayerRecord[],
  tileRequest: TileRequest,
  { v, whenEmpty }: SendTileOptions = {},
): Promise<FastifyReply> {
  const { request } = reply
  const names = parseProperties(request.url)
  const unknown = unknownProperties(layers, names)
  if (unknown.length > 0) request.reportIgnored(unknown.map((name) => `properties=${name}`))
  const known =
    request.headers['if-none-match'] === undefined ? [] : await versionsOf(deps.catalog.layers, layers)
  if (known.length > 0 && hasAlready(request, deps, known)) {
    setCacheControl(deps, reply, known, v)
    return reply.code(304).send()
  }
  const tiles = await deps.limiter.run(reply, (signal) =>
    Promise.all(
      layers.map((layer) =>
        deps.maps.tile(layer, { ...tileRequest, attributes: chosenProperties(layer, names) }, signal),
      ),
    ),
  )
  if (tiles === undefined) return reply.hijack()
  if (tiles.every(({ bytes }) => bytes.length === 0)) await whenEmpty?.()
  const sent = tiles.map(({ version, isCurrent }, index) => {
    return { layer: layers[index] as LayerRecord, version, isCurrent }
  })
  setCacheControl(deps, reply, sent, v)
  return sendBytes(reply, tiles)
}

/** Returns the current versions of layers. */
export function versionsOf(
  catalogLayers: Pick<Layers, 'versionOf'>,
  layers: readonly LayerRecord[],
): Promise<LayerAtVersion[]> {
  return Promise.all(layers.map(async (layer) => ({ layer, ...(await catalogLayers.versionOf(layer)) })))
}

/** Returns the counts of a tile's rows, such as `drawn=184, thinned=12` (a dictionary of RFC 9651). */
export function countsText(tiles: readonly Pick<Tile, 'counts'>[]): string {
  const [first, ...others] = tiles
  const sums: Record<string, number> = others.length === 0 ? { ...first?.counts } : sumOfCounts(tiles)
  let text = ''
  for (const name of Object.keys(sums))
    text += `${text === '' ? '' : ', '}${countNames.get(name, toKebab)}=${sums[name]}`
  return text
}

function sumOfCounts(tiles: readonly Pick<Tile, 'counts'>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { counts } of tiles)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

const countNames = new BoundedCache<string, string>(100)

function toKebab(name: string): string {
  return name.replace(/[A-Z]/g, '-$&').toLowerCase()
}

/** Cached `Accept-Encoding` values, of which there are few. */
const gzipTakers = new BoundedCache<string, boolean>(100)
const longestRemembered = 200

function takesGzip(accepted = ''): boolean {
  const find = (text: string): boolean => chooseEncoding(['gzip'], text) === 'gzip'
  return accepted.length > longestRemembered ? find(accepted) : gzipTakers.get(accepted, find)
}

/** Sends the tiles as stored, or decompressed for clients without gzip. */
async function sendBytes(
  reply: FastifyReply,
  tiles: readonly Pick<Tile, 'bytes' | 'counts'>[],
): Promise<FastifyReply> {
  reply.header('terrane-tile', countsText(tiles))
  const parts = tiles.map(({ bytes }) => bytes).filter(({ length }) => length > 0)
  const [first, ...others] = parts
  if (first === undefined) return reply.code(204).send()
  reply.header('content-type', mvt)
  const isZipped = takesGzip(reply.request.headers['accept-encoding'])
  if (isZipped) reply.header('content-encoding', 'gzip')
  if (isZipped && others.length === 0)
    return reply.send(Buffer.from(first.buffer, first.byteOffset, first.byteLength))
  // Not every client reads beyond the first of several compressed members.
  const whole = Buffer.concat(await Promise.all(parts.map((bytes) => unzip(bytes))))
  return reply.send(isZipped ? await zip(whole, { level: gzipLevel }) : whole)
}
