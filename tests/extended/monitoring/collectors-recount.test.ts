import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import { defined } from '../../../src/core/values/defined.ts'
import { classifyUserAgent } from '../../../src/monitoring/collect/classify/user-agent.ts'
import { openSeriesDatabase } from '../../../src/monitoring/series/open-series-database.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { placeOf, requestAt } from '../../support/fed-monitoring.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { ReaderOrder } from '../../support/log-reader.ts'
import { databases, monitoringClient } from '../../support/monitoring-client.ts'
import type { MetricQuery } from '../../support/recount.ts'
import { groupings } from '../../support/recount.ts'
import { comparer, limits } from '../../support/recount-run.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { assertDemand, assertUsage } from '../../support/usage-recount.ts'
import { makeLogged, WrittenLog } from '../../support/written-log.ts'

const from = Date.parse('2026-10-31T22:40:00Z')
const to = Date.parse('2026-11-01T01:20:00Z')
const end = Date.parse('2026-11-02T00:20:00Z')
const program = join(import.meta.dirname, '..', '..', 'support', 'log-reader.ts')

/** Services that only the test feeds. */
async function emptied(t: TestContext, env: Record<string, string>, dataDir: string, now: number) {
  const clock = fixedClock(new Date(now).toISOString())
  const app = await createTestApp({ clock, dataDir, env: { TERRANE_MONITORING: 'on', ...env } })
  t.after(() => app.close())
  return { app, clock }
}

async function addService({ services }: TestApp, type: 'app' | 'mapserver'): Promise<number> {
  const { id: hostId } = await services.createHost({ name: `counted-${type}`, ip: '192.0.2.1' })
  const common = { hostId, url: '', notes: '', isActive: false, checkIntervalSeconds: 60 }
  return (await services.create({ name: `counted ${type}`, type, source: { kind: 'own' }, ...common })).id
}

/**
 * Creates questions for every metric and grouping, over a window before or after midnight, with one of the
 * filters.
 */
function queriesOf(metrics: readonly string[], more: Partial<MetricQuery>[]): MetricQuery[] {
  const windows = [
    { from: from / 1000, to: to / 1000, interval: 3600 },
    { from: from / 1000 - 2400, to: end / 1000, interval: 86_400 },
    { from: from / 1000 + 4200, to: from / 1000 + 6000, interval: 60 },
  ]
  const grouped = metrics.flatMap((metric) =>
    [undefined, ...groupings].map((groupBy) => ({ metric, ...defined({ groupBy }) })),
  )
  const draw = seededRandom(5)
  return grouped.map((query) => ({
    ...query,
    ...(windows[Math.floor(draw() * windows.length)] ?? assert.fail()),
    ...more[Math.floor(draw() * more.length)],
  }))
}

/** Runs a reader until it is done, or kills it after that many reads. */
async function runReader(order: ReaderOrder, turnsToLive: number): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errors = text(child.stderr)
  const ended = new Promise((resolve) => child.once('close', resolve))
  let turns = 0
  for await (const _line of createInterface({ input: child.stdout })) {
    turns += 1
    if (turns === turnsToLive) child.kill('SIGKILL')
  }
  const code = await ended
  if (turns < turnsToLive) assert.equal(code, 0, await errors)
}

const sizes = { SQLite: { count: 20_000, lives: 4 }, PostgreSQL: { count: 4000, lives: 2 } }

