import { Type } from 'typebox'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { BandSummary } from '../../render/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { operation } from '../endpoint.ts'
import { requestSignal } from '../request-properties.ts'
import { urlToken } from '../url-token.ts'
import type { PictureDeps } from './picture-deps.ts'
import { namedLayer, refusedVersion, refuseVersion } from './picture-deps.ts'

const Band = Type.Object({
  band: Type.Integer({ minimum: 1 }),
  name: Type.Optional(Type.String()),
  unit: Type.Optional(Type.String()),
  dataType: Type.String({ description: 'By its name in GDAL' }),
  min: Type.Optional(Type.Number({ description: 'Smallest value of the sampled cells' })),
  max: Type.Optional(Type.Number()),
  low: Type.Optional(Type.Number({ description: 'Two percent of the values lie below it' })),
  high: Type.Optional(Type.Number({ description: 'Two percent of the values lie above it' })),
  histogram: Type.Optional(
    Type.Array(Type.Integer(), {
      description: 'Histogram: number of values in equal intervals from minimum to maximum',
    }),
  ),
  values: Type.Optional(
    Type.Array(Type.Number(), { description: 'All distinct values, if they are integers and at most 64' }),
  ),
})

const Bands = Type.Object(
  {
    bands: Type.Array(Band),
    palette: Type.Optional(
      Type.Array(Type.Object({ value: Type.Integer(), color: Type.String({ description: '#rrggbb' }) }), {
        description: 'Colours that the file defines for its values',
      }),
    ),
  },
  { title: 'RasterBands' },
)

/** Same limit as for map images: further bands are not copied, so no style can draw them. */
const maxBands = 8

export const showBands = operation({
  tags: ['tiles'],
  isPublicRead: true,
  takesTokenInUrl: true,
  summary: 'Show statistics of the bands of a coverage',
  description:
    'Computed from up to 200,000 cells of an overview: rare values may be missing. While the raster is warped to web mercator, the response is 503 with the code `tiles-being-made` and `Retry-After`.',
  params: Type.Object({ layer: Type.String({ description: 'Workspace and layer, such as `city:heights`' }) }),
  query: Type.Object({ version: refusedVersion, ...urlToken }),
  answers: { 200: Bands },
  handle: async ({ catalog, rasters }: Pick<PictureDeps, 'catalog' | 'rasters'>, request, reply) => {
    const layer = await namedRaster(catalog, request)
    refuseVersion(request.query.version)
    const signal = requestSignal(reply)
    const [summaries, facts] = await Promise.all([
      rasters.summaries(layer, signal),
      rasters.facts(layer, signal),
    ])
    const bands = (layer.details.raster?.bands ?? [])
      .filter(({ color }) => color !== 'Alpha')
      .slice(0, maxBands)
    const palette = facts.palette?.map((color, value) => ({ value, color: hex(color) }))
    return {
      bands: bands.map(({ description, unit, dataType }, index) => ({
        band: index + 1,
        name: description,
        unit,
        dataType,
        ...reportOf(summaries[index]),
      })),
      palette,
    }
  },
})

/** Returns the single raster layer in the path. */
export async function namedRaster(
  catalog: Pick<Catalog, 'layers' | 'layerGroups'>,
  request: FastifyRequest,
): Promise<LayerRecord> {
  const layer = await namedLayer(catalog, request)
  if (layer.details.kind === 'raster') return layer
  throw notFound('no-bands', `Layer "${layer.workspace}:${layer.name}" contains features and has no bands`)
}

function reportOf(summary: BandSummary | undefined) {
  if (summary === undefined) return {}
  const { spread, ...reported } = summary
  return { ...reported, low: spread.min, high: spread.max }
}

function hex([red, green, blue]: readonly [number, number, number, number]): string {
  return `#${Buffer.from([red, green, blue]).toString('hex')}`
}
