import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { LayerCard } from '../../../catalog/cards/layer-card.ts'
import type { CardSet } from '../../../catalog/cards/layer-cards.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import type { OgcParts } from '../ogc-parts.ts'
import type { Representation } from '../representations.ts'
import { represented } from '../representations.ts'
import { toDataset, toDcatCatalogue } from './dcat-wire.ts'
import { resourcesOf } from './layer-resources.ts'
import { isKept, knownCards, readLayers } from './read-records.ts'
import { cardsOfWorkspaces } from './record-search.ts'
import type { RecordTimes } from './record-times.ts'
import { timesOfCards } from './record-times.ts'

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
    Type.String({ description: 'Names of workspaces with commas between; default all', maxLength: 4000 }),
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
    handle: async (parts: OgcParts, request, reply) => {
      const set = await knownCards(parts, request)
      const { workspace } = request.query
      const cards = cardsOfWorkspaces(set, workspace)
      const times = await timesOfCards(parts, cards)
      if (isKept(parts, set, { request, reply, times })) return reply.send()
      reply.header('content-type', `${ldJson}; charset=utf-8`)
      return reply.send(
        Readable.from(written(parts, request, { set, cards, workspace, times }), { objectMode: false }),
      )
    },
  }),
)

interface Wanted {
  set: CardSet
  cards: readonly LayerCard[]
  workspace: string | undefined
  times: ReadonlyMap<number, RecordTimes>
}

/** The document in pieces, so that many layers are never in memory together. */
async function* written(
  parts: OgcParts,
  request: FastifyRequest,
  { set, cards, workspace, times }: Wanted,
): AsyncGenerator<string> {
  const changedAt = cards.reduce<string | undefined>(
    (newest, card) => (newest === undefined || card.changedAt > newest ? card.changedAt : newest),
    undefined,
  )
  const { contact: publisher } = parts.about
  const catalogue = JSON.stringify(toDcatCatalogue(request, { workspaces: workspace, changedAt, publisher }))
  yield `${catalogue.slice(0, -1)},"dcat:dataset":[`
  let comma = ''
  for await (const layers of readLayers(parts, request, cards))
    for (const layer of layers) {
      const resources = await resourcesOf(parts, request, layer)
      const range = await parts.bounds.ofLayer(layer)
      const facts = { range, resources, publisher, isPublic: set.isPublic(layer), times: times.get(layer.id) }
      yield `${comma}${JSON.stringify(toDataset(request, layer, facts))}`
      comma = ','
    }
  yield ']}'
}
