import { type Call, call } from '../../../api/client.ts'
import type { Calls } from '../../../api/openapi.d.ts'
import { PagedRows } from '../../../lib/paged-rows.ts'
import { query } from '../../../lib/router.ts'

type History = Calls['GET /rest/import-history']['answer']
export type PastImport = History['imports'][number]
export type Counts = History['counts']

/** Filters of the history; each is a query parameter. */
export const filters = ['q', 'state', 'who', 'from', 'to'] as const

/** Returns the request for the address. Days are in the reader's time zone. */
export function historyCall(at: URLSearchParams = query.value): Call {
  const given = (name: (typeof filters)[number]): string | undefined => at.get(name) ?? undefined
  return {
    path: '/rest/import-history',
    query: {
      q: given('q'),
      state: given('state'),
      user: given('who'),
      from: startOf(given('from'), 0),
      to: startOf(given('to'), 1),
    },
  }
}

/** Returns the start of a day, or of a later day by offset; undefined for an invalid day. */
function startOf(day: string | undefined, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? []
  if (year === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}

/** Imports of a query, by pages; `onCounts` receives the counts of the filters. */
export function pastImports(requested: Call, onCounts: (counts: Counts) => void): PagedRows<PastImport> {
  return new PagedRows(async (offset, limit, signal) => {
    const got = await call<History>({ ...requested, query: { ...requested.query, offset, limit } }, signal)
    onCounts(got.counts)
    return { rows: got.imports, total: got.total }
  })
}
