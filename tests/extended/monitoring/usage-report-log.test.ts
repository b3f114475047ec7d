import assert from 'node:assert/strict'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import type { UsageReport } from '../../../src/monitoring/report/report.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { databases } from '../../support/monitoring-client.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const agents = {
  'QGIS/3.40': 'people',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'people',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)': 'robots',
} as const
const layers = ['city:roads', 'city:trees', 'land:parcels']
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Facts of one line of the log. */
interface Line {
  time: number
  ip: string
  agent: keyof typeof agents
  layers: string[]
  operation: 'GetMap' | 'GetFeature'
  status: number
  bytes: number
  seconds: number
}

/**
 * Lines of some minutes of one day, in no order. Every sixth one comes a month late, from an address of its own: the salt by which
 * visitors of a day are told apart is forgotten by then.
 */
function makeLines(day: number, draw: () => number): Line[] {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(draw() * all.length)] as T
  const minutes = Array.from({ length: 3 }, () => day + Math.floor(draw() * 24) * 3_600_000 + 600_000)
  return Array.from({ length: 24 }, (_, at) => ({
    time: pick(minutes) + Math.floor(draw() * 60) * 1000,
    ip: isLate(at)
      ? `192.0.2.${at}`
      : pick(['10.1.2.3', '10.1.2.4', '203.0.113.7', '203.0.113.8', '198.51.100.9']),
    agent: pick(Object.keys(agents) as Line['agent'][]),
    layers: layers.filter(() => draw() < 0.6),
    operation: pick(['GetMap', 'GetFeature'] as const),
    status: pick([200, 200, 200, 404, 500]),
    bytes: Math.floor(draw() * 100_000),
    seconds: Math.floor(draw() * 3000) / 1000,
  }))
}

function isLate(at: number): boolean {
  return at % 6 === 0
}

function textOf({ time, ip, agent, layers: names, operation, status, bytes, seconds }: Line): string {
  const date = new Date(time)
  const two = (value: number): string => String(value).padStart(2, '0')
  const stamp = `${two(date.getUTCDate())}/${monthNames[date.getUTCMonth()]}/${date.getUTCFullYear()}:${date.toISOString().slice(11, 19)} +0000`
  const query =
    operation === 'GetMap'
      ? `service=WMS&version=1.1.1&request=GetMap&layers=${names.join(',')}`
      : `service=WFS&version=2.0.0&request=GetFeature&typeNames=${names.join(',')}`
  return `${ip} - - [${stamp}] "GET /ows?${query} HTTP/1.1" ${status} ${bytes} "-" "${agent}" rt=${seconds.toFixed(3)}\n`
}

