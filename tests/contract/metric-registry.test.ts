import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { seededRandom } from '../../bench/random.ts'
import { namesOfDialect } from '../../src/api/compat/geonode-monitoring.ts'
import { listMetrics } from '../../src/api/rest/monitoring/metrics/lists.ts'
import { countersOf, toSamples } from '../../src/monitoring/collect/hosts/to-samples.ts'
import type { HostReading } from '../../src/monitoring/metrics/hosts/host-reading.ts'
import type { Metric } from '../../src/monitoring/metrics/metrics.ts'
import { applicationMetrics, hostMetrics, metricsOf } from '../../src/monitoring/metrics/metrics.ts'
import { serviceTypes } from '../../src/monitoring/model/service-types.ts'
import { alignWindow } from '../../src/monitoring/query/align-window.ts'
import type { RequestEvent, Sample } from '../../src/monitoring/series/request-event.ts'
import type { ExpectedPeriod, MetricQuery } from '../support/recount.ts'
import { Recount } from '../support/recount.ts'
import type { AnsweredPeriod } from '../support/recount-compare.ts'
import { differences } from '../support/recount-compare.ts'
import {
  day,
  hour,
  makeFacts,
  settleAll,
  start,
  withDatabase,
  withWriter,
} from '../support/series-writing.ts'
import { metricDataText } from '../support/sliced-reads.ts'

const metrics: readonly Metric[] = [...applicationMetrics, ...hostMetrics]
const folder = mkdtempSync(join(tmpdir(), 'terrane-metrics-'))
const place = { path: join(folder, 'monitoring.sqlite') }
const hostId = 3
const limits = { labels: 20_000, visitors: 20_000, resources: 500 }
const facts = { requests: makeRequests(), samples: makeSamples() }
const services = [
  { id: 1, name: 'app', type: 'app' },
  { id: 2, name: 'maps', type: 'mapserver' },
  { id: hostId, name: 'host', type: 'hostapp' },
] as const
const recount = new Recount(facts, [...services], limits)

/** A day's requests that differ in everything that can be counted by. */
function makeRequests(): RequestEvent[] {
  return makeFacts(31, 400).requests.map((request, index) => ({
    ...request,
    host: `maps${index % 3}.example.org`,
    region: index % 4 === 0 ? null : `region ${index % 5}`,
    contentType: index % 6 === 0 ? null : (['text/html', 'image/png', 'application/json'][index % 3] ?? null),
  }))
}

/** Returns two readings per minute of a host that reports all metrics. */
function makeSamples(): Sample[] {
  const draw = seededRandom(32)
  const samples: Sample[] = []
  let before: ReturnType<typeof countersOf> | undefined
  for (let count = 0; count < 40; count += 1) {
    const now = start + count * 30_000
    const reading = makeReading(count, draw)
    samples.push(...toSamples(reading, before, { serviceId: hostId, now }))
    before = countersOf(reading, now)
  }
  return samples
}

function makeReading(count: number, draw: () => number): HostReading {
  const storage = (mountPoint: string) => {
    const used = Math.floor(draw() * 900)
    return { mountPoint, total: 1000, used, free: 1000 - used }
  }
  return {
    loads: { one: draw() * 4, five: draw() * 3, fifteen: draw() * 2 },
    memory: { all: 2 ** 33, free: Math.floor(draw() * 2 ** 33), buffers: Math.floor(draw() * 2 ** 20) },
    storages: [storage('/'), storage('/data')],
    processors: { busy: count * 12, total: count * 60 },
    traffic: ['eth0', 'eth1'].map((label) => ({ label, received: count * 5000, sent: count * count })),
    uptimeSeconds: 1000 + count * 30,
    boot: 'one',
  }
}

async function answerOf(metric: Metric, intervalSeconds: number): Promise<AnsweredPeriod[]> {
  const window = alignWindow(
    { validFrom: start, validTo: start + 2 * hour, intervalSeconds },
    { now: start + day },
  )
  assert.ok('count' in window)
  const query = { metric: metric.name, window }
  const request = { query, dialect: 'contract', base: '' } as const
  const text = await withDatabase(place, (database) => metricDataText(database, request))
  const { data } = JSON.parse(text)
  assert.deepEqual([data.metric, data.type, data.axis_label], [metric.name, metric.type, metric.unit])
  return data.data
}

function expectedOf(metric: Metric, answered: readonly AnsweredPeriod[]): [MetricQuery, ExpectedPeriod[]] {
  const [first, last] = [answered[0], answered.at(-1)]
  const query = {
    metric: metric.name,
    from: Date.parse(first?.valid_from ?? '') / 1000,
    to: Date.parse(last?.valid_to ?? '') / 1000,
    interval: (Date.parse(first?.valid_to ?? '') - Date.parse(first?.valid_from ?? '')) / 1000,
  }
  return [query, recount.answer(query)]
}

describe('a metric', () => {
  before(() =>
    withWriter(
      place,
      async (writer) => {
        await writer.append({ events: facts.requests, samples: facts.samples })
        await settleAll(writer, start + day)
      },
      limits,
    ),
  )
  after(() => rmSync(folder, { recursive: true }))

  for (const metric of metrics) {
    const { id, name, unit, description } = metric

    it(`${name} describes itself, under an id and a name of its own`, () => {
      assert.ok(Number.isSafeInteger(id) && id > 0)
      assert.match(name, /^[a-z][a-z\d]*(\.[a-z\d]+(_[a-z\d]+)*)*$/)
      assert.match(unit, /^\S+$/)
      assert.match(description, /^[A-Z].*[^.]$/)
      const alike = metrics.filter((one) => one.id === id || one.name === name)
      assert.deepEqual(alike, [metric])
    })

    it(`${name} is listed for the services that have it, in both dialects`, () => {
      for (const dialect of ['contract', 'geoserver'] as const) {
        const wire = namesOfDialect(dialect)
        const parts = { wire }
        const { metrics: listed } = listMetrics.handle(parts, {} as never, {} as never) as {
          metrics: { service: string; metrics: object[] }[]
        }
        const line = JSON.stringify({ type: metric.type, name, unit })
        const found = listed.filter((one) => one.metrics.some((other) => JSON.stringify(other) === line))
        const having = serviceTypes.filter((type) => metricsOf(type).includes(metric))
        assert.deepEqual(
          found.map(({ service }) => service),
          having.map((type) => wire.serviceType(type)),
        )
      }
    })

    if (metric.takenFrom === 'dumps') continue
    it(`${name} is told by minutes and hours as a plain recount has it`, async () => {
      for (const interval of [60, 3600]) {
        const answered = await answerOf(metric, interval)
        assert.ok(
          answered.some(({ data }) => data.length > 0),
          'nothing was counted',
        )
        const [query, expected] = expectedOf(metric, answered)
        assert.deepEqual(differences(query, expected, answered), [])
      }
    })
  }

  it('in percent is never more than a hundred', () => {
    const percent = new Set(metrics.filter(({ unit }) => unit === '%').map(({ name }) => name))
    assert.ok(facts.samples.every(({ metric, value }) => !percent.has(metric) || value <= 100))
  })
})
