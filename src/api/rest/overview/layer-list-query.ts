import type { Static } from 'typebox'
import { Type } from 'typebox'
import {
  isFalling,
  type SummaryFilter,
  type SummaryKind,
  type SummaryPosition,
  searchWords,
  summaryKinds,
  summaryOrders,
} from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { ListOrder } from './ordered-summaries.ts'

const usualLimit = 50
const mostLayers = 500

export const LayerListParams = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'Words, each of which has to be in the name, title, keywords, columns or abstract; case and accents do not matter',
    }),
  ),
  workspace: Type.Optional(Type.String({ description: 'Names of workspaces, with commas between' })),
  kind: Type.Optional(
    Type.String({ description: '`vector`, `raster`, `table`, or some with commas between' }),
  ),
  public: Type.Optional(
    Type.Boolean({ description: 'Only those that anonymous people may read, or may not' }),
  ),
  problem: Type.Optional(
    Type.Boolean({
      description: 'true: only layers with a problem; false: only layers without. Needs a login',
    }),
  ),
  sort: Type.Optional(
    Type.Enum([...summaryOrders], {
      description:
        'By `relevance` where words are looked for, else by `title`; by `requests` for who may read metrics',
    }),
  ),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      description:
        '`changed`, `rows` and `requests` begin with the largest, the others with the smallest; relevance with the best',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostLayers, default: usualLimit })),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'So many are left out' })),
  after: Type.Optional(
    Type.String({
      maxLength: 4000,
      description:
        'As the address in `next` says: the page begins behind that layer, whatever came or went before it',
    }),
  ),
})
export type LayerListParams = Static<typeof LayerListParams>

/** Parameters of a list. */
export interface LayerListQuery {
  filter: SummaryFilter
  requested: ListOrder
  limit: number
  offset: number
  after: SummaryPosition | undefined
}

/** Throws `Failure` (`invalid`). */
export function readQuery(query: LayerListParams): LayerListQuery {
  if (query.after !== undefined && query.offset !== undefined)
    throw invalid('invalid-parameter', 'A page begins after a layer or at an offset, not both')
  const words = searchWords(query.q ?? '')
  const { public: isPublic, problem: hasProblem } = query
  const workspaces = listed(query.workspace)
  return {
    filter: { words, workspaces, kinds: kindsIn(query.kind), isPublic, hasProblem },
    requested: { ...orderIn(query, words.length > 0), words },
    limit: query.limit ?? usualLimit,
    offset: query.offset ?? 0,
    after: query.after === undefined ? undefined : readPosition(query.after),
  }
}

function orderIn({ sort, order: way }: LayerListParams, hasWords: boolean): Omit<ListOrder, 'words'> {
  const order = sort ?? 'relevance'
  if (order === 'relevance' && hasWords) return { order, isDescending: false }
  const isDescending = way === undefined ? isFalling(order) : way === 'desc'
  return { order: order === 'relevance' ? 'title' : order, isDescending }
}

function listed(text: string | undefined): Set<string> | undefined {
  if (text === undefined || text === '') return undefined
  return new Set(text.split(',').map((one) => one.trim()))
}

function kindsIn(text: string | undefined): Set<SummaryKind> | undefined {
  const names = listed(text)
  if (names === undefined) return undefined
  const kinds = summaryKinds.filter((kind) => names.has(kind))
  if (kinds.length === names.size) return new Set(kinds)
  throw invalid('invalid-parameter', `"kind" takes ${summaryKinds.join(', ')}; found "${text}"`)
}

/** A place in an order as text, for an address. */
export function writePosition({ key, name }: SummaryPosition): string {
  return Buffer.from(JSON.stringify([name, ...(key === undefined ? [] : [key])])).toString('base64url')
}

function readPosition(text: string): SummaryPosition {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    const [name, key] = Array.isArray(read) ? (read as unknown[]) : []
    const isKey = key === undefined || typeof key === 'string' || typeof key === 'number'
    if (typeof name === 'string' && isKey) return { name, key }
  } catch {
    // The error is thrown below.
  }
  throw invalid('invalid-parameter', '"after" takes what the address of a next page says')
}
