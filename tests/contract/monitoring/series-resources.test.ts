import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { metricNamed } from '../../../src/monitoring/metrics/metrics.ts'
import { eventTypeId } from '../../../src/monitoring/model/event-types.ts'
import { openSeriesDatabase } from '../../../src/monitoring/series/open-series-database.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import type { SeriesDatabase } from '../../../src/monitoring/series/series-database.ts'
import { createSeriesWriter } from '../../../src/monitoring/series/series-writer.ts'
import { requestAt } from '../../support/fed-monitoring.ts'
import { seriesKinds, seriesPlace } from '../../support/host-series.ts'

const limits = { labels: 100, visitors: 1000, resources: 3 }
const start = Date.parse('2026-11-21T12:00:00Z')

function mapAt(minute: number, ...layers: string[]): RequestEvent {
  const time = new Date(start + minute * 60_000).toISOString()
  const resources = layers.map((name) => ({ type: 'layer' as const, name }))
  return requestAt(time, { serviceId: 7, eventType: 'OWS:WMS', resources })
}

/** Requests of the event type `all` by minute and layer; every layer together under its type. */
async function countsOf(database: SeriesDatabase): Promise<Record<string, number>> {
  const rows = await database.arrays(
    `select (period - ${start / 1000}) / 60, coalesce(r.name, case when resource_id = 0 then 'all' else 'layers' end), sum
     from monitoring_minutes join monitoring_series s on s.id = series_id
     left join monitoring_resources r on r.id = resource_id
     where metric_id = ? and event_type = ?`,
    [metricNamed('request.count').id, eventTypeId('all')],
  )
  return Object.fromEntries(rows.map(([minute, name, sum]) => [`${minute} ${name}`, Number(sum)]))
}

for (const kind of seriesKinds) {
  describe(`resources without number, series in ${kind}`, () => {
    it('keep the names of those that are used most, and the rest stands under (other), each request once', async (test) => {
      const database = await openSeriesDatabase(await seriesPlace(test, kind))
      const writer = createSeriesWriter(database, limits)
      test.after(() => writer.close())
      const events = [
        mapAt(0, 'a'),
        mapAt(0, 'a', 'b'),
        mapAt(0, 'b', 'c', 'd', 'e'),
        mapAt(0, 'c', 'f'),
        mapAt(0, 'e'),
        mapAt(0, 'e', 'a', '(other)'),
      ]
      await writer.append({ events })
      await writer.settle(start + 3_600_000)
      const first = await countsOf(database)
      const expected = { '0 all': 6, '0 layers': 6, '0 a': 3, '0 b': 2, '0 e': 3, '0 (other)': 3 }
      assert.deepEqual(first, expected)
      await writer.append({ events: [mapAt(0, 'c'), mapAt(0, 'c')] })
      await writer.settle(start + 3_600_000)
      const again = { '0 all': 8, '0 layers': 8, '0 a': 3, '0 c': 4, '0 e': 3, '0 (other)': 4 }
      assert.deepEqual(await countsOf(database), again)
    })

    it('are bounded altogether too, and those that are known stay known', async (test) => {
      const database = await openSeriesDatabase(await seriesPlace(test, kind))
      const writer = createSeriesWriter(database, limits)
      test.after(() => writer.close())
      for (let minute = 0; minute < 40; minute += 1) {
        const events = [mapAt(minute, `new ${minute}`, `newer ${minute}`), mapAt(minute, 'new 0')]
        const request = mapAt(minute, `broken ${minute}`)
        const exception = { serviceId: 7, errorType: 'E', message: '', stack: '' }
        const created = start + minute * 60_000
        await writer.append({ events, exceptions: [{ ...exception, created, request }] })
        await writer.settle(start + 3_600_000)
      }
      const [known] = await database.arrays('select count(*) from monitoring_resources')
      assert.ok(Number(known?.[0]) <= 61, `${known?.[0]} resources`)
      const counts = await countsOf(database)
      const at = (name: string): (number | undefined)[] => [counts[`0 ${name}`], counts[`39 ${name}`]]
      assert.deepEqual(at('all'), [2, 2])
      assert.deepEqual(at('layers'), [2, 2])
      assert.deepEqual(at('new 0'), [2, 1])
      assert.deepEqual(at('(other)'), [undefined, 1])
    })

    it('of a flood are computed, minute after minute', async (test) => {
      const database = await openSeriesDatabase(await seriesPlace(test, kind))
      const writer = createSeriesWriter(database, { ...limits, resources: 100 })
      test.after(() => writer.close())
      for (let minute = 0; minute < 2; minute += 1) {
        const events = Array.from({ length: 5000 }, (_, at) => mapAt(minute, `layer ${minute} ${at}`))
        await writer.append({ events })
        while ((await writer.settle(start + 3_600_000)).hasMore);
      }
      const counts = await countsOf(database)
      assert.deepEqual([counts['0 all'], counts['1 layers'], counts['1 (other)']], [5000, 5000, 4900])
      assert.equal(Object.keys(counts).length, 206)
    })
  })
}
