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
      empty: Type.Integer({ description: 'Rows without a value or with an empty text' }),
      min: Type.Optional(Type.Number({ description: 'Classes only: the minimum value' })),
      bounds: Type.Optional(
        Type.Array(Type.Number(), { description: 'The largest value of each class, the last of all values' }),
      ),
      histogram: Type.Optional(
        Type.Array(Type.Integer(), {
          description: 'Histogram: number of values in equal intervals from minimum to maximum',
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
      hasOthers: Type.Optional(Type.Boolean({ description: 'True if there are other values' })),
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
            '`sequence`: from low to high; `diverging`: from a centre to both ends; `set`: for categories',
        },
      ),
      colors: Type.Array(Type.String({ description: '#rrggbb' })),
    }),
  ),
})

export const listPalettes = operation({
  summary: 'Palettes suitable for colour-blind people',
  description:
    'Names and colours of the palettes for classes and categories that `POST /rest/layers/{layer}/styles` accepts.',
  tags: ['styles'],
  query: Type.Object({
    classes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, description: 'Number of colours per palette; default 5' }),
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
