import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { CollectorHandle } from '../src/monitoring/collect/collector-handle.ts'
import type { ServerRequest } from '../src/monitoring/collect/server/server-request.ts'
import { ServerRequests } from '../src/monitoring/collect/server/server-requests.ts'
import type { SeriesLocation } from '../src/monitoring/series/series-database.ts'
import { silentLogger } from '../tests/support/silent-logger.ts'
import { LoopWatch } from './loop-watch.ts'
import { seededRandom } from './random.ts'
import type { SmallResult } from './report.ts'

const perSecond = 20_000
const seconds = 60
const clients = 3000
const layerCount = 50
const start = Date.UTC(2025, 10, 1)
const serviceId = 1
const longestBlockMilliseconds = 20
const keep = { minuteDays: 7, hourDays: 90, dayDays: 0, requestDays: 7, exceptionDays: 7, maxBytes: 0 }
const agents = [
  'Mozilla/5.0 QGIS/34003/Linux',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'python-requests/2.32.3',
]

/**
 * Measures a minute of this server's own requests, passed second by second through the collector thread until
 * the minute is computed. The result is the processor time of all threads, which shows the rate that one core
 * can sustain.
 */
export async function runSustained(databaseUrl: URL): Promise<SmallResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-sustained-'))
  try {
    return [
      ...(await record('SQLite', { path: join(folder, 'monitoring.sqlite') })),
      ...(await record('PostgreSQL', { url: databaseUrl.href })),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function record(name: string, location: SeriesLocation): Promise<SmallResult[]> {
  const collector = new CollectorHandle(
    { location, limits: { labels: 100, visitors: 10_000, resources: 500 }, keep, privacy: 'truncated' },
    silentLogger,
  )
  try {
    await collector.tick(start)
    let longestWork = 0
    let processor = 0
    let wall = 0
    const own = new ServerRequests()
    for (let second = 0; second <= seconds; second += 1) {
      const now = start + (second + 1) * 1000
      const requests = second < seconds ? listRequests(second) : []
      const watch = new LoopWatch()
      await setImmediate()
      const [began, used] = [performance.now(), process.cpuUsage()]
      for (const request of requests) own.add(request)
      await own.flush((batch) => collector.own(batch), { now, services: { mapserver: serviceId } })
      await collector.tick(now + (second < seconds ? 0 : 60_000))
      const { user, system } = process.cpuUsage(used)
      processor += (user + system) / 1000
      wall += performance.now() - began
      longestWork = Math.max(longestWork, watch.stop().longestWorkMilliseconds)
    }
    const what = `${(perSecond * seconds).toLocaleString('en')} own requests of a minute recorded and computed (${name})`
    return [
      { name: `${what}, processor time`, milliseconds: processor, targetMilliseconds: seconds * 1000 },
      { name: `${what}, by the clock`, milliseconds: wall, targetMilliseconds: seconds * 1000 },
      {
        name: `longest work of the main thread meanwhile (${name})`,
        milliseconds: longestWork,
        targetMilliseconds: longestBlockMilliseconds,
      },
    ]
  } finally {
    await collector.close()
    await collector.terminate()
  }
}

/**
 * Lists the requests that a map viewer sends in one second: mostly maps of layers, some lists, some failures.
 */
function listRequests(second: number): ServerRequest[] {
  const random = seededRandom(second + 1)
  const pick = (count: number): number => Math.floor(random() ** 2 * count)
  return Array.from({ length: perSecond }, (_, index) => {
    const name = `workspace:layer_${pick(layerCount)}`
    const client = pick(clients)
    return {
      service: 'mapserver',
      created: start + second * 1000 + Math.floor((index / perSecond) * 1000),
      eventType: 'OWS:WFS',
      method: 'GET',
      path: `/ogc/collections/${name}/items`,
      host: 'maps.example.org',
      status: random() < 0.99 ? 200 : 404,
      sizeBytes: Math.floor(random() * 1e5),
      milliseconds: random() * 50,
      contentType: 'application/geo+json',
      userAgent: agents[pick(agents.length)],
      clientIp: `198.${18 + (client >> 12)}.${(client >> 4) & 255}.${client & 15}`,
      session: undefined,
      userName: undefined,
      resources: [{ type: 'layer', name }],
    }
  })
}
