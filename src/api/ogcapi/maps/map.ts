import { Type } from 'typebox'
import type { LayerRecord } from '../../../catalog/index.ts'
import { notFound } from '../../../core/errors/errors.ts'
import { type MapFormat, mapMediaTypes, parseTime } from '../../../render/index.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { Bytes, media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { hasAlready, setCacheControl } from '../../tiles/caching.ts'
import { rasterSymbols, styleFor } from '../../tiles/drawn-style.ts'
import { readableLayer } from '../about-layer.ts'
import { collectionId } from '../collection.ts'
import type { OgcDeps } from '../ogc-deps.ts'
import type { Representation } from '../representations.ts'
import { chosenRepresentation, represented } from '../representations.ts'
import { CollectionParams } from '../schemas.ts'
import type { MapImageRequest, MapParameters } from './map-query.ts'
import { contentBbox, isCrs84, MapQuery, readBackground, readFrame } from './map-query.ts'

const StyleParams = Type.Object({
  collectionId: Type.String({ description: 'Workspace and layer, such as `city:heights`' }),
  styleId: Type.String({ description: "A style of the layer's workspace or a global one" }),
})

type MapDeps = Pick<OgcDeps, 'catalog' | 'version' | 'sharedMaxAgeSeconds' | 'tiles'>

const formats: [name: MapFormat, title: string][] = [
  ['png', 'PNG'],
  ['webp', 'WebP'],
  ['jpeg', 'JPEG'],
]
const offeredMaps: readonly Representation[] = formats.map(([name, title]) => ({
  name,
  title,
  mediaType: mapMediaTypes[name],
  schema: Bytes,
  aliases: name === 'jpeg' ? ['jpg'] : undefined,
}))

type MapRequest = FastifyRequest<{
  Params: { collectionId: string; styleId?: string }
  Querystring: MapParameters
}>

const marks = {
  tags: ['coverages'],
  isPublicRead: true,
  isHeavy: true,
  description:
    'Uses the style of the layer or the given one. Each pixel shows the value at its centre. A raster whose grid does not align with web mercator is warped once; until then the response is 503 with the code `tiles-being-made` and `Retry-After`.',
  query: MapQuery,
  answers: { 200: media('A picture', { 'image/png': Bytes }) },
}

export const getCollectionMap = represented(
  offeredMaps,
  operation({
    ...marks,
    summary: 'A picture of a coverage or mosaic',
    params: CollectionParams,
    handle: (deps: MapDeps, request, reply) => sendMap(deps, request, reply),
  }),
)

export const getStyledMap = represented(
  offeredMaps,
  operation({
    ...marks,
    summary: 'A picture of a coverage or mosaic by one of its styles',
    params: StyleParams,
    handle: (deps: MapDeps, request, reply) => sendMap(deps, request, reply),
  }),
)

/** Throws `Failure` (`no-map`) for a layer of features. */
function requireCoverage(layer: LayerRecord): LayerRecord {
  if (layer.details.kind === 'raster') return layer
  const id = collectionId(layer)
  throw notFound(
    'no-map',
    `Collection "${id}" contains features, which have no map here: use the vector tiles at /ogc/collections/${id}/tiles or the thumbnail at /tiles/${id}/thumbnail.png`,
  )
}

async function sendMap(deps: MapDeps, request: MapRequest, reply: FastifyReply): Promise<unknown> {
  const layer = requireCoverage(await readableLayer(deps.catalog, request))
  const format = (chosenRepresentation(request)?.name ?? 'png') as MapFormat
  const { style, key } = await styleFor(deps, request, layer, request.params.styleId)
  const background = readBackground(request.query, format === 'jpeg')
  const time = parseTime(request.query.datetime)
  const known = await deps.catalog.layers.versionOf(layer)
  const { version, sharedMaxAgeSeconds } = deps
  const keeping = { version: `${version}-${key}-${format}`, sharedMaxAgeSeconds }
  if (hasAlready(request, keeping, [{ layer, ...known }])) {
    setCacheControl(keeping, reply, [{ layer, ...known }])
    return reply.code(304).send()
  }
  const made = await deps.tiles.limiter.run(reply, async (signal) => {
    const { maxzoom } = await deps.tiles.rasters.zooms(layer, signal)
    const mapImageRequest = await readFrame(layer, request.query, maxzoom)
    const symbols = rasterSymbols(style, mapImageRequest.frame.zoom)
    const times = time === undefined ? undefined : [time]
    const query = { frame: mapImageRequest.frame, symbols, times, format, background }
    return { requested: mapImageRequest, ...(await deps.tiles.rasters.map(layer, query, signal)) }
  })
  if (made === undefined) return reply.hijack()
  setCacheControl(keeping, reply, [{ layer, version: made.version, isCurrent: made.isCurrent }])
  sayWhat(reply, layer, made.requested, time)
  return reply.header('content-type', mapMediaTypes[format]).send(Buffer.from(made.bytes))
}

/** Sets the headers that describe the image (OGC 20-058, /req/core/map-response). */
function sayWhat(
  reply: FastifyReply,
  { details: { times } }: LayerRecord,
  request: MapImageRequest,
  time: ReturnType<typeof parseTime>,
): void {
  reply.header('content-bbox', contentBbox(request))
  if (!isCrs84(request)) reply.header('content-crs', `<${request.crs.uri}>`)
  if (times === undefined) return
  const { fromMs, toMs } = time ?? { fromMs: Date.parse(times.to), toMs: Date.parse(times.to) }
  const first = Number.isFinite(fromMs) ? new Date(fromMs).toISOString() : times.from
  const last = Number.isFinite(toMs) ? new Date(toMs).toISOString() : times.to
  reply.header('content-datetime', first === last ? first : `${first}/${last}`)
}
