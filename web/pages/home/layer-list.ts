import { signal } from '@preact/signals'
import type { Call } from '../../api/client.ts'
import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { query, setQuery } from '../../lib/router.ts'

type Page = Calls['GET /rest/catalogue/layers']['answer']
export type Layer = Page['layers'][number]
type Query = Calls['GET /rest/catalogue/layers']['query']

const pageSize = 60
/** The order of the list, by what the address calls it. */
const orders: Record<string, Pick<Query, 'sort' | 'order'>> = {
  title: { sort: 'title', order: 'asc' },
  changed: { sort: 'changed', order: 'desc' },
  requests: { sort: 'requests', order: 'desc' },
  rows: { sort: 'rows', order: 'desc' },
  relevance: { sort: 'relevance' },
}
export const sorts = ['title', 'changed', 'requests', 'rows', 'relevance'] as const

/** Result of a search: counts of all matches, and the layers loaded so far by position. */
export interface LayerListState {
  total: number
  counts: Page['counts']
  layers: ReadonlyMap<number, Layer>
  /** Query of the result. */
  requested: string
}

export const found = signal<LayerListState | undefined>(undefined)
export const isLoading = signal(false)
export const failure = signal<unknown>(undefined)

let running: AbortController | undefined
let inFlight = new Set<number>()

/** Returns the server query for the address. */
export function queryOf(query: URLSearchParams): Query {
  const text = (name: string): string | undefined => query.get(name) ?? undefined
  const { q, workspace, kind } = { q: text('q'), workspace: text('workspace'), kind: text('kind') }
  const order = orders[text('sort') ?? (q === undefined ? 'title' : 'relevance')] ?? orders['title']
  const isWithout = order?.sort === 'relevance' && q === undefined
  return {
    q,
    workspace,
    kind,
    public: query.get('public') === 'false' ? false : undefined,
    problem: query.get('problem') === 'true' ? true : undefined,
    ...(isWithout ? orders['title'] : order),
    limit: pageSize,
  }
}

/** Returns the request for the address, or for a query. */
export function listCall(request = queryOf(query.peek())): Call {
  return { path: '/rest/catalogue/layers', query: request }
}

/** Reloads the list for the address; the previous result stays visible until the response. */
export async function load(): Promise<void> {
  running?.abort()
  running = new AbortController()
  inFlight = new Set([0])
  isLoading.value = true
  await fetchPage(0, running.signal)
}

/** Sees to it that layers of these places come. */
export function need(first: number, end: number): void {
  const now = found.peek()
  if (now === undefined || running === undefined || isLoading.peek()) return
  for (let page = Math.floor(first / pageSize); page * pageSize < Math.min(end, now.total); page++) {
    if (inFlight.has(page) || now.layers.has(page * pageSize)) continue
    inFlight.add(page)
    void fetchPage(page, running.signal)
  }
}

async function fetchPage(page: number, signal: AbortSignal): Promise<void> {
  const request = queryOf(query.peek())
  const requested = JSON.stringify(request)
  try {
    const got = await call<Page>(listCall({ ...request, offset: page * pageSize }), signal)
    if (signal.aborted) return
    const before = page > 0 && found.peek()?.requested === requested ? (found.peek()?.layers ?? []) : []
    const layers = new Map(before)
    for (const [at, layer] of got.layers.entries()) layers.set(got.offset + at, layer)
    found.value = { total: got.total, counts: got.counts, layers, requested }
    failure.value = undefined
  } catch (error) {
    if (!signal.aborted) failure.value = error
  }
  if (signal.aborted) return
  inFlight.delete(page)
  if (page === 0) isLoading.value = false
}

/** Changes filters in the address; typing leaves no steps back. */
export function filter(changes: Record<string, string>, { isReplaced = false } = {}): void {
  setQuery(changes, { isReplaced })
}
