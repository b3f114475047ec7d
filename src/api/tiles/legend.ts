import { Type } from 'typebox'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { conflict, Failure } from '../../core/errors/errors.ts'
import { waitLimit } from '../../core/time/wait-limit.ts'
import type { Rasters } from '../../render/index.ts'
import {
  type Dimension,
  entrySvg,
  type Legend,
  type LegendEntry,
  type LegendRasters,
  legendOf,
  legendSvg,
  stackedLegendsSvg,
} from '../../styles/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { Bytes, media } from '../description.ts'
import { operation } from '../endpoint.ts'
import type { ReadableMember } from '../readable-groups.ts'
import { urlToken } from '../url-token.ts'
import type { DrawnStyle } from './drawn-style.ts'
import { styleFor, styleOfVersion } from './drawn-style.ts'
import type { PictureDeps, PictureMark } from './picture-deps.ts'
import { isKept, namedLayer, sendPicture } from './picture-deps.ts'
import { parseVersion, requestedVersion, requireLoginForVersions } from './version-tiles.ts'

type LegendDeps = Pick<PictureDeps, 'catalog' | 'rasters' | 'version' | 'sharedMaxAgeSeconds'>
/** Dependencies of legends as images. */
export type LegendImageDeps = LegendDeps & Pick<PictureDeps, 'pictures' | 'limiter'>

const Params = Type.Object({
  layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }),
})
const Query = Type.Object({
  style: Type.Optional(
    Type.String({ description: "A style of the layer's workspace or a global one; default the layer's" }),
  ),
  version: requestedVersion,
  ...urlToken,
})
const Color = Type.Object({ color: Type.String({ description: '#rrggbb' }), opacity: Type.Number() })
const LegendJson = Type.Object(
  {
    title: Type.String(),
    layer: Type.String(),
    style: Type.String(),
    version: Type.Integer(),
    entries: Type.Array(
      Type.Object({
        title: Type.String(),
        minScale: Type.Optional(Type.Number({ description: 'Scale denominator from which on it is drawn' })),
        maxScale: Type.Optional(Type.Number({ description: 'Scale denominator below which it is drawn' })),
        symbol: Type.Optional(Type.String({ description: 'The symbol as SVG' })),
        color: Type.Optional(Color),
        ramp: Type.Optional(
          Type.Object({
            stops: Type.Array(
              Type.Intersect([
                Color,
                Type.Object({
                  value: Type.Union([Type.Number(), Type.Null()]),
                  label: Type.Optional(Type.String()),
                }),
              ]),
            ),
            unit: Type.Optional(Type.String()),
          }),
        ),
      }),
    ),
    leftOut: Type.Integer({ description: 'Lines that were omitted because there are too many' }),
    messages: Type.Array(Type.String({ description: 'Parts of the style that the legend does not show' })),
  },
  { title: 'Legend' },
)

type Request = FastifyRequest<{
  Params: { layer: string }
  Querystring: { style?: string; version?: string }
}>

/** Pixels of a legend image per unit of its SVG. */
type LegendScale = 1 | 2

/** Time that a legend waits for the colour properties of a raster whose copy is being made. */
const patienceMs = 1500
const maxPalette = 256

interface Made {
  legend: Legend
  layer: LayerRecord
  style: string
  mark: PictureMark
  /** True for an earlier version, whose cache headers are set already. */
  isEarlier?: true
}

function dimensionOf({ details: { schema } }: LayerRecord): Dimension | undefined {
  const type = schema.geometry?.type ?? ''
  if (/Point$/.test(type)) return 0
  if (/(?:LineString|Curve)$/.test(type)) return 1
  return /(?:Polygon|Surface)$/.test(type) ? 2 : undefined
}

function hex(red: number, green: number, blue: number): string {
  return `#${Buffer.from([red, green, blue]).toString('hex')}`
}

