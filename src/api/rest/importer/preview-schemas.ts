import { Type } from 'typebox'
import { attributeTypes, geometryTypes } from '../../../geo/schema.ts'

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(shape: T) =>
  Type.Union([shape, Type.Null()])
const value = Type.Union([Type.String(), Type.Number(), Type.Boolean()])
const bounds = Type.Array(Type.Number(), { minItems: 4, maxItems: 4 })
const whole = Type.Boolean({ description: 'True if these are all rows' })

/** Rows as features. */
export const ShownRows = Type.Object({
  type: Type.Literal('FeatureCollection'),
  features: Type.Array(
    Type.Object({
      type: Type.Literal('Feature'),
      id: Type.Integer({ description: 'Number of the row in the source, from 1' }),
      geometry: orNull(Type.Object({}, { additionalProperties: true })),
      properties: Type.Object({}, { additionalProperties: true }),
    }),
  ),
  offset: Type.Integer(),
  numberReturned: Type.Integer(),
  rejected: Type.Integer({ description: 'Rows read for this response that cannot be loaded' }),
  hasMore: Type.Boolean({ description: 'True if more rows follow' }),
})

/** Features of a map, and which part of the rows it shows. */
export const PreviewFeatures = Type.Object({
  type: Type.Literal('FeatureCollection'),
  bbox: Type.Optional(bounds),
  features: Type.Array(Type.Object({}, { additionalProperties: true })),
  numberReturned: Type.Integer(),
  rows: Type.Integer({ description: 'Rows that the map shows so far' }),
  whole,
})

const count = Type.Integer({ minimum: 0 })
const valueCount = Type.Object({ value, count })

/** Contents of the columns of rows. */
export const ColumnsReply = Type.Object({
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.Union(attributeTypes.map((one) => Type.Literal(one))),
      count: Type.Integer({ description: 'Rows that were counted' }),
      empty: Type.Integer({ description: 'Number of these rows without a value (null or empty text)' }),
      distinct: count,
      min: orNull(value),
      max: orNull(value),
      frequent: Type.Array(valueCount, { description: 'The most frequent values, at most ten' }),
      exact: Type.Boolean({ description: 'True if all figures are exact and cover all rows' }),
      estimated: Type.Array(Type.Union([Type.Literal('distinct'), Type.Literal('frequent')]), {
        description: 'Figures that are estimates because there are too many distinct values',
      }),
    }),
  ),
  leftOut: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.Union(attributeTypes.map((one) => Type.Literal(one))),
        binding: Type.String(),
      }),
      { description: 'Columns of the data that the attributes of the layer do not name' },
    ),
  ),
  geometry: orNull(
    Type.Object({
      name: Type.String(),
      type: Type.Union(geometryTypes.map((one) => Type.Literal(one))),
      count,
      empty: count,
      types: Type.Array(Type.Object({ value: Type.String(), count })),
      bounds: orNull(bounds),
    }),
  ),
  rows: Type.Object({
    counted: Type.Integer({ description: 'Loadable rows so far' }),
    rejected: Type.Integer({ description: 'Rows that cannot be loaded' }),
    total: Type.Integer({ description: 'Number of rows according to the source; -1 if unknown' }),
    whole,
  }),
})
