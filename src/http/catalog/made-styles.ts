import type { Static } from 'typebox'
import { Type } from 'typebox'
import { hasRole } from '../../accounts/caller.ts'
import { classifiedStyle } from '../../cartography/classify/classified-style.ts'
import type { PaletteName } from '../../cartography/classify/palettes.ts'
import { paletteNames } from '../../cartography/classify/palettes.ts'
import type { ClassifyMethod } from '../../cartography/classify/summary.ts'
import { classifyMethods } from '../../cartography/classify/summary.ts'
import { writeStyle } from '../../cartography/convert-style.ts'
import type { Dimension } from '../../cartography/model.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import type { Attribute, GeometryType } from '../../geo/schema.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { operation } from '../endpoint.ts'
import type { CatalogParts } from './catalog-parts.ts'
import { stylePath } from './paths.ts'
import { StyleReply, toWireStyle } from './style-wire.ts'

const Body = Type.Object({
  style: Type.Object({
    name: Type.String({ minLength: 1, description: "Of the new style in the layer's workspace" }),
    default: Type.Optional(Type.Boolean({ description: 'Whether the layer is drawn by it from now on' })),
    classify: Type.Object({
      attribute: Type.String(),
      method: Type.Optional(
        Type.Union(
          classifyMethods.map((method) => Type.Literal(method)),
          {
            description: 'Default `quantile` for numbers, `categories` for others',
          },
        ),
      ),
      classes: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 50, description: 'Default 5, of categories 8' }),
      ),
      palette: Type.Optional(
        Type.Union(
          paletteNames.map((name) => Type.Literal(name)),
          {
            description: 'Default `viridis`, for categories `okabe-ito`',
          },
        ),
      ),
    }),
  }),
})

type Wanted = Static<typeof Body>['style']['classify']

/** Longest time that a look at all values of a column takes. */
const timeoutMs = 120_000

export const makeStyleOfLayer = operation({
  summary: 'Make a style of classes or categories of a column',
  description:
    'All values of the column are looked at; where they are more than two million, or 20,000 different ones for categories, at a part of them, which a message says. Classes have their upper bounds; `natural` are the breaks of Jenks, `quantile` those of `percentile_disc`. What has no value has a rule of its own.',
  tags: ['styles'],
  params: Type.Object({ layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }) }),
  body: Body,
  answers: { 201: StyleReply },
  handle: async ({ catalog }: CatalogParts, request, reply): Promise<FastifyReply> => {
    const layer = await namedLayer({ catalog }, request, request.params.layer)
    const { name, classify, default: isDefault = false } = request.body.style
    const attribute = requireAttribute(layer, classify.attribute)
    const wish = wishOf(classify, attribute)
    const store = await catalog.layers.openStoreOf(layer)
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), signalOf(reply)])
    const summary = await store.summarize(
      { table: layer.nativeName, attribute: attribute.name, ...wish },
      signal,
    )
    const style = classifiedStyle({
      ...{ attribute: attribute.name, palette: wish.palette, summary },
      ...{ dimension: dimensionOf(layer), featureCount: summary.rows + summary.empty },
    })
    if (style.rules.length === 0)
      throw invalid('nothing-to-classify', `Attribute "${attribute.name}" has no values to make classes of`)
    const content = {
      format: 'maplibre' as const,
      document: writeStyle(style, name, 'maplibre')?.document ?? '',
    }
    const kept = await catalog.styles.create({ workspace: layer.workspace, name, content })
    if (isDefault) await catalog.layers.change(layer, { style: name })
    const wire = toWireStyle(request, kept)
    const messages = messagesOf(summary, classify, wish)
    return reply
      .code(201)
      .header('location', request.link(stylePath(kept)))
      .send({ style: { ...wire.style, ...(messages.length === 0 ? {} : { messages }) } })
  },
})

async function namedLayer(
  { catalog }: CatalogParts,
  request: FastifyRequest,
  text: string,
): Promise<LayerRecord> {
  const layer = await catalog.layers.findNamed(text)
  if (layer === undefined || !hasRole(request.caller, 'user'))
    throw notFound('unknown-layer', `Layer "${text}" does not exist`)
  request.usedLayer = layer
  if (layer.details.kind === 'vector') return layer
  throw invalid('not-a-vector-layer', `Layer "${text}" is a raster, whose values are no column`)
}

function requireAttribute(layer: LayerRecord, name: string): Attribute {
  const found = layer.details.schema.attributes.find((one) => one.name === name)
  if (found !== undefined && found.type !== 'binary') return found
  const names = layer.details.schema.attributes.map((one) => one.name).slice(0, 20)
  throw invalid(
    'unknown-attribute',
    `Layer "${layer.name}" has no attribute "${name}", but ${names.join(', ') || 'none'}`,
  )
}

function wishOf(wanted: Wanted, { name, type }: Attribute) {
  const isNumber = /^(int|float|decimal)/.test(type)
  const method: ClassifyMethod = wanted.method ?? (isNumber ? 'quantile' : 'categories')
  if (method !== 'categories' && !isNumber)
    throw invalid(
      'not-a-number',
      `Attribute "${name}" is ${type}: classes want numbers, "categories" takes it`,
    )
  const palette: PaletteName = wanted.palette ?? (method === 'categories' ? 'okabe-ito' : 'viridis')
  return { method, palette, classes: wanted.classes ?? (method === 'categories' ? 8 : 5) }
}

function dimensionOf({ details: { schema } }: LayerRecord): Dimension {
  const dimensions: Partial<Record<GeometryType, Dimension>> = {
    ...{ LineString: 1, MultiLineString: 1, Polygon: 2, MultiPolygon: 2 },
  }
  return (schema.geometry && dimensions[schema.geometry.type]) ?? 0
}

/** Ends when the client leaves. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}

function messagesOf(
  { isSampled, bounds }: { isSampled: boolean; bounds?: number[] },
  wanted: Wanted,
  { classes, method }: { classes: number; method: ClassifyMethod },
) {
  const message = (text: string) => ({ level: 'info' as const, code: 'style-classes', message: text })
  return [
    ...(isSampled
      ? [message('There are more values than are looked at: classes are by a part of them')]
      : []),
    ...(method !== 'categories' && bounds !== undefined && bounds.length < classes
      ? [
          message(
            `${bounds.length} classes instead of ${classes}, since many values are equal: ${wanted.attribute}`,
          ),
        ]
      : []),
  ]
}