/** Returns the properties of the layer's rasters, without those that take longer than a legend waits. */
async function aboutRasters(
  rasters: Rasters,
  layer: LayerRecord,
  messages: string[],
): Promise<LegendRasters> {
  const bands = (layer.details.raster?.bands ?? []).filter(({ color }) => color !== 'Alpha')
  const facts = await rasters.facts(layer, waitLimit(patienceMs)).catch((error: unknown) => {
    messages.push(
      error instanceof Failure
        ? `The values of the raster cannot be read: ${error.message}`
        : 'The values of the raster are still being read: repeat the request',
    )
    return undefined
  })
  const palette = facts?.palette
    ?.slice(0, maxPalette)
    .map(([red, green, blue, alpha], value) => ({
      value,
      color: hex(red, green, blue),
      opacity: alpha / 255,
    }))
  return {
    bands: bands.map(({ description, unit }, index) => {
      const stretch = facts?.stretches[index]
      const name = description ?? `band ${index + 1}`
      return { name, unit, stretch }
    }),
    palette,
    isColored: bands.length >= 3,
  }
}

async function makeLegend(
  catalog: Pick<Catalog, 'layers' | 'styles' | 'stores' | 'versions'>,
  rasters: Rasters,
  request: FastifyRequest,
  layer: LayerRecord,
  requested: string | undefined,
): Promise<Made> {
  const drawn = await styleFor({ catalog }, request, layer, requested)
  return legendBy(rasters, layer, drawn, await catalog.layers.versionOf(layer))
}

/** Returns the legend of a layer at an earlier version, which is not cached. */
async function makeEarlierLegend(
  catalog: Pick<Catalog, 'layers' | 'styles' | 'stores' | 'versions'>,
  rasters: Rasters,
  request: Request,
  layer: LayerRecord,
  version: number,
): Promise<Made> {
  const { style } = request.query
  const { details, version: of } = await catalog.versions.get({ ...layer, layer }, version)
  const then = { ...layer, details }
  const drawn =
    style === undefined || style === ''
      ? await styleOfVersion({ catalog }, then, version)
      : await styleFor({ catalog }, request, then, style)
  if (details.kind === 'raster' && of !== layer.version)
    throw conflict(
      'not-restorable',
      'Earlier versions of a raster cannot be drawn: restore the version first',
    )
  return { ...(await legendBy(rasters, then, drawn, { version, isCurrent: false })), isEarlier: true }
}

async function legendBy(
  rasters: Rasters,
  layer: LayerRecord,
  { style, name, key, messages }: DrawnStyle,
  known: { version: number; isCurrent: boolean },
): Promise<Made> {
  const dimension = dimensionOf(layer)
  const reported: string[] = []
  const legend = legendOf(style, {
    title: layer.details.title,
    dimension,
    rasters: layer.details.kind === 'raster' ? await aboutRasters(rasters, layer, reported) : undefined,
  })
  // Missing properties change without the version: such a response is not cached.
  const at = { layer, ...known, isCurrent: known.isCurrent && reported.length === 0 }
  return {
    legend: { ...legend, messages: [...messages, ...legend.messages, ...reported] },
    layer,
    style: name,
    mark: { at, key, v: undefined },
  }
}

async function answer(
  deps: LegendDeps,
  request: Request,
  reply: FastifyReply,
  send: (made: Made) => Promise<unknown> | unknown,
): Promise<unknown> {
  const layer = await namedLayer(deps.catalog, request)
  const { style, version } = request.query
  if (version !== undefined) {
    requireLoginForVersions(request)
    const made = await makeEarlierLegend(deps.catalog, deps.rasters, request, layer, parseVersion(version))
    keepPrivately(reply)
    return send(made)
  }
  const made = await makeLegend(deps.catalog, deps.rasters, request, layer, style)
  return isKept(deps, reply, made.mark) ? reply.send() : send(made)
}

function toEntryResponse(entry: LegendEntry): object {
  const { title, minScale, maxScale, color, ramp, symbols } = entry
  const finite = ramp && {
    ...ramp,
    stops: ramp.stops.map(({ value, ...stop }) => ({
      ...stop,
      value: Number.isFinite(value) ? value : null,
    })),
  }
  return {
    title,
    minScale,
    maxScale,
    symbol: symbols.length === 0 ? undefined : entrySvg(entry),
    color,
    ramp: finite,
  }
}