/** Plain numbers of lines, without Terrane's code. */
function numbersOf(lines: readonly Line[]) {
  const isRobot = ({ agent }: Line): boolean => agents[agent] === 'robots'
  const people = lines.filter((one) => !isRobot(one))
  const outside = lines.filter(({ ip }) => !ip.startsWith('10.'))
  const visits = (some: readonly Line[]) =>
    new Set(some.map(({ time, ip, agent }) => `${new Date(time).toISOString().slice(0, 10)} ${ip} ${agent}`))
      .size
  const delivered = (operation: Line['operation']) =>
    lines.filter((one) => one.operation === operation && one.status === 200).length
  const times = lines.map(({ seconds }) => seconds * 1000).sort((a, b) => a - b)
  return {
    hits: lines.length,
    people: [people.length, visits(people)],
    robots: lines.length - people.length,
    outside: [outside.length, visits(outside)],
    maps: delivered('GetMap'),
    features: delivered('GetFeature'),
    errors: lines.filter(({ status }) => status >= 500).length,
    p95: Math.round((times[Math.max(1, Math.ceil(0.95 * times.length - 1e-6)) - 1] ?? 0) * 10),
    bytes: lines.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

function reported({
  hits,
  people,
  robots,
  outside,
  events,
  errors,
  p95,
  bytes,
}: NonNullable<UsageReport['total']>) {
  const { maps, features } = events
  const visits = [people.hits, people.visits]
  return {
    hits,
    people: visits,
    robots,
    outside: [outside.hits, outside.visits],
    maps,
    features,
    errors,
    p95: Math.round((p95 ?? 0) * 10),
    bytes,
  }
}

for (const [database, environment] of Object.entries(databases)) {
  describe(`the report of a year of an access log on ${database}`, () => {
    it('has what a plain count of the lines gives, month by month and layer by layer, with late lines and restarts', async (test) => {
      const dataDir = temporaryFolder(test)
      const path = join(temporaryFolder(test), 'access.log')
      writeFileSync(path, '')
      const env = { ...(await environment()), TERRANE_MONITORING: 'on', TERRANE_OWN_NETWORKS: '10.0.0.0/8' }
      const clock = fixedClock('2026-01-01T00:00:00Z')
      let server = await start(test, { clock, dataDir, env })
      for (const { id } of await server.services.list()) await server.services.remove(id)
      const { id: hostId } = await server.services.createHost({ name: 'logged', ip: '192.0.2.1' })
      const source = { kind: 'log' as const, path }
      const common = { hostId, url: '', notes: '', isActive: true, checkIntervalSeconds: 60 }
      await server.services.create({ name: 'logged', type: 'mapserver', source, ...common })
      // A log is read from its end at the first poll.
      await server.monitoring?.catchUp()
      const draw = seededRandom(2026)
      const lines: Line[] = []
      let late: Line[] = []
      for (let month = 0; month < 12; month += 1) {
        const day = Date.UTC(2026, month, 1 + Math.floor(draw() * 28))
        const made = makeLines(day, draw)
        const written = [...late, ...made.filter((_, at) => month === 11 || !isLate(at))]
        late = made.filter((_, at) => month < 11 && isLate(at))
        appendFileSync(path, written.map(textOf).join(''))
        // Not before the lines: the server's own timer would poll the log without them.
        clock.advance(day + 25 * 3_600_000 - clock.now().getTime())
        lines.push(...written)
        await server.monitoring?.catchUp()
        if (month !== 5) continue
        await server.close()
        server = await start(test, { clock, dataDir, env })
      }
      clock.advance(Date.UTC(2027, 0, 2) - clock.now().getTime())
      const report = async (query: string): Promise<UsageReport> => {
        const reply = await server.app.inject({
          url: `/monitoring/api/report?${query}`,
          headers: server.admin,
        })
        assert.equal(reply.statusCode, 200, reply.body)
        return (reply.json() as { report: UsageReport }).report
      }
      const byMonth = await report('from=2026-01&to=2026-12&by=month')
      assert.ok(byMonth.total)
      assert.deepEqual(reported(byMonth.total), numbersOf(lines))
      const monthOf = ({ time }: Line): string => new Date(time).toISOString().slice(0, 7)
      const months = [...Map.groupBy(lines, monthOf)].sort(([a], [b]) => (a < b ? -1 : 1))
      assert.deepEqual(
        byMonth.rows.map((row) => [row.key, reported(row)]),
        months.map(([key, some]) => [key, numbersOf(some)]),
      )
      for (const period of [
        'from=2026-01&to=2026-12',
        'from=2026-06&to=2026-06',
        'from=2026-12&to=2026-12',
      ]) {
        const [from = '', to = ''] = period.split('&').map((one) => one.slice(-7))
        const some = lines.filter((one) => monthOf(one) >= from && monthOf(one) <= to)
        const rows = new Map((await report(`${period}&by=layer`)).rows.map((row) => [row.key, reported(row)]))
        for (const layer of layers)
          assert.deepEqual(
            rows.get(layer),
            numbersOf(some.filter((one) => one.layers.includes(layer))),
            `${layer} ${period}`,
          )
      }
    })
  })
}

async function start(
  test: TestContext,
  options: { clock: ReturnType<typeof fixedClock>; dataDir: string; env: Record<string, string> },
): Promise<TestApp> {
  const server = await createTestApp(options)
  test.after(() => server.close())
  return server
}
