import { Type } from 'typebox'
import { searchCrs } from '../../../geo/crs-detection/search-crs.ts'
import { operation } from '../../endpoint.ts'

const maxFound = 100

const Crs = Type.Object({
  srs: Type.String({ description: 'Its code, such as `EPSG:25832`' }),
  name: Type.String(),
  areaName: Type.String({ description: 'Where it is meant to be used' }),
  isDeprecated: Type.Boolean(),
})

export const findCrsByWords = operation({
  summary: 'Find coordinate systems by code, name and area',
  description:
    'Coordinate reference systems whose code, name or area of use match all words, the likeliest first.',
  tags: ['importer'],
  query: Type.Object({
    q: Type.String({ maxLength: 200, description: 'Words that must all occur in code, name or area' }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxFound })),
  }),
  answers: { 200: Type.Object({ crs: Type.Array(Crs), total: Type.Integer() }) },
  handle: async (_parts: unknown, request) => {
    const { q, limit = 20 } = request.query
    const { found, total } = searchCrs(q, limit)
    return { crs: found, total }
  },
})