const marks = { tags: ['tiles'], isPublicRead: true, takesTokenInUrl: true, params: Params, query: Query }

export const getLegendSvg = operation({
  ...marks,
  summary: 'The legend of a layer as SVG',
  description: 'A drawing of the rules of the style with their labels, in the language of `language`.',
  answers: { 200: media('A picture', { 'image/svg+xml': Type.String() }) },
  handle: (deps: LegendDeps, request, reply) =>
    answer(deps, request, reply, ({ legend }) =>
      reply
        .header('content-type', 'image/svg+xml; charset=utf-8')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .send(legendSvg(legend).svg),
    ),
})

async function sendPng(
  deps: Pick<PictureDeps, 'pictures' | 'limiter' | 'version' | 'sharedMaxAgeSeconds'>,
  reply: FastifyReply,
  { legend, mark, isEarlier }: Made,
  scale: LegendScale,
): Promise<unknown> {
  const { svg, width, height } = legendSvg(legend)
  const bytes = await deps.limiter.run(reply, (signal) => {
    const size = { ownWidth: width, width: width * scale, height: height * scale }
    return deps.pictures.fromSvg({ svg, ...size, format: 'png' }, signal)
  })
  if (isEarlier && bytes !== undefined)
    return reply.header('content-type', 'image/png').send(Buffer.from(bytes))
  return bytes === undefined ? reply.hijack() : sendPicture(deps, reply, mark, { bytes, format: 'png' })
}

/** The legend of a layer by a style, its own where none is named, as PNG. */
export async function sendLegendPicture(
  deps: LegendImageDeps,
  reply: FastifyReply,
  layer: LayerRecord,
  style: string | undefined,
): Promise<unknown> {
  const made = await makeLegend(deps.catalog, deps.rasters, reply.request, layer, style)
  return isKept(deps, reply, made.mark) ? reply.send() : sendPng(deps, reply, made, 1)
}

/** Sends the legends of the layers of a group as one PNG, the topmost layer first. */
export async function sendGroupLegend(
  {
    catalog,
    rasters,
    limiter,
    pictures,
  }: Pick<LegendImageDeps, 'catalog' | 'rasters' | 'limiter' | 'pictures'>,
  reply: FastifyReply,
  members: readonly ReadableMember[],
): Promise<unknown> {
  const made = await Promise.all(
    members.map(({ layer, style }) => makeLegend(catalog, rasters, reply.request, layer, style)),
  )
  const { svg, width, height } = stackedLegendsSvg(made.toReversed().map(({ legend }) => legend))
  const bytes = await limiter.run(reply, (signal) =>
    pictures.fromSvg({ svg, ownWidth: width, width, height, format: 'png' }, signal),
  )
  if (bytes === undefined) return reply.hijack()
  keepPrivately(reply)
  return reply.header('content-type', 'image/png').send(Buffer.from(bytes))
}

function pngLegend(scale: LegendScale) {
  return operation({
    ...marks,
    summary: `The legend of a layer as PNG${scale === 2 ? ', with twice as many cells' : ''}`,
    description:
      'Texts are drawn by a font that comes with the server (Latin, Greek, Cyrillic, Arabic, Hebrew and more), and by those of the machine for other letters.',
    answers: { 200: media('A picture', { 'image/png': Bytes }) },
    handle: (deps: LegendImageDeps, request, reply) =>
      answer(deps, request, reply, (made) => sendPng(deps, reply, made, scale)),
  })
}

export const getLegendPng = pngLegend(1)
export const getLegendLargePng = pngLegend(2)

export const getLegendJson = operation({
  ...marks,
  summary: 'The legend of a layer as JSON',
  description:
    'The rules of the style with labels, symbols and colours, for programs that draw a legend themselves.',
  answers: { 200: LegendJson },
  handle: (deps: LegendDeps, request, reply) =>
    answer(deps, request, reply, ({ legend, layer, style, mark }) => ({
      title: legend.title,
      layer: `${layer.workspace}:${layer.name}`,
      style,
      version: mark.at.version,
      entries: legend.entries.map(toEntryResponse),
      leftOut: legend.leftOut,
      messages: legend.messages,
    })),
})
