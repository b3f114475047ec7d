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
      description: 'Where the data would lie: west, south, east, north in degrees',
    }),
  ),
  alike: Type.Optional(
    Type.Array(Type.String(), { description: 'CRSs in which they would lie within a metre of there' }),
  ),
})

const Candidates = Type.Object({
  srsCandidates: Type.Array(Candidate),
  places: Type.Array(Type.String(), { description: 'By which they were found' }),
  needsPlace: Type.Boolean({
    description: 'The coordinates fit CRSs all over the earth: name a place to find the right one',
  }),
})

export const listSrsCandidates = operation({
  summary: 'CRSs that the data of a task may be in',
  description:
    'Likeliest first, each with where the data would lie in it. By the place that is named, else by the layers of the workspace and the other tasks of the import. Without any place only a CRS whose numbers are unmistakable is named. Where the data declare a CRS that has no code, the definition stands first (`srs` null), and the others are compatible with it.',
  tags: ['importer'],
  params: TaskParams,
  query: Type.Object({
    place: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'Where the data lie: a country in one of many languages or its code, a state, or `workspace:layer`',
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
