import { Type } from 'typebox'
import { emptyPicture, pictureMediaTypes } from '../../render/index.ts'
import { checkStyleDocument, readStyle, styleFormats } from '../../styles/index.ts'
import { Bytes, media } from '../description.ts'
import { operation } from '../endpoint.ts'
import { rasterSymbols } from './drawn-style.ts'
import type { PictureDeps } from './picture-deps.ts'
import { namedRaster } from './raster-bands.ts'
import { parseTile } from './send-tile.ts'

const StyleTried = Type.Object({
  style: Type.Object({
    format: Type.Union(styleFormats.map((format) => Type.Literal(format))),
    document: Type.Union([
      Type.String(),
      Type.Record(Type.String(), Type.Unknown(), { description: 'MapLibre alone, as JSON' }),
    ]),
  }),
})

/** Parsed for each tile, so limited to the size that an editor writes. */
const maxTriedBytes = 256 * 1024

export const drawUnsavedStyleTile = operation({
  tags: ['tiles'],
  isHeavy: true,
  summary: 'Draw a raster tile with an unsaved style',
  description:
    'Draws the tile with the style in the body. The server stores neither the style nor the picture. Style editors use it as a preview.',
  params: Type.Object({
    layer: Type.String({ description: 'Workspace and layer, such as `city:heights`' }),
    z: Type.String({ description: 'Zoom, 0 to 22' }),
    x: Type.String({ description: 'Column from the west' }),
    y: Type.String({ description: 'Row from the north' }),
  }),
  body: StyleTried,
  bodyLimit: () => maxTriedBytes,
  answers: { 200: media('An image; transparent if nothing is drawn', { [pictureMediaTypes.png]: Bytes }) },
  handle: async (
    { catalog, rasters, limiter }: Pick<PictureDeps, 'catalog' | 'rasters' | 'limiter'>,
    request,
    reply,
  ) => {
    const layer = await namedRaster(catalog, request)
    const tile = parseTile('WebMercatorQuad', request.params)
    const { format, document } = request.body.style
    const text = typeof document === 'string' ? document : JSON.stringify(document)
    checkStyleDocument(format, text)
    const symbols = rasterSymbols(readStyle({ format, document: text }) ?? { rules: [], lost: [] }, tile.z)
    const query = { tile, scale: 1, symbols, time: undefined, format: 'png' } as const
    const bytes = await limiter.run(reply, (signal) => rasters.drawUnsaved(layer, query, signal))
    if (bytes === undefined) return reply.hijack()
    reply.header('cache-control', 'no-store')
    const picture = bytes.length === 0 ? emptyPicture('png', 256) : Buffer.from(bytes)
    return reply.header('content-type', pictureMediaTypes.png).send(picture)
  },
})
