import { Type } from 'typebox'
import { colorsOf, paletteKind, paletteKinds, paletteNames } from '../../../styles/index.ts'
import { classifyMethods } from '../../../styles/worker.ts'
import { operation } from '../../endpoint.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { ClassifyBody, classifySummary, messagesOf, requireAttribute, vectorLayer } from './classify-body.ts'

const Classes = Type.Object({
  classes: Type.Object(
    {
      attribute: Type.String(),
      method: Type.Union(classifyMethods.map((method) => Type.Literal(method))),
      rows: Type.Integer({ description: 'Rows that have a value' }),
      empty: Type.Integer({ description: 'Rows that have none, or an empty text' }),
      min: Type.Optional(Type.Number({ description: 'Of classes: the least value' })),
      bounds: Type.Optional(
        Type.Array(Type.Number(), { description: 'The largest value of each class, the last of all values' }),
      ),
      histogram: Type.Optional(
        Type.Array(Type.Integer(), {
          description: 'How many values lie in each of as many equal parts from the least to the largest',
        }),
      ),
      categories: Type.Optional(
        Type.Array(
          Type.Object({
            value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
            count: Type.Integer(),
          }),
          { description: 'The most frequent values, the first most' },
        ),
      ),
      hasOthers: Type.Optional(Type.Boolean({ description: 'Whether there are other values than these' })),
      messages: Type.Array(Type.String()),
    },
    { title: 'Classes' },
  ),
})

export const showClasses = operation({
  summary: 'Classes or categories of a column, as a style would draw them',
  description:
    'The result is not stored: `POST /rest/layers/<layer>/styles` creates a style with the same options. The classes use all values.',
  tags: ['styles'],
  isHeavy: true,
  params: Type.Object({ layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }) }),
  query: Type.Omit(ClassifyBody, ['palette']),
  answers: { 200: Classes },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    const layer = await vectorLayer(catalog, request, request.params.layer)
    const attribute = requireAttribute(layer, request.query.attribute)
    const { request: options, summary } = await classifySummary(catalog, reply, {
      layer,
      attribute,
      classify: request.query,
    })
    const { rows, empty, min, bounds, histogram, categories, hasOthers } = summary
    return {
      classes: {
        attribute: attribute.name,
        method: options.method,
        rows,
        empty,
        min,
        bounds,
        histogram,
        categories,
        hasOthers,
        messages: messagesOf(summary, request.query, options).map(({ message }) => message),
      },
    }
  },
})

const Palettes = Type.Object({
  palettes: Type.Array(
    Type.Object({
      name: Type.Union(paletteNames.map((name) => Type.Literal(name))),
      kind: Type.Union(
        paletteKinds.map((kind) => Type.Literal(kind)),
        {
          description:
            '`sequence`: from little to much; `diverging`: from a middle to both sides; `set`: for categories',
        },
      ),
      colors: Type.Array(Type.String({ description: '#rrggbb' })),
    }),
  ),
})

export const listPalettes = operation({
  summary: 'Palettes that colour-blind people tell apart too',
  description:
    'Names and colours of palettes for classes of numbers and of names, as `POST /rest/layers/{layer}/styles` takes them.',
  tags: ['styles'],
  query: Type.Object({
    classes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, description: 'How many colours of each; default 5' }),
    ),
  }),
  answers: { 200: Palettes },
  handle: (_: unknown, request) => ({
    palettes: paletteNames.map((name) => ({
      name,
      kind: paletteKind(name),
      colors: colorsOf(name, request.query.classes ?? 5),
    })),
  }),
})
