import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RawRequest } from '../src/monitoring/collect/classify/raw-request.ts'
import { usageFacts } from '../src/monitoring/collect/classify/usage-facts.ts'
import { openSeriesDatabase } from '../src/monitoring/series/open-series-database.ts'
import { decodeRequests, encodeRequests } from '../src/monitoring/series/request-block.ts'
import type { RequestEvent } from '../src/monitoring/series/request-event.ts'
import { createSeriesWriter } from '../src/monitoring/series/series-writer.ts'
import { UsageCounts } from '../src/monitoring/series/usage-counts.ts'
import { seededRandom } from './random.ts'

// CPU time per request that usage counting costs: `node bench/usage-cost.ts`. The collector thread spends all
// of it.

const perMinute = 6000
const minutes = 20
const layers = 50
const start = Date.UTC(2026, 9, 1)

function makeMinute(minute: number): { raw: RawRequest[]; events: RequestEvent[] } {
  const draw = seededRandom(minute + 1)
  const raw: RawRequest[] = []
  const events: RequestEvent[] = []
  for (let at = 0; at < perMinute; at += 1) {
    const name = `ws:layer${Math.floor(layers * draw() ** 3)}`
    const [x, y] = [Math.floor(2048 + draw() * 64), Math.floor(1300 + draw() * 64)]
    const isTile = draw() < 0.8
    const target = isTile
      ? `/tiles/${name}/12/${x}/${y}.mvt?v=3`
      : `/wms?service=WMS&version=1.3.0&request=GetMap&layers=${name}&crs=EPSG:3857&bbox=${x},${y},${x + 9000},${y + 9000}`
    const facts = {
      serviceId: 2,
      created: start + minute * 60_000 + Math.floor((at / perMinute) * 60_000),

      eventType: isTile ? ('OWS:TMS' as const) : ('OWS:WMS' as const),
      method: 'GET',
      host: 'h',
      status: 200,
      path: target.split('?')[0] ?? '',
      sizeBytes: 3000,
      milliseconds: draw() * 30,

      firstByteMilliseconds: 2,
      contentType: 'text/plain',
      resources: [{ type: 'layer', name }] as const,
    }
    raw.push({ ...facts, resources: [...facts.resources], target })
    events.push({
      ...facts,
      resources: [...facts.resources],
      userAgent: 'Firefox',
      clientIp: '192.0.2.0',
      errorType: null,

      userAgentFamily: 'PC / Ubuntu / Firefox 140.0',
      visitor: `v${Math.floor(draw() * 300)}`,
      userName: 'AnonymousUser',

      country: 'DEU',
      region: null,
      city: null,
      latitude: null,
      longitude: null,
      kind: 'people',
      network: 'others',

      referrer: 'maps.example.org',
      usageClass: isTile ? 'tiles' : 'maps',
      area: isTile ? '21000' : '21001,21002',
    } as RequestEvent)
  }
  return { raw, events }
}

function microseconds(begun: NodeJS.CpuUsage): string {
  const { user, system } = process.cpuUsage(begun)
  return `${((user + system) / (perMinute * minutes)).toFixed(2)} µs a request`
}

const days = Array.from({ length: minutes }, (_, minute) => makeMinute(minute))
for (const { raw } of days.slice(0, 3)) for (const one of raw) await usageFacts(one)
let begun = process.cpuUsage()
for (const { raw } of days) for (const one of raw) await usageFacts(one)
process.stdout.write(`class and area            ${microseconds(begun)}\n`)

const blocks = days.map(({ events }) => decodeRequests(encodeRequests(events)))
const place = { serviceId: 2, day: start / 1000, second: 0, aliases: new Map<string, string>() }
for (const block of blocks.slice(0, 3)) new UsageCounts().add(block, place)
begun = process.cpuUsage()
for (const block of blocks) new UsageCounts().add(block, place)
process.stdout.write(`counting                  ${microseconds(begun)}\n`)

const folder = mkdtempSync(join(tmpdir(), 'terrane-usage-cost-'))
const writer = createSeriesWriter(await openSeriesDatabase({ path: join(folder, 'series.sqlite') }), {
  labels: 100,
  visitors: 10_000,
  resources: 500,
})
begun = process.cpuUsage()
for (const [minute, { events }] of days.entries()) {
  await writer.append({ events })
  while ((await writer.settle(start + (minute + 2) * 60_000)).hasMore);
}
process.stdout.write(`log and minutes, whole    ${microseconds(begun)}\n`)
await writer.close()
rmSync(folder, { recursive: true })
