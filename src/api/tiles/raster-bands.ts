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
      description: 'How many values lie in each of as many equal parts from the least to the largest',
    }),
  ),
  values: Type.Optional(
    Type.Array(Type.Number(), {
      description: 'All values that were found, where they are whole and at most 64',
    }),
  ),
})

const Bands = Type.Object(
  {
    bands: Type.Array(Band),
    palette: Type.Optional(
      Type.Array(Type.Object({ value: Type.Integer(), color: Type.String({ description: '#rrggbb' }) }), {
        description: 'Colours that the file itself names for its values',
      }),
    ),
  },
  { title: 'RasterBands' },
)

/** As in pictures: bands beyond these are not copied, so that no style can draw them. */
const mostBands = 8

export const showBands = operation({
  tags: ['tiles'],
  isPublicRead: true,
  takesTokenInUrl: true,
  summary: 'What the bands of a layer of rasters hold',
  description:
    'By up to 200,000 cells of a coarse copy: values that are rare may be missing. While the raster is brought onto the cells of web mercator the answer is a 503 with the code `tiles-being-made` and `Retry-After`.',
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
      .slice(0, mostBands)
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
  throw notFound('no-bands', `Layer "${layer.workspace}:${layer.name}" has features, and no bands`)
}

function reportOf(summary: BandSummary | undefined) {
  if (summary === undefined) return {}
  const { spread, ...reported } = summary
  return { ...reported, low: spread.min, high: spread.max }
}

function hex([red, green, blue]: readonly [number, number, number, number]): string {
  return `#${Buffer.from([red, green, blue]).toString('hex')}`
}
