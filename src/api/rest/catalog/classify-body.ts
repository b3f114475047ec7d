import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Catalog, LayerRecord } from '../../../catalog/index.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import type { Attribute } from '../../../geo/schema.ts'
import { type PaletteName, paletteNames } from '../../../styles/index.ts'
import { type ClassifyMethod, classifyMethods } from '../../../styles/worker.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { requestSignal } from '../../request-properties.ts'

/** Column and method of a classification. */
export const ClassifyBody = Type.Object({
  attribute: Type.String(),
  method: Type.Optional(
    Type.Union(
      classifyMethods.map((method) => Type.Literal(method)),
      { description: 'Default `quantile` for numbers, `categories` for others' },
    ),
  ),
  classes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 50, description: 'Default 5, of categories 8' }),
  ),
  palette: Type.Optional(
    Type.Union(
      paletteNames.map((name) => Type.Literal(name)),
      { description: 'Default `viridis`, for categories `okabe-ito`' },
    ),
  ),
})

type ClassifyParams = Static<typeof ClassifyBody>

/** Reads all values of a column. */
export async function classifySummary(
  catalog: Catalog,
  reply: FastifyReply,
  { layer, attribute, classify }: { layer: LayerRecord; attribute: Attribute; classify: ClassifyParams },
) {
  const request = requestOf(classify, attribute)
  const store = await catalog.layers.openStoreOf(layer)
  const signal = requestSignal(reply)
  const summary = await store.summarize(
    { table: layer.nativeName, attribute: attribute.name, ...request },
    signal,
  )
  return { request, summary }
}

/** A layer of features by its name; to who may not read it there is none. */
export async function vectorLayer(
  catalog: Catalog,
  request: FastifyRequest,
  text: string,
): Promise<LayerRecord> {
  const layer = await catalog.layers.findNamed(text)
  if (layer === undefined || !(await request.rights()).can('read', layer))
    throw notFound('unknown-layer', `Layer "${text}" does not exist`)
  request.usedLayer = layer
  if (layer.details.kind === 'vector') return layer
  throw invalid('not-a-vector-layer', `Layer "${text}" is a raster and has no columns`)
}

/** Returns the attribute with this name, if its values can be compared. */
export function requireAttribute(layer: LayerRecord, name: string): Attribute {
  const found = layer.details.schema.attributes.find((one) => one.name === name)
  if (found !== undefined && found.type !== 'binary') return found
  const names = layer.details.schema.attributes.map((one) => one.name).slice(0, 20)
  throw invalid(
    'unknown-attribute',
    `Layer "${layer.name}" has no attribute "${name}", but ${names.join(', ') || 'none'}`,
  )
}

function requestOf(requested: ClassifyParams, { name, type }: Attribute) {
  const isNumber = /^(int|float|decimal)/.test(type)
  const method: ClassifyMethod = requested.method ?? (isNumber ? 'quantile' : 'categories')
  if (method !== 'categories' && !isNumber)
    throw invalid(
      'not-a-number',
      `Attribute "${name}" is ${type}: classes need numbers; use the method "categories"`,
    )
  const palette: PaletteName = requested.palette ?? (method === 'categories' ? 'okabe-ito' : 'viridis')
  return { method, palette, classes: requested.classes ?? (method === 'categories' ? 8 : 5) }
}

/** Returns messages about classes or categories. */
export function messagesOf(
  { isSampled, bounds }: { isSampled: boolean; bounds?: number[] },
  requested: ClassifyParams,
  { classes, method }: { classes: number; method: ClassifyMethod },
) {
  const message = (text: string) => ({ level: 'info' as const, code: 'style-classes', message: text })
  return [
    ...(isSampled ? [message('The column has too many values: the classes use a sample of them')] : []),
    ...(method !== 'categories' && bounds !== undefined && bounds.length < classes
      ? [
          message(
            `${bounds.length} classes instead of ${classes}, since many values are equal: ${requested.attribute}`,
          ),
        ]
      : []),
  ]
}
