import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Retention } from '../../../src/core/config/monitoring-settings.ts'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { fedLimits, placeOf, requestAt, startFed } from '../../support/fed-monitoring.ts'
import { databases } from '../../support/monitoring-client.ts'
import { retainAll, withWriter } from '../../support/series-writing.ts'

const wholeDay = 'valid_from=2026-08-10&valid_to=2026-08-11'
const queries = [
  ...['request.count', 'request.users', 'response.status', 'response.time', 'response.size'].map((metric) => [
    metric,
    '',
  ]),
  ...['label', 'resource_no_label', 'event_type_on_label'].map((grouping) => ['request.users', grouping]),
  ...['resource', 'event_type'].map((grouping) => ['request.count', grouping]),
] as [metric: string, grouping: string][]

/** Records 600 requests of one day, enough per minute that minutes differ. */
async function feedDay(fed: FedMonitoring): Promise<void> {
  const resources = [{ type: 'layer', name: 'ws:roads' }] as const
  const noon = Date.parse('2026-08-10T12:00:00Z')
  const events = Array.from({ length: 600 }, (_, index) => {
    const visitor = String(index % 37).padStart(64, '0')
    const time = new Date(noon + Math.floor(Math.sqrt(index)) * 1_200_000).toISOString()
    return requestAt(time, {
      serviceId: fed.services.mapserver,
      eventType: index % 3 === 0 ? 'OWS:WMS' : 'OWS:WFS',
      resources: index % 2 === 0 ? [...resources] : [],
      status: index % 7 === 0 ? 404 : 200,
      visitor,
      milliseconds: 1 + index,
      sizeBytes: 10 * index,
      userName: 'AnonymousUser',
    })
  })
  await fed.feed({ events })
}

const aDay = 86_400_000

/** Removes what is older than so many days; a clock that has leapt is believed a day later. */
async function keepOnly(fed: FedMonitoring, days: Partial<Retention>): Promise<void> {
  await withWriter(
    placeOf(fed.server),
    async (writer) => {
      for (let turn = 0; turn < 2; turn += 1) {
        await retainAll(writer, fed.clock.now().getTime(), { requestDays: 1, ...days })
        fed.clock.advance(aDay)
      }
    },
    fedLimits,
  )
}

interface Data {
  interval: number
  resolution?: number
  data: { valid_from: string; data: Record<string, string>[] }[]
}

for (const [name, environment] of Object.entries(databases)) {
  describe(`what was rolled up on ${name}`, () => {
    async function ask(fed: FedMonitoring, metric: string, query: string): Promise<Data> {
      const { status, text } = await fed.call('GET', `/api/metric_data/${metric}/?${query}`)
      assert.equal(status, 200, text)
      return JSON.parse(text).data
    }

    async function everything(fed: FedMonitoring): Promise<Map<string, Data>> {
      const found = new Map<string, Data>()
      for (const [metric, grouping] of queries)
        found.set(
          `${metric} ${grouping}`,
          await ask(fed, metric, `${wholeDay}&interval=86400&group_by=${grouping}`),
        )
      return found
    }

    it('is told as before: sums, means, extremes, samples, quantiles and numbers of labels', async (test) => {
      const fed = await startFed(test, await environment(), '2026-08-11T00:30:00Z')
      await feedDay(fed)
      const before = await everything(fed)
      assert.equal(before.get('request.count ')?.data[0]?.data[0]?.val, '600.0000')
      assert.ok([...before.values()].every(({ data }) => (data[0]?.data.length ?? 0) > 0))
      const resolution = async () => (await ask(fed, 'request.count', `${wholeDay}&interval=600`)).resolution
      for (const [days, left] of [
        [20, 3600],
        [100, 86_400],
      ] as const) {
        fed.clock.advance(days * aDay)
        await keepOnly(fed, { minuteDays: 7, hourDays: 90 })
        assert.equal(await resolution(), left)
        assert.deepEqual(await everything(fed), before, `after ${days} days`)
      }
    })

    it('names the resolution where only coarser rows are left than were asked for', async (test) => {
      const fed = await startFed(test, await environment(), '2026-08-11T00:30:00Z')
      await feedDay(fed)
      const minutes = 'valid_from=2026-08-10T12:00&valid_to=2026-08-10T13:00&interval=600'
      assert.equal('resolution' in (await ask(fed, 'request.count', minutes)), false)
      fed.clock.advance(20 * aDay)
      await keepOnly(fed, { minuteDays: 7 })
      const { interval, resolution, data } = await ask(fed, 'request.count', minutes)
      assert.deepEqual([interval, resolution, data.length], [600, 3600, 6])
      assert.deepEqual(
        data.map((period) => period.data.map(({ val }) => val)),
        [['9.0000'], [], [], [], [], []],
        'a row stands in the period that holds its start',
      )
      const hours = await ask(fed, 'request.count', minutes.replace('interval=600', 'interval=3600'))
      assert.deepEqual([hours.resolution, hours.data[0]?.data[0]?.val], [undefined, '9.0000'])
    })
  })
}
