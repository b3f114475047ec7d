import { Type } from 'typebox'
import type { LayerRecord } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { GeometryType } from '../../../geo/schema.ts'
import { classifiedStyle, type Dimension, writeStyle } from '../../../styles/index.ts'
import type { FastifyReply } from '../../app-types.ts'
import { operation } from '../../endpoint.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { ClassifyBody, classifySummary, messagesOf, requireAttribute, vectorLayer } from './classify-body.ts'
import { stylePath } from './paths.ts'
import { StyleReply, toStyleResponse } from './style-response.ts'

const Body = Type.Object({
  style: Type.Object({
    name: Type.String({ minLength: 1, description: 'Name of the new style in the workspace of the layer' }),
    default: Type.Optional(Type.Boolean({ description: 'True to make it the default style of the layer' })),
    classify: ClassifyBody,
  }),
})

export const makeStyleOfLayer = operation({
  summary: 'Create a style from classes or categories of a column',
  description:
    'The classes use all values of the column, or a sample if there are more than two million values, or more than 20,000 distinct ones for categories; a message reports the sample. Classes have upper bounds; `natural` computes Jenks breaks, `quantile` those of `percentile_disc`. Features without a value get a rule of their own.',
  tags: ['styles'],
  params: Type.Object({ layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }) }),
  body: Body,
  answers: { 201: StyleReply },
  handle: async ({ catalog }: CatalogDeps, request, reply): Promise<FastifyReply> => {
    const layer = await vectorLayer(catalog, request, request.params.layer)
    const { name, classify, default: isDefault = false } = request.body.style
    const attribute = requireAttribute(layer, classify.attribute)
    const { request: options, summary } = await classifySummary(catalog, reply, {
      layer,
      attribute,
      classify,
    })
    const style = classifiedStyle({
      attribute: attribute.name,
      palette: options.palette,
      summary,
      dimension: dimensionOf(layer),
      featureCount: summary.rows + summary.empty,
    })
    if (style.rules.length === 0)
      throw invalid('nothing-to-classify', `Attribute "${attribute.name}" has no values to classify`)
    const content = {
      format: 'maplibre' as const,
      document: writeStyle(style, name, 'maplibre')?.document ?? '',
    }
    const kept = await catalog.styles.create({ workspace: layer.workspace, name, content })
    if (isDefault) await catalog.layers.change(layer, { style: name })
    const wire = toStyleResponse(request, kept)
    const messages = messagesOf(summary, classify, options)
    return reply
      .code(201)
      .header('location', request.link(stylePath(kept)))
      .send({ style: { ...wire.style, messages: messages.length === 0 ? undefined : messages } })
  },
})

function dimensionOf({ details: { schema } }: LayerRecord): Dimension {
  const dimensions: Partial<Record<GeometryType, Dimension>> = {
    LineString: 1,
    MultiLineString: 1,
    Polygon: 2,
    MultiPolygon: 2,
  }
  return (schema.geometry && dimensions[schema.geometry.type]) ?? 0
}
