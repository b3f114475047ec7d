import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ServiceType } from '../../src/monitoring/model/service-types.ts'
import type { TestApp } from './app.ts'
import { createTestApp } from './app.ts'
import { placeOf } from './fed-monitoring.ts'
import { fixedClock } from './fixed-clock.ts'
import type { MonitoringClient } from './monitoring-client.ts'
import { monitoringClient } from './monitoring-client.ts'
import type { CountedService, MetricQuery } from './recount.ts'
import { Recount, resourceKey } from './recount.ts'
import type { AnsweredPeriod } from './recount-compare.ts'
import { differences, toQuery } from './recount-compare.ts'
import type { Day, DayOptions } from './recount-day.ts'
import { makeDay } from './recount-day.ts'
import { feedWithKills } from './recount-feed.ts'
import { makeMatrix } from './recount-matrix.ts'

export interface RecountOptions {
  env: Record<string, string>
  requests: number
  /** Processes that are killed on the way. */
  kills: number
  /** Number of questions per metric and grouping. */
  queries: number
}

/** Ten hours before the change of a month. */
const from = Date.parse('2026-10-31T14:00:00Z')
const midnight = Date.parse('2026-11-01T00:00:00Z')
const end = '2026-11-03T08:00:30Z'
export const limits = { labels: 100, visitors: 300, resources: 100 }
const seed = 20_261_101
const types: ServiceType[] = ['app', 'app', 'mapserver', 'mapserver', 'hostapp', 'hostmapserver']
const shownDifferences = 20

/**
 * Day that was passed through the writer with kills, repeats and late events, and is queried by metric_data.
 */
export interface CountedDay {
  /** Throws if a response differs from the plain recount. */
  compare(queries: readonly MetricQuery[]): Promise<void>
  queries: MetricQuery[]
  client: MonitoringClient
}

export async function startCountedDay(
  test: Pick<TestContext, 'after'>,
  options: RecountOptions,
): Promise<CountedDay> {
  const dataDir = mkdtempSync(join(tmpdir(), 'terrane-recount-'))
  test.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const clock = fixedClock(end)
  const open = (): Promise<TestApp> =>
    createTestApp({ dataDir, clock, env: { TERRANE_MONITORING: 'on', ...options.env } })
  const first = await open()
  const place = placeOf(first)
  const services = await makeServices(first)
  await first.close()

  const idsOf = (...expected: ServiceType[]): number[] =>
    services.filter(({ type }) => expected.includes(type)).map(({ id }) => id)
  const day = {
    seed,
    requests: options.requests,
    from,
    minutes: 1440,
    applications: idsOf('app'),
    mapServers: idsOf('mapserver'),
    hosts: idsOf('hostapp', 'hostmapserver'),
  }
  await feedWithKills({ place, limits, day, seed, end: Date.parse(end) }, options.kills)

  const server = await open()
  test.after(() => server.close())
  const client = monitoringClient(server)
  const { facts, recount } = countedOnce(day, services)
  const matrix = { seed, from: from / 1000, midnight: midnight / 1000, services, facts }
  return {
    client,
    queries: makeMatrix({ ...matrix, queries: options.queries }),
    compare: await comparerWith(client, recount),
  }
}

/** Removes all other services: the numbers of this machine would be counted too. */
async function makeServices({ services }: TestApp): Promise<CountedService[]> {
  for (const { id } of await services.list()) await services.remove(id)
  const { id: hostId } = await services.createHost({ name: 'counted', ip: '192.0.2.1' })
  const made: CountedService[] = []
  for (const [index, type] of types.entries()) {
    const common = { hostId, url: '', notes: '', isActive: false, checkIntervalSeconds: 60 }
    const source = { kind: 'own' } as const
    const { id, name } = await services.create({ name: `counted-${index}-${type}`, type, source, ...common })
    made.push({ id, name, type })
  }
  return made
}

const counted = new Map<string, { facts: Day; recount: Recount }>()

/** The made-up day and its recount: the same for every database whose services have the same numbers. */
function countedOnce(day: DayOptions, services: CountedService[]): { facts: Day; recount: Recount } {
  const key = JSON.stringify([day, services])
  const known = counted.get(key)
  if (known !== undefined) return known
  const facts = makeDay(day)
  const one = { facts, recount: new Recount(facts, services, limits) }
  counted.set(key, one)
  return one
}

export function comparer(client: MonitoringClient, facts: Day, services: CountedService[]) {
  return comparerWith(client, new Recount(facts, services, limits))
}

async function comparerWith(client: MonitoringClient, recount: Recount) {
  const { json } = await client.call('GET', '/api/resources/')
  const { resources }: { resources?: { id: number; type: string; name: string }[] } = json
  const ids = new Map(resources?.map((one) => [resourceKey(one), one.id]))
  return async (queries: readonly MetricQuery[]): Promise<void> => {
    const found: string[] = []
    for (const query of queries) {
      const path = toQuery(query, (key) => ids.get(key) ?? 0)
      const answer = await client.call('GET', path)
      if (answer.status !== 200) found.push(`${path}: ${answer.text}`)
      else {
        const { data }: { data?: { data: AnsweredPeriod[] } } = answer.json
        const lines = differences(query, recount.answer(query), data?.data ?? [])
        if (lines.length > 0)
          found.push(`${path}: ${lines.length} differences, such as ${lines.slice(0, 3).join('; ')}`)
      }
    }
    const shown = [`${found.length} of ${queries.length} answers differ`, ...found.slice(0, shownDifferences)]
    assert.equal(found.length, 0, shown.join('\n'))
  }
}