for (const [database, { count, lives }] of Object.entries(sizes)) {
  describe(`requests in an access log, series in ${database}`, () => {
    it('are told as a plain recount has them, whatever becomes of log and readers', async (t) => {
      const dataDir = temporaryFolder(t)
      const env = (await databases[database as keyof typeof sizes]()) ?? {}
      const { app } = await emptied(t, env, dataDir, end)
      for (const { id } of await app.services.list()) await app.services.remove(id)
      const id = await addService(app, 'mapserver')
      const requests = makeLogged({ seed: 20_261_031, serviceId: id, from, to, count })
      const path = join(temporaryFolder(t), 'access.log')
      const log = new WrittenLog(path, requests, 7)
      const order = {
        location: placeOf(app),
        limits,
        now: end,
        service: {
          id,
          name: 'counted',
          type: 'mapserver' as const,
          url: '',
          checkIntervalSeconds: 60,
          source: { kind: 'log' as const, path },
        },
      }
      await app.close()
      const draw = seededRandom(11)
      for (let life = 0; life < lives; life += 1) {
        const isFed = (async () => {
          for (let step = 0; step < 8; step += 1) {
            log.write(0.2 / lives)
            if (draw() < 0.3) log.rotate()
            await new Promise((resolve) => setTimeout(resolve, draw() * 40))
          }
        })()
        await runReader({ ...order, turns: 1000 }, 1 + Math.floor(draw() * 12))
        await isFed
      }
      while (!log.isWhole) log.write(1)
      log.rotate()
      await runReader({ ...order, turns: 4 }, 5)

      const { app: testApp } = await emptied(t, env, dataDir, end)
      const services = [{ id, name: 'counted mapserver', type: 'mapserver' as const }]
      const compare = await comparer(monitoringClient(testApp), { requests, samples: [] }, services)
      const metrics = [
        'request.count',
        'request.path',
        'request.ua',
        'response.status',
        'response.time',
        'response.error.types',
      ]
      const filters = [
        {},
        { eventType: 'OWS:WMS' as const },
        { resource: { type: 'layer', name: 'Straße №1' } },
      ]
      const visitors = queriesOf(['request.users'], [{}]).filter(
        ({ groupBy }) => groupBy !== undefined && groupBy !== 'resource',
      )
      await compare([...queriesOf(metrics, filters), ...visitors])
      const classified = requests.map((one) => ({
        ...one,
        userAgentFamily: classifyUserAgent(one.userAgent ?? ''),
        network: 'others' as const,
      }))
      const series = await openSeriesDatabase(order.location, { isReader: true })
      const days = { zone: 'UTC', dayOf: (seconds: number) => seconds - (seconds % 86_400) }
      await assertUsage(series, classified, days)
      await assertDemand(series, classified, { ...days, cells: 128 })
      await series.close()
    })
  })
}

describe('requests of a server', () => {
  it('are told as a plain recount has them, also when it was stopped and started again', async (t) => {
    const dataDir = temporaryFolder(t)
    const draw = seededRandom(3)
    const kinds = [
      { url: '/nowhere', status: 404 },
      { url: '/rest/layers', status: 401 },
      { url: '/docs', status: 200 },

      { url: '/ogc/conformance', status: 200 },
      { url: '/ogc/collections/none', status: 401 },
    ]
    const facts: RequestEvent[] = []
    let now = from
    let ids: Record<string, number> = {}
    for (let life = 0; life < 3; life += 1) {
      const { app, clock } = await emptied(t, {}, dataDir, now)
      ids = Object.fromEntries((await app.services.list()).map((one) => [one.type, one.id]))
      for (let at = 0; at < 400; at += 1) {
        const step = Math.floor(draw() * 8000)
        clock.advance(step)
        now += step
        const kind = kinds[Math.floor(draw() * kinds.length)] ?? assert.fail()
        const isOgc = kind.url.startsWith('/ogc')
        const method = draw() < 0.8 ? 'GET' : 'HEAD'
        const agent = `agent ${Math.floor(draw() * 150)}`
        const reply = await app.app.inject({ method, url: kind.url, headers: { 'user-agent': agent } })
        assert.equal(reply.statusCode, kind.status, kind.url)
        if (draw() < 0.05) await app.monitoring?.tick()
        facts.push(
          requestAt(new Date(now).toISOString(), {
            serviceId: ids[isOgc ? 'mapserver' : 'app'] ?? 0,
            eventType: isOgc ? 'OWS:WFS' : 'view',
            method,
            status: kind.status,
            userAgent: agent,
            path: kind.url.split('?')[0] ?? '',
            resources: kind.url === '/docs' ? [{ type: 'url', name: '/docs' }] : [],
          }),
        )
      }
      await app.close()
    }
    const { app } = await emptied(t, {}, dataDir, end)
    await app.monitoring?.catchUp()
    const names = new Map((await app.services.list()).map((one) => [one.type, one.name]))
    const services = (['app', 'mapserver'] as const).map((type) => ({
      id: ids[type] ?? 0,
      name: names.get(type) ?? '',
      type,
    }))
    const compare = await comparer(monitoringClient(app), { requests: facts, samples: [] }, services)
    const metrics = [
      'request.count',
      'request.path',
      'request.ua',
      'request.method',
      'response.status',
      'response.error.count',
    ]
    const filters = [{}, { eventType: 'other' as const }, { resourceType: 'url' }]
    await compare(queriesOf(metrics, filters))
  })
})
