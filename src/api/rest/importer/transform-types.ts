import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import { attributeTypes, geometryTypes } from '../../../geo/schema.ts'
import {
  listJavaClasses,
  rasterTransforms,
  textMeanings,
  vectorTransforms,
} from '../../../transforms/index.ts'
import { operation } from '../../endpoint.ts'

const meanings = [...textMeanings, 'text', 'boolean', 'texts', 'numbers'] as const
type Meaning = (typeof meanings)[number]
type WireParameter = { name: string; means: Meaning; isNeeded: boolean }

const Parameter = Type.Object({
  name: Type.String(),
  means: Type.Union(
    meanings.map((one) => Type.Literal(one)),
    {
      description:
        'A column, the name of a new one, a class of `classes`, a CRS, a pattern of SimpleDateFormat; or any text, a truth, a list',
    },
  ),
  isNeeded: Type.Boolean(),
})

const TransformType = Type.Object({
  type: Type.String(),
  kind: Type.Union([Type.Literal('vector'), Type.Literal('raster')]),
  isAfter: Type.Boolean({
    description: 'True if the transformation is applied to the loaded table and changes no row',
  }),
  parameters: Type.Array(Parameter),
  example: Type.Object({}, { additionalProperties: true }),
})

const ClassOfValues = Type.Object({
  name: Type.String(),
  type: Type.Union([...attributeTypes, ...geometryTypes].map((one) => Type.Literal(one))),
  isGeometry: Type.Boolean(),
})

export const listTransformTypes = operation({
  summary: 'List transformation types with their parameters',
  description: 'For building forms, and for finding the supported types of columns and geometries.',
  tags: ['importer'],
  answers: {
    200: Type.Object({ transforms: Type.Array(TransformType), classes: Type.Array(ClassOfValues) }),
  },
  handle: async () => {
    const vector = vectorTransforms.map(({ type, kind, phase, parameters, example }) => ({
      type,
      kind,
      isAfter: phase === 'after',
      parameters: parametersOf(parameters),
      example: example.spec,
    }))
    const raster = rasterTransforms.map(({ type, kind, parameters, example }) => ({
      type,
      kind,
      isAfter: false,
      parameters: parametersOf(parameters),
      example,
    }))
    return { transforms: [...vector, ...raster], classes: listJavaClasses() }
  },
})

interface ParameterSchema {
  type?: string
  means?: Meaning
  anyOf?: ParameterSchema[]
  items?: ParameterSchema
}

function parametersOf(schema: TSchema): WireParameter[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, ParameterSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, one]) => ({
    name,
    means: meaningOf(one),
    isNeeded: required.includes(name),
  }))
}

function meaningOf({ type, means, anyOf = [], items }: ParameterSchema): Meaning {
  if (means !== undefined) return means
  if (type === 'boolean' || anyOf.some((one) => one.type === 'boolean')) return 'boolean'
  if (type === 'array') return items?.type === 'string' ? 'texts' : 'numbers'
  return 'text'
}
