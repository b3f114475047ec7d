import { Type } from 'typebox'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { AttributeType, GeometryType } from '../../geo/schema.ts'
import { type PreviousVersions, requireVectorTiles } from '../../render/index.ts'
import { type Dimension, type MappedLayer, type TypeInTiles, writeMapStyle } from '../../styles/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { operation } from '../endpoint.ts'
import { tokenForLinks, urlToken } from '../url-token.ts'
import { hasAlready, setCacheControl } from './caching.ts'
import { styleFor, styleOfVersion } from './drawn-style.ts'
import { layerSegment, maxTileLayers, namedMembers } from './named-layers.ts'
import type { TileDeps } from './send-tile.ts'
import { versionsOf } from './send-tile.ts'
import { tileExtentOf } from './tile-bounds.ts'
import { attributionOf } from './tile-json.ts'
import { earlierLayer, requestedVersion } from './version-tiles.ts'

/** Inputs of complete styles. */
interface StyleDeps extends TileDeps {
  catalog: Pick<Catalog, 'layers' | 'layerGroups' | 'styles' | 'versions'>
}

const MapStyle = Type.Object(
  {
    version: Type.Literal(8),
    name: Type.String(),
    sources: Type.Record(Type.String(), Type.Object({}, { additionalProperties: true })),
    layers: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'MapStyle', additionalProperties: true },
)

export const getMapStyle = operation({
  tags: ['tiles'],
  isPublicRead: true,
  takesTokenInUrl: true,
  summary: 'Get a complete MapLibre style of one or several layers, with their tiles as sources',
  description:
    'Several layers are drawn each in its own style, the first one at the bottom. `terrane:not-converted` in `metadata` lists the parts of a style that MapLibre cannot draw. The style has no `glyphs`, so MapLibre draws text with local fonts.',
  params: Type.Object({
    layer: Type.String({
      description: `Workspace and layer, such as \`city:trees\`; up to ${maxTileLayers} separated by commas, whose names differ; or a group of layers`,
    }),
  }),
  query: Type.Object({
    style: Type.Optional(
      Type.String({
        description: "A style of the layer's workspace or a global one; default the layer's own",
      }),
    ),
    version: requestedVersion,
    ...urlToken,
  }),
  answers: { 200: MapStyle },
  handle: async (deps: StyleDeps, request, reply) => {
    const members = await namedMembers(deps.catalog, request)
    const layers = members.map(({ layer }) => layer)
    const { style: name, version } = request.query
    if (version !== undefined)
      return earlierMapStyle(deps.catalog, deps.earlier, request, reply, { layers, version, name })
    if (name !== undefined && layers.length > 1)
      throw invalid('one-layer', `A style is requested for exactly one layer, found ${layers.length}`)
    for (const layer of layers) if (layer.details.kind === 'vector') await deps.maps.requireTiles(layer)
    const known = await versionsOf(deps.catalog.layers, layers)
    const drawn = await Promise.all(
      members.map(({ layer, style }) => styleFor(deps, request, layer, name ?? style)),
    )
    const { sharedMaxAgeSeconds } = deps
    const marked = {
      version: `${deps.version}-${drawn.map(({ key }) => key).join('-')}`,
      sharedMaxAgeSeconds,
    }
    const sources = await Promise.all(
      members.map(({ layer, style }) => sourceOf(request, layer, name ?? style)),
    )
    setCacheControl(marked, reply, known)
    if (hasAlready(request, marked, known)) return reply.code(304).send()
    const mapped = layers.flatMap((layer, index): MappedLayer[] => {
      const { style = { rules: [], lost: [] } } = drawn[index] ?? {}
      const source = sources[index]
      return source === undefined ? [] : [{ ...mappedLayer(layer), style, source }]
    })
    return wholeStyle(layers, mapped)
  },
})

async function wholeStyle(layers: readonly LayerRecord[], mapped: MappedLayer[]) {
  const { center: [longitude, latitude, zoom] = [] } = await tileExtentOf(layers)
  const isKnown = longitude !== undefined && latitude !== undefined && zoom !== undefined
  return writeMapStyle(mapped, {
    name: layers.map(({ details }) => details.title).join(', '),
    center: isKnown ? ([longitude, latitude, zoom] as const) : undefined,
  })
}

/** Returns a layer's style at an earlier version, with the tiles of that version. */
async function earlierMapStyle(
  catalog: Pick<Catalog, 'layers' | 'styles' | 'versions'>,
  earlier: Pick<PreviousVersions, 'at' | 'tile'>,
  request: FastifyRequest,
  reply: FastifyReply,
  options: { layers: readonly LayerRecord[]; version: string; name: string | undefined },
) {
  const { version, name } = options
  const { layer } = await earlierLayer(earlier, request, reply, options)
  requireVectorTiles(layer)
  const { style } =
    name === undefined
      ? await styleOfVersion({ catalog }, layer, Number(version))
      : await styleFor({ catalog }, request, layer, name)
  keepPrivately(reply)
  const address = request.link(`/tiles/${layerSegment(layer)}`)
  const url = withQuery(address, [`version=${version}`, tokenForLinks(request)])
  return wholeStyle([layer], [{ ...mappedLayer(layer), style, source: { type: 'vector', url } }])
}

function mappedLayer({
  name,
  details: { kind, schema },
}: LayerRecord): Omit<MappedLayer, 'style' | 'source'> {
  const types = new Map(schema.attributes.map(({ name: one, type }) => [one, typeInTiles(type)]))
  return { name, kind, types, dimension: dimensionOf(schema.geometry?.type) }
}

function typeInTiles(type: AttributeType): TypeInTiles {
  if (type === 'boolean') return 'boolean'
  if (type === 'decimal') return 'number text'
  return /^(int|float)/.test(type) ? 'number' : 'text'
}

const dimensions: Partial<Record<GeometryType, Dimension>> = {
  Point: 0,
  MultiPoint: 0,
  LineString: 1,
  MultiLineString: 1,
  Polygon: 2,
  MultiPolygon: 2,
}

export function dimensionOf(type: GeometryType | undefined): Dimension | undefined {
  return type === undefined ? undefined : dimensions[type]
}

/** Returns the source of a layer's tiles, with the token if it was in the address. */
async function sourceOf(
  request: FastifyRequest,
  layer: LayerRecord,
  style: string | undefined,
): Promise<object> {
  const token = tokenForLinks(request)
  const address = request.link(`/tiles/${layerSegment(layer)}`)
  if (layer.details.kind === 'vector') return { type: 'vector', url: withQuery(address, [token]) }
  const { bounds } = await tileExtentOf([layer])
  const chosen = style === undefined ? '' : `style=${encodeURIComponent(style)}`
  return {
    type: 'raster',
    tiles: [withQuery(`${address}/{z}/{x}/{y}.png`, [chosen, token])],
    tileSize: 256,
    bounds,
    attribution: attributionOf([layer]),
  }
}

function withQuery(address: string, parts: string[]): string {
  const query = parts.filter((part) => part !== '').join('&')
  return query === '' ? address : `${address}?${query}`
}
