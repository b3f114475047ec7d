import { Type } from 'typebox'
import type { Basemap } from '../../core/config/settings.ts'
import { notFound } from '../../core/errors/errors.ts'
import { type BackgroundMap, deepestZoom } from '../../render/index.ts'
import { backgroundStyle, labelsLayer, type Theme } from '../../styles/index.ts'
import { chooseEncoding } from '../accepted-encodings.ts'
import { Bytes, media } from '../description.ts'
import { operation } from '../endpoint.ts'

/** Dependencies of the base map. */
export interface BasemapDeps {
  background: BackgroundMap
  basemap: Basemap
}

const tags = ['tiles']
/** The addresses of tiles change with them. */
const forever = 'public, max-age=31536000, immutable'
const shortly = 'public, max-age=300'

export const showBasemap = operation({
  summary: 'Show the base map of the pages',
  description:
    'URLs of the light and the dark base map style of the pages, and the style layer below which data are drawn.',
  tags,
  isPublicRead: true,
  answers: {
    200: Type.Object({
      basemap: Type.Object({
        kind: Type.Enum(['own', 'other', 'off']),
        light: Type.String({ description: 'Address of a MapLibre style' }),
        dark: Type.String(),
        dataBefore: Type.Optional(
          Type.String({ description: 'Layer of the style below which data are drawn' }),
        ),
      }),
    }),
  },
  handle: ({ basemap }: BasemapDeps, request, reply) => {
    reply.header('cache-control', shortly)
    const own = (theme: Theme): string => request.link(`/assets/basemap/${theme}.json`)
    const { kind } = basemap
    const [light, dark] = kind === 'other' ? [basemap.url, basemap.url] : [own('light'), own('dark')]
    return { basemap: { kind, light, dark, dataBefore: kind === 'own' ? labelsLayer : undefined } }
  },
})

function styleOf(theme: Theme) {
  return operation({
    summary: `The ${theme} style of the background map, for MapLibre`,
    tags,
    description:
      'Based on Natural Earth. The style has no `glyphs`, so MapLibre draws text with local fonts.',
    isPublicRead: true,
    query: Type.Object({ language: Type.Optional(Type.Enum(['en', 'de'], { description: 'Of labels' })) }),
    answers: { 200: Type.Object({ version: Type.Literal(8) }, { additionalProperties: true }) },
    handle: ({ background, basemap }: BasemapDeps, request, reply) => {
      reply.header('cache-control', shortly)
      const { language = 'en' } = request.query
      if (basemap.kind === 'off') return backgroundStyle(theme, { maxZoom: deepestZoom, language })
      const tiles = request.link(`/assets/basemap/{z}/{x}/{y}.mvt?v=${background.version}`)
      return backgroundStyle(theme, { tiles, maxZoom: deepestZoom, language })
    },
  })
}

export const getLightBasemap = styleOf('light')
export const getDarkBasemap = styleOf('dark')

const place = Type.Integer({ minimum: 0 })

export const getBasemapTile = operation({
  summary: 'A vector tile of the background map',
  description:
    'A Mapbox Vector Tile of Natural Earth with land, borders and names. Tiles at URLs with `v` never change and may be cached for a year.',
  tags,
  isPublicRead: true,
  params: Type.Object({ z: place, x: place, y: place }),
  answers: {
    200: media('A vector tile', { 'application/vnd.mapbox-vector-tile': Bytes }),
    204: Type.Null({ description: 'The tile contains only water' }),
  },
  handle: ({ background }: BasemapDeps, request, reply) => {
    const { z, x, y } = request.params
    if (z > deepestZoom || x >= 2 ** z || y >= 2 ** z)
      throw notFound('unknown-tile', `The background map has tiles of the zooms 0 to ${deepestZoom}`)
    const tile = background.tile(z, x, y)
    reply.headers({ 'cache-control': forever, vary: 'Accept-Encoding' })
    if (tile === undefined) return reply.code(204).send()
    reply.type('application/vnd.mapbox-vector-tile')
    const takesGzip = chooseEncoding(['gzip'], request.headers['accept-encoding']) === 'gzip'
    if (takesGzip) reply.header('content-encoding', 'gzip')
    return reply.send(Buffer.from(takesGzip ? tile.packed : tile.plain()))
  },
})
