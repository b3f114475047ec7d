import { createHash } from 'node:crypto'
import { hasRole } from '../../../access/index.ts'
import { type Catalog, chooseSummaries, type SummarySet } from '../../../catalog/index.ts'
import { Failure } from '../../../core/errors/errors.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { loginNeeded } from '../../app-types.ts'
import { countReaders } from '../../compat/dialect.ts'
import { operation } from '../../endpoint.ts'
import { sendEntity } from '../../etag.ts'
import type { LayerBounds } from '../../layer-bounds.ts'
import type { LayerListQuery } from './layer-list-query.ts'
import { LayerListParams, readQuery, writePosition } from './layer-list-query.ts'
import { LayerListReply, toCountsResponse, toListedResponse } from './layer-list-response.ts'
import type { LayerUse } from './layer-use.ts'
import type { OrderedSummaries } from './ordered-summaries.ts'

/** Dependencies of the lists of layers. */
interface LayerListDeps {
  catalog: Pick<Catalog, 'cards' | 'availability'>
  bounds: LayerBounds
  ordered: OrderedSummaries
  /** Absent where monitoring is off. */
  use: LayerUse | undefined
}

/** Permissions of the caller for layers. */
interface Rights {
  /** True for signed-in users: all layers, with their problems. */
  isKnown: boolean
  requests: boolean
}

export const findLayers = operation({
  summary: 'Find layers: by words, filters and order, page by page, with what a list shows of each',
  description:
    'Without a login, public layers only. A page is consistent. Pages requested by `next` neither skip nor repeat layers that keep their position, even if other layers are added or removed.',
  tags: ['layers'],
  isPublicRead: true,
  query: LayerListParams,
  answers: { 200: LayerListReply },
  handle: async (deps: LayerListDeps, request, reply) => {
    const query = readQuery(request.query)
    const rights = rightsOf(request, query)
    const [known, areCounted] = await Promise.all([
      deps.catalog.cards.now(),
      rights.requests && deps.use?.refresh(),
      rights.isKnown && deps.catalog.availability.refresh(),
    ])
    const set = known.readableBy(await request.rights())
    const page = choosePage(deps.catalog, deps.ordered, set, query, rights)
    const layers = await Promise.all(
      page.cards.map(async (card) =>
        toListedResponse(request, set, {
          card,
          bounds: await deps.bounds.of(card),
          problem: rights.isKnown ? deps.catalog.availability.problemOf(card) : undefined,
          use: areCounted ? deps.use?.of(card.qualifiedName) : undefined,
        }),
      ),
    )
    return sendEntity(request, reply, {
      layers,
      total: page.total,
      offset: page.offset,
      next: page.next === undefined ? undefined : nextLink(request, page.next),
      revision: revisionOf(set),
      counts: toCountsResponse(set, page.counts, rights.isKnown),
    })
  },
})

/** Throws `Failure` if the query would reveal what the caller may not see. */
function rightsOf({ caller, server }: FastifyRequest, { filter, requested: order }: LayerListQuery): Rights {
  const rights = { isKnown: hasRole(caller, 'user'), requests: hasRole(caller, countReaders[server.dialect]) }
  const isHidden =
    (filter.hasProblem !== undefined && !rights.isKnown) || (order.order === 'requests' && !rights.requests)
  if (isHidden && caller.role === 'anonymous') throw loginNeeded()
  if (isHidden)
    throw new Failure('forbidden', 'not-allowed', 'Order by requests needs the right to read metrics')
  return rights
}

function choosePage(
  catalog: Pick<Catalog, 'cards' | 'availability'>,
  ordered: OrderedSummaries,
  set: SummarySet,
  query: LayerListQuery,
  rights: Rights,
) {
  const { filter, requested: order, limit, after } = query
  const all = ordered.all(set, order)
  const found = chooseSummaries(all, filter, {
    isPublic: (card) => set.isPublic(card),
    hasProblem: (card) => rights.isKnown && catalog.availability.problemOf(card) !== undefined,
  })
  const chosen = ordered.settle(found.cards, order)
  const offset = after === undefined ? query.offset : ordered.countUpTo(chosen, after, order)
  const cards = chosen.slice(offset, offset + limit)
  const last = offset + limit < chosen.length ? cards.at(-1) : undefined
  const next = last && writePosition(ordered.positionOf(last, order))
  return { cards, offset, total: chosen.length, counts: found.counts, next }
}

/** The same address, behind the last layer of this page. */
function nextLink(request: FastifyRequest, after: string): string {
  const [, query = ''] = request.url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.delete('offset')
  parameters.set('after', after)
  return request.link(`/rest/catalogue/layers?${parameters}`)
}

function revisionOf(set: SummarySet): string {
  const open = [...set.openWorkspaces].join(',')
  return createHash('sha256').update(`${set.digest} ${open}`).digest('base64url').slice(0, 16)
}
