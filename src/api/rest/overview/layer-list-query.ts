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
const maxLayers = 500

export const LayerListParams = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'Words that must all occur in name, title, keywords, columns or abstract; ignores case and accents',
    }),
  ),
  workspace: Type.Optional(Type.String({ description: 'Names of workspaces, separated by commas' })),
  kind: Type.Optional(
    Type.String({ description: '`vector`, `raster`, `table`, or some separated by commas' }),
  ),
  public: Type.Optional(
    Type.Boolean({
      description: 'Only layers that anonymous users may read (`true`) or may not read (`false`)',
    }),
  ),
  problem: Type.Optional(
    Type.Boolean({
      description: 'true: only layers with a problem; false: only layers without. Needs a login',
    }),
  ),
  sort: Type.Optional(
    Type.Enum([...summaryOrders], {
      description:
        'Default `relevance` if `q` is given, otherwise `title`. `requests` needs the right to read metrics',
    }),
  ),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      description:
        '`changed`, `rows` and `requests` sort in descending order, `relevance` by the best match, others in ascending order',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLayers, default: usualLimit })),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of omitted entries' })),
  after: Type.Optional(
    Type.String({
      maxLength: 4000,
      description:
        'Value from the `next` link: the page begins after that layer, regardless of layers added or removed before it',
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
    throw invalid('invalid-parameter', 'Only one of "after" and "offset" can be given')
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
  throw invalid('invalid-parameter', `"kind" must be one of ${summaryKinds.join(', ')}, found "${text}"`)
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
  throw invalid('invalid-parameter', '"after" must be taken from the "next" link of a response')
}
