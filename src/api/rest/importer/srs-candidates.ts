import { Type } from 'typebox'
import type { Importer } from '../../../importer/index.ts'
import { operation } from '../../endpoint.ts'
import { clientSignal } from '../../request-properties.ts'
import { TaskParams } from './parameters.ts'
import { requireImport, requireTask } from './shown-imports.ts'

const Candidate = Type.Object({
  srs: Type.Union([Type.String(), Type.Null()]),
  wkt: Type.Optional(
    Type.String({
      description:
        'The definition that the data declare and that has no code: WKT, PROJJSON or a PROJ string. `srs` is null then',
    }),
  ),
  name: Type.String(),
  confidence: Type.Number({ description: '0 to 1' }),
  evidence: Type.String(),
  bbox: Type.Optional(
    Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'Extent of the data in this CRS: west, south, east, north in degrees',
    }),
  ),
  alike: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Other CRSs that place the data within a metre of this position',
    }),
  ),
})

const Candidates = Type.Object({
  srsCandidates: Type.Array(Candidate),
  places: Type.Array(Type.String(), { description: 'Identifiers that found the record' }),
  needsPlace: Type.Boolean({
    description: 'The coordinates fit many CRSs worldwide: name a place to narrow the search',
  }),
})

export const listSrsCandidates = operation({
  summary: 'CRSs that the data of a task may be in',
  description:
    'Most likely first, each with the position of the data in it. Uses the given place, otherwise the layers of the workspace and the other tasks of the import. Without any of these, only an unambiguous CRS is proposed. If the data declare a CRS without a code, its definition comes first (`srs` is null), followed by compatible CRSs.',
  tags: ['importer'],
  params: TaskParams,
  query: Type.Object({
    place: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Place of the data: name or code of a country, a state, or `workspace:layer`',
      }),
    ),
  }),
  answers: { 200: Candidates },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const { params, query } = request
    const running = {
      record: await requireImport(importer, params.importId),
      task: await requireTask(importer, params),
    }
    const found = await importer.locator.candidates(running, query.place, clientSignal(reply))
    const { candidates, places, needsPlace } = found
    return {
      srsCandidates: candidates.map(({ falls, ...one }) => ({
        ...one,
        bbox: falls?.map((degree) => Math.round(degree * 1e6) / 1e6),
      })),
      places,
      needsPlace,
    }
  },
})
