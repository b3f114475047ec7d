import { Type } from 'typebox'
import type { ValueType } from '../../filters/functions.ts'
import { customFunctions } from '../../filters/functions.ts'
import { operation } from '../endpoint.ts'
import { offeredDocuments } from './offered.ts'
import { represented } from './representations.ts'

const typeNames: Record<ValueType, 'string' | 'number' | 'integer'> = {
  text: 'string',
  number: 'number',
  integer: 'integer',
}
const Types = Type.Array(Type.Union(Object.values(typeNames).map((name) => Type.Literal(name))))

/** OGC 21-065r2, `/req/functions/get-functions-response-json`. */
const FilterFunctions = Type.Object({
  functions: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      args: Type.Array(Type.Object({ type: Types })),
      returns: Types,
    }),
  ),
})

export const getFunctions = represented(
  offeredDocuments,
  operation({
    tags: ['features'],
    isPublicRead: true,
    answers: { 200: FilterFunctions },
    summary: 'Functions of filters',
    description: 'Functions that filters in CQL2 may call, with the types of their arguments and results.',
    handle: () => ({
      functions: customFunctions.map(([name, { args, returns, description }]) => ({
        name,
        description,
        args: args.map((type) => ({ type: [typeNames[type]] })),
        returns: [typeNames[returns]],
      })),
    }),
  }),
)
