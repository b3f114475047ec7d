import type { LayerRecord } from '../../catalog/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { PagePart, RowPosition, SortKey } from '../../stores/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { collectionId, queryablesLink } from './collection.ts'
import type { ItemsParameters } from './items-query.ts'
import { readPage } from './items-query.ts'
import type { PagePosition, PageTokens } from './page-token.ts'
import type { ItemLink, Representation } from './representations.ts'
import { alternateLinks } from './representations.ts'

/** Location of a page in a list: by a position, or by the number of features to skip. */
export interface PageLocation {
  /** Path of the list. */
  path: string
  limit: number
  offset: number
  from?: PagePosition
  /** Context to which positions of these pages are bound. */
  about: string
}

/** Reads which page is requested; `path` and `sort` are those of its features. */
export function readPageLocation(
  tokens: PageTokens,
  layer: LayerRecord,
  parameters: ItemsParameters,
  { path, sort, rows }: { path: string; sort: readonly SortKey[]; rows: Representation['rows'] },
): PageLocation {
  const { position, offset, version } = parameters
  const types = sort.map(({ attribute }) =>
    layer.details.schema.attributes.find(({ name }) => name === attribute),
  )
  const about = JSON.stringify([layer.id, path, version, sort, types.map((one) => one?.type)])
  const page = { path, ...readPage(parameters, rows), about }
  if (position === undefined) return page
  if (offset !== undefined) throw invalid('invalid-parameter', 'Only one of position and offset can be given')
  return { ...page, from: tokens.read(position, about) }
}

/**
 * Returns the links of a page: itself, adjacent pages (by rows if this is its last part), and the same page
 * in other formats.
 */
export function pageLinks(
  request: FastifyRequest,
  layer: LayerRecord,
  page: PageLocation,
  { tokens, mediaType }: { tokens: PageTokens; mediaType: string },
  part: Pick<PagePart, 'numberMatched' | 'numberReturned' | 'ends'>,
): ItemLink[] {
  const collection = `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
  const { path, limit, offset, from, about } = page
  const link = (rel: string, place: PageStart): ItemLink => ({
    rel,
    type: mediaType,
    href: hrefOf(request, path, limit, place),
  })
  const tokenOf = (position: PagePosition): string | undefined => tokens.write(position, about)
  const { next, prev } = neighbours(page, part, tokenOf)
  const self = from === undefined ? { offset } : { position: tokenOf(from) ?? '' }
  return [
    link('self', self),
    { rel: 'collection', type: 'application/json', href: request.link(collection) },
    ...(next === undefined ? [] : [link('next', next)]),
    ...(prev === undefined ? [] : [link('prev', prev)]),
    ...(layer.details.kind === 'vector' ? [queryablesLink(request, layer)] : []),
    ...alternateLinks(request, path),
  ]
}

type PageStart = { offset: number } | { position: string }

function hrefOf(request: FastifyRequest, path: string, limit: number, place: PageStart): string {
  const query = new URLSearchParams(request.query as Record<string, string>)
  query.delete('offset' in place ? 'position' : 'offset')
  query.set('limit', String(limit))
  for (const [name, value] of Object.entries(place)) query.set(name, String(value))
  return request.link(`${path}?${query.toString()}`)
}

/** Returns the next and previous page: by the last and first row, otherwise by numbers. */
function neighbours(
  { limit, offset, from }: PageLocation,
  { numberMatched, numberReturned, ends }: Pick<PagePart, 'numberMatched' | 'numberReturned' | 'ends'>,
  tokenOf: (position: PagePosition) => string | undefined,
): { next: PageStart | undefined; prev: PageStart | undefined } {
  const passed = from?.passed ?? offset
  const isBackward = from?.isBackward === true
  const hasNext = isBackward || (ends?.hasMore ?? passed + limit < numberMatched)
  const hasPrev = isBackward ? ends?.hasMore === true : from !== undefined || offset > 0
  const place = (row: RowPosition | undefined, before: number, goesBack: boolean): PageStart => {
    const token = row && tokenOf({ row, passed: before, isBackward: goesBack })
    return token === undefined ? { offset: before } : { position: token }
  }
  const behind = passed + (ends === undefined ? limit : numberReturned)
  const before = Math.max(0, passed - limit)
  return {
    next: hasNext ? place(ends?.last, behind, false) : undefined,
    prev: !hasPrev ? undefined : from === undefined ? { offset: before } : place(ends?.first, before, true),
  }
}
