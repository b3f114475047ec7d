import assert from 'node:assert/strict'
import { applicationMetrics } from '../../../src/monitoring/metrics/metrics.ts'
import { alignWindow } from '../../../src/monitoring/query/align-window.ts'
import { groupings } from '../../../src/monitoring/query/grouping.ts'
import type { MetricDataQuery } from '../../../src/monitoring/query/metric-data-query.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import type { SeriesDatabase, SeriesLocation } from '../../../src/monitoring/series/series-database.ts'
import {
  day,
  describeSeries,
  hour,
  makeFacts,
  retainAll,
  settleAll,
  start,
  testLimits,
  withDatabase,
  withWriter,
} from '../../support/series-writing.ts'
import { readWhole, slicesOf } from '../../support/sliced-reads.ts'

type Filter = Omit<MetricDataQuery, 'metric' | 'window'>

const splits = applicationMetrics.filter(({ isLabelled }) => isLabelled).map(({ name }) => name)
const now = start + 3 * day

/** Filters alone and in pairs, and groupings whose rows split no request in two. */
function filtersOf(requests: readonly RequestEvent[]): Filter[] {
  const resources = requests.flatMap((one) => one.resources).slice(0, 3)
  const filters: Filter[] = [
    {},
    { serviceIds: [1] },
    { serviceIds: [1, 2] },
    ...(['OWS:ALL', 'other', 'OWS:WMS', 'view'] as const).map((eventType) => ({ eventType })),
    ...(['layer', 'map'] as const).map((resourceType) => ({ resourceType })),
    ...resources.map((resource) => ({ resource })),
    ...resources.map((resource) => ({ resource, eventType: 'OWS:ALL' as const, serviceIds: [2] })),
    { resourceType: 'layer', eventType: 'other', serviceIds: [1] },
  ]
  return [...filters, { grouping: 'resource' }, { grouping: 'event_type' }]
}

/** Returns the sums of a metric's rows, by period and group. */
async function sumsOf(database: SeriesDatabase, query: MetricDataQuery): Promise<Record<string, number>> {
  const { rows, query: resolved } = await readWhole(database, query)
  const sums: Record<string, number> = {}
  const isGrouped = resolved.shape.keys[0] !== 'label'
  for (let row = 0; row < rows.length; row += 1) {
    const key = `${rows.get(row, 'period')} ${isGrouped ? rows.get(row, 'key') : ''}`
    sums[key] = (sums[key] ?? 0) + rows.get(row, 'sum')
  }
  // No row and a sum of 0 are alike.
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0))
}

async function assertSums(
  place: SeriesLocation,
  filters: readonly Filter[],
  intervals: number[],
): Promise<void> {
  await withDatabase(place, async (database) => {
    for (const intervalSeconds of intervals) {
      const requested = { validFrom: start - day, validTo: start + day, intervalSeconds }
      const window = alignWindow(requested, { now })
      assert.ok('count' in window)
      for (const filter of filters) {
        const all = await sumsOf(database, { metric: 'request.count', window, ...filter })
        const errors = await sumsOf(database, { metric: 'response.error.count', window, ...filter })
        for (const metric of splits) {
          const expected = metric === 'response.error.types' ? errors : all
          const found = await sumsOf(database, { metric, window, ...filter })
          assert.deepEqual(found, expected, `${metric} ${intervalSeconds} ${JSON.stringify(filter)}`)
        }
      }
    }
  })
}

/** Groupings, and metrics with additional data: sketches and numbers of users. */
const slicedQueries = [
  ...groupings.map((grouping) => ({ metric: 'request.users', grouping })),
  ...['request.path', 'response.time'].flatMap((metric) => [{ metric }, { metric, grouping: 'resource' }]),
  { metric: 'request.users', user: 'AnonymousUser' },
] as const

/** Compares responses read slice by slice with those read at once. */
async function assertSlices(place: SeriesLocation, intervals: number[]): Promise<void> {
  await withDatabase(place, async (database) => {
    for (const intervalSeconds of intervals) {
      const requested = { validFrom: start - 2 * hour, validTo: start + 2 * hour, intervalSeconds }
      const window = alignWindow(requested, { now })
      assert.ok('count' in window)
      for (const query of slicedQueries) {
        const request = { query: { ...query, window }, dialect: 'contract', base: '' } as const
        const [whole, ...rest] = await slicesOf(database, 'metricData', request)
        assert.equal(rest.length, 0)
        const sliced = { ...request, start: { first: 0, expected: 1 } }
        const slices = await slicesOf(database, 'metricData', sliced, { rowsPerRead: 5 })
        assert.ok(slices.length > 1, JSON.stringify({ intervalSeconds, ...query }))
        assert.equal(slices.join(''), whole, JSON.stringify({ intervalSeconds, ...query }))
      }
    }
    for (const name of ['labels', 'resources'] as const) {
      for (const query of [{}, { from: start / 1000 - 3600 }]) {
        const request = { query, dialect: 'contract' }
        const slices = await slicesOf(database, name, request, { rowsPerRead: 2 })
        assert.ok(slices.length > 1)
        assert.equal(slices.join(''), (await slicesOf(database, name, request)).join(''))
      }
    }
  })
}

describeSeries('every split', (test) => {
  test('sums up to its metric, beyond the caps, rolled up, and with every filter', async (place) => {
    const { requests } = makeFacts(11)
    const lacking = ['userAgent', 'visitor', 'clientIp', 'country', 'region', 'city'] as const
    const nobody = requests
      .slice(0, 5)
      .map((one) => ({
        ...one,
        ...Object.fromEntries(lacking.map((name) => [name, null])),
        userAgentFamily: null,
        userName: null,
      }))
    const filters = filtersOf(requests)
    await withWriter(
      place,
      async (writer) => {
        await writer.append({ events: requests })
        await settleAll(writer, start + hour)
        await writer.append({ events: nobody })
        await settleAll(writer, start + 2 * hour)
      },
      { ...testLimits, labels: 3, resources: 4 },
    )
    await assertSums(place, filters, [60, 5400])
    await assertSlices(place, [60, 1800])
    await withWriter(place, async (writer) => {
      await settleAll(writer, now)
      await retainAll(writer, now, { minuteDays: 1, requestDays: 1 })
    })
    await assertSums(place, filters, [3600, 86_400])
    await assertSlices(place, [3600])
    await withWriter(place, (writer) =>
      retainAll(writer, now + day, { minuteDays: 1, hourDays: 1, requestDays: 1 }),
    )
    await assertSums(place, filters, [86_400])
  })
})
