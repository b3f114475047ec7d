import { noneLabel, otherLabel } from '../metrics/metrics.ts'
import type { CounterTotals } from '../series/double-clicks.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { TimeTally } from '../series/time-tally.ts'
import type { AccessMethod } from '../series/usage-row.ts'
import { accessMethods } from '../series/usage-row.ts'
import { readResources } from './names.ts'
import { findZone, readUsagePeriod, type UsageSpan } from './read-usage-period.ts'

/** Consecutive months of a zone: `starts` has the first day of each and the end of the last, in seconds since 1970. */
export interface UsageMonthsQuery {
  /** IANA name of the time zone. */
  zone: string
  starts: readonly number[]
}

/** Usage of a layer by COUNTER's definitions, by access method and month. */
export interface CounterRow {
  layer: string
  months: Record<AccessMethod, CounterTotals[]>
}

/** First and newest counted day of the zone, in seconds since 1970; undefined if nothing was counted. */
interface Counted {
  since?: number
  until?: number
}

const noTotals = (): CounterTotals => ({
  investigations: 0,
  uniqueInvestigations: 0,
  requests: 0,
  uniqueRequests: 0,
})

function spansOf(starts: readonly number[]): UsageSpan[] {
  return starts.slice(1).map((to, at) => ({ from: starts[at] ?? to, to }))
}

/** Reads the usage of each layer by COUNTER's definitions, month by month. */
export async function readCounterMonths(
  database: SeriesDatabase,
  { zone, starts }: UsageMonthsQuery,
): Promise<Counted & { rows: CounterRow[] }> {
  const known = await findZone(database, zone)
  if (known === undefined) return { rows: [] }
  const spans = spansOf(starts)
  const byLayer = new Map<number, CounterRow['months']>()
  const monthsOf = (keyId: number): CounterRow['months'] => {
    const found = byLayer.get(keyId) ?? { regular: spans.map(noTotals), machine: spans.map(noTotals) }
    byLayer.set(keyId, found)
    return found
  }
  for (const [month, span] of spans.entries())
    await readUsagePeriod(
      database,
      { ...span, zoneId: known.id, scope: 'resource' },
      {
        add: ({ keyId, row }) => {
          for (const method of accessMethods) {
            const totals = row.counterTotals(method)
            const sum = totals && monthsOf(keyId)[method][month]
            if (sum !== undefined) addTotals(sum, totals)
          }
        },
        takeOff: () => undefined,
      },
    )
  const resources = await readResources(database, [...byLayer.keys()])
  const rows = [...byLayer].flatMap(([keyId, months]): CounterRow[] => {
    const found = resources.get(keyId)
    const isLayer = found?.type === 'layer' && found.name !== otherLabel && found.name !== noneLabel
    return isLayer ? [{ layer: found.name, months }] : []
  })
  return { since: known.since, until: known.until, rows }
}

function addTotals(sum: CounterTotals, more: CounterTotals | undefined): void {
  sum.investigations += more?.investigations ?? 0
  sum.uniqueInvestigations += more?.uniqueInvestigations ?? 0
  sum.requests += more?.requests ?? 0
  sum.uniqueRequests += more?.uniqueRequests ?? 0
}

/**
 * Quality of service of one watched service in one month, derived from requests. Times are in milliseconds.
 */
export interface ServiceMonth {
  serviceId: number
  /** Position of the month in the query. */
  month: number
  hits: number
  /** Requests that ended with a server error or an exception document. */
  errors: number
  firstByte: { measured: number; p50: number | null; p95: number | null; p99: number | null }
  response: { measured: number; p50: number | null; p95: number | null; p99: number | null }
}

/** Reads the quality of each service, derived from requests, month by month. */
export async function readServiceMonths(
  database: SeriesDatabase,
  { zone, starts }: UsageMonthsQuery,
): Promise<Counted & { months: ServiceMonth[] }> {
  const known = await findZone(database, zone)
  if (known === undefined) return { months: [] }
  const months: ServiceMonth[] = []
  for (const [month, span] of spansOf(starts).entries()) {
    const byService = new Map<
      number,
      { hits: number; errors: number; firstByte: TimeTally; response: TimeTally }
    >()
    await readUsagePeriod(
      database,
      { ...span, zoneId: known.id, scope: 'all' },
      {
        add: ({ serviceId, row }) => {
          const sum = byService.get(serviceId) ?? {
            hits: 0,
            errors: 0,
            firstByte: new TimeTally(),
            response: new TimeTally(),
          }
          byService.set(serviceId, sum)
          for (const cell of row.cells) {
            if (cell === undefined) continue
            sum.hits += cell.requests
            sum.errors += cell.errors
            sum.firstByte.merge(cell.times.firstByte)
            sum.response.merge(cell.times.total)
          }
        },
        takeOff: () => undefined,
      },
    )
    for (const [serviceId, { hits, errors, firstByte, response }] of byService)
      months.push({
        serviceId,
        month,
        hits,
        errors,
        firstByte: timesOf(firstByte),
        response: timesOf(response),
      })
  }
  return { since: known.since, until: known.until, months }
}

function timesOf(times: TimeTally): ServiceMonth['response'] {
  const quantile = (share: number): number | null => times.quantile(share) ?? null
  return { measured: times.count, p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) }
}
