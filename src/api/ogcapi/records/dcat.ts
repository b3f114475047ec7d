import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Catalog, LayerSummary, SummarySet } from '../../../catalog/index.ts'
import type { ServiceSettings } from '../../../core/config/service-settings.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import type { LayerBounds } from '../../layer-bounds.ts'
import type { RecordDeps } from '../ogc-deps.ts'
import type { Representation } from '../representations.ts'
import { represented } from '../representations.ts'
import { toDataset, toDcatCatalogue } from './dcat-response.ts'
import { resourcesOf } from './layer-resources.ts'
import { isListKept, knownSummaries, readLayers } from './read-records.ts'
import { summariesOfWorkspaces } from './record-search.ts'
import type { RecordTimes } from './record-times.ts'
import { timesOfSummaries } from './record-times.ts'

const ldJson = 'application/ld+json'
const offeredDcat: readonly Representation[] = [
  {
    name: 'jsonld',
    mediaType: ldJson,
    title: 'JSON-LD',
    aliases: ['json'],
    acceptedAs: ['application/json'],
  },
]

const Query = Type.Object({
  workspace: Type.Optional(
    Type.String({ description: 'Names of workspaces separated by commas; default all', maxLength: 4000 }),
  ),
})
const answer = media('A `dcat:Catalog` of the layers that the caller may read', {
  [ldJson]: Type.Object({}, { additionalProperties: true }),
})

export const getDcat = represented(
  offeredDcat,
  operation({
    tags: ['records'],
    isPublicRead: true,
    summary: 'The layers, or those of a workspace, by DCAT-AP in JSON-LD',
    description:
      'A `dcat:Catalog` with a dataset for each layer that the caller may read, its distributions, licence and contact, as harvesters of open-data portals read it.',
    query: Query,
    answers: { 200: answer },
    handle: async (deps: RecordDeps, request, reply) => {
      const set = await knownSummaries(deps.catalog, request)
      const { workspace } = request.query
      const cards = summariesOfWorkspaces(set, workspace)
      const times = await timesOfSummaries(deps, cards)
      if (isListKept(deps, set, { request, reply, times })) return reply.send()
      reply.header('content-type', `${ldJson}; charset=utf-8`)
      return reply.send(
        Readable.from(
          written(deps.catalog, deps.bounds, deps.about, request, { set, cards, workspace, times }),
          { objectMode: false },
        ),
      )
    },
  }),
)

interface DcatRequest {
  set: SummarySet
  cards: readonly LayerSummary[]
  workspace: string | undefined
  times: ReadonlyMap<number, RecordTimes>
}

/** The document in pieces, so that many layers are never in memory together. */
async function* written(
  catalog: Catalog,
  bounds: LayerBounds,
  about: Pick<ServiceSettings, 'contact'>,
  request: FastifyRequest,
  { set, cards, workspace, times }: DcatRequest,
): AsyncGenerator<string> {
  const changedAt = cards.reduce<string | undefined>(
    (newest, card) => (newest === undefined || card.changedAt > newest ? card.changedAt : newest),
    undefined,
  )
  const { contact: publisher } = about
  const catalogue = JSON.stringify(toDcatCatalogue(request, { workspaces: workspace, changedAt, publisher }))
  yield `${catalogue.slice(0, -1)},"dcat:dataset":[`
  let comma = ''
  for await (const layers of readLayers(catalog, request, cards))
    for (const layer of layers) {
      const resources = await resourcesOf(catalog, request, layer)
      const range = await bounds.ofLayer(layer)
      const facts = { range, resources, publisher, isPublic: set.isPublic(layer), times: times.get(layer.id) }
      yield `${comma}${JSON.stringify(toDataset(request, layer, facts))}`
      comma = ','
    }
  yield ']}'
}
