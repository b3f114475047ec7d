import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defined } from '../../../src/core/values/defined.ts'
import { authorization } from '../../support/hostile.ts'
import type { Json } from '../../support/importer-client.ts'
import { testCluster } from '../../support/postgres.ts'
import { rasterFixtures } from '../../support/rasters.ts'
import { readRequestLog } from '../../support/request-log.ts'
import { countedByServer, sumsOf, UniqueRequests } from '../../support/sent-requests.ts'
import { startServer } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const minuteMs = 60_000
const leadMs = 12_000

/**
 * Returns the environment of a process whose clock runs normally but starts that long before the end of a
 * minute.
 */
function shiftedClock(): { env: Record<string, string>; now: () => number } {
  const shift = minuteMs - leadMs - (Date.now() % minuteMs)
  const program = `const Real = Date
    globalThis.Date = class extends Real {
      constructor(...given) { given.length > 0 ? super(...given) : super(Real.now() + ${shift}) }
      static now() { return Real.now() + ${shift} }
    }`
  const url = `data:text/javascript;base64,${Buffer.from(program).toString('base64')}`
  return { env: { NODE_OPTIONS: `--import ${url}` }, now: () => Date.now() + shift }
}

interface Sent {
  request: string
  status: number
  service: 'app' | 'mapserver'
  eventType: string
  layer?: string
  body?: object
  isAnonymous?: boolean
}

const countries = 'default:countries'
const raster = 'default:RGB_byte'
const wfs = { service: 'mapserver', eventType: 'OWS:WFS' } as const
const wcs = { service: 'mapserver', eventType: 'OWS:WCS' } as const
const view = { service: 'app', eventType: 'view' } as const
const rasterImport = { import: { data: { type: 'file', file: 'RGB.byte.tif' } } }

/** Requests that the test sends, in this order. */
const sent: Sent[] = [
  { request: 'GET /ogc', status: 200, ...wfs },
  { request: 'GET /ogc/collections', status: 200, ...wfs },
  { request: `GET /ogc/collections/${countries}`, status: 200, ...wfs, layer: countries },
  { request: `GET /ogc/collections/${countries}/items?limit=2`, status: 200, ...wfs, layer: countries },
  { request: `HEAD /ogc/collections/${countries}/items?limit=1`, status: 200, ...wfs, layer: countries },
  { request: 'GET /ogc/collections/default:nothing', status: 404, ...wfs },
  { request: 'GET /rest/imports', status: 401, ...view, isAnonymous: true },
  { request: 'POST /rest/imports?exec=true', status: 201, ...view, eventType: 'create', body: rasterImport },
  { request: `GET /ogc/collections/${raster}`, status: 200, ...wcs, layer: raster },
  {
    request: `GET /ogc/collections/${raster}/file/RGB.byte.tif`,
    status: 200,
    ...wcs,
    eventType: 'download',
    layer: raster,
  },
  { request: 'GET /rest/layers', status: 200, ...view },
  { request: 'GET /rest/imports/999', status: 404, ...view },
  { request: 'POST /rest/imports', status: 400, ...view, eventType: 'create', body: { import: 1 } },
  { request: 'GET /nowhere', status: 404, ...view },
]
/** Not recorded. */
const unseen = ['GET /health', 'GET /metrics', 'GET /monitoring/api/hosts/', 'GET /monitoring/api/status']

async function send(
  url: string,
  { request, status, body, isAnonymous = false }: Partial<Sent>,
): Promise<void> {
  const [method, path] = (request ?? '').split(' ')
  const reply = await fetch(`${url}${path}`, {
    ...defined({ method }),
    headers: {
      ...(isAnonymous ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  assert.equal(reply.status, status ?? 200, `${request}: ${text}`)
}

function tally(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

/** Event types of the resources that the import of the sample touched, by method and route. */
const sampleTypes: Record<string, string> = {
  'POST /rest/imports': 'create',
  'POST /rest/imports/:importId/tasks': 'upload',
  'POST /rest/imports/:importId': 'publish',
  'PUT /rest/layers/:layer': 'change_metadata',
}

/** Returns the number of requests with a response that are not recorded yet. */
async function waitingOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text()
  return Number(/^terrane_monitoring_waiting_requests (\d+)$/m.exec(text)?.[1])
}

const labelOf = ({ label }: Json): string => String(label)

describe('a server that monitors', { concurrency: true }, () => {
  it('shows the traffic of its sample, and each request that it answers, within a minute', async (t) => {
    const data = temporaryData(t)
    mkdirSync(join(data, 'incoming'), { recursive: true })
    copyFileSync(join(rasterFixtures, 'RGB.byte.tif'), join(data, 'incoming', 'RGB.byte.tif'))
    const clock = shiftedClock()
    const began = Math.floor(clock.now() / minuteMs) * minuteMs
    const server = await startServer(t, data, { TERRANE_SAMPLE: 'on', ...clock.env })
    await server.process.line(/Stop it with/)
    const sample = (await countedByServer(server.url)).flatMap(({ method, route, count }) =>
      Array<string>(count).fill(`${method} ${route}`),
    )
    assert.ok(sample.includes('POST /rest/imports'), 'the sample was imported')
    for (const one of sent) await send(server.url, one)
    for (const request of unseen) await send(server.url, { request })

    const end = Math.floor(clock.now() / minuteMs + 1) * minuteMs
    const window = `valid_from=${new Date(began).toISOString()}&valid_to=${new Date(end).toISOString()}&interval=60`
    const sums = (metric: string, more: string, keyOf = labelOf): Promise<Record<string, number>> =>
      sumsOf(server.url, `${metric}/?${window}${more}`, keyOf)
    const total = sample.length + sent.length
    while (clock.now() < end || ((await sums('request.count', ''))['count'] ?? 0) < total) {
      await sleep(100)
    }

    assert.deepEqual(await sums('request.count', ''), { count: total })
    const ofMapServer = sent.filter(({ service }) => service === 'mapserver')
    assert.deepEqual(await sums('request.count', '&service_type=mapserver'), { count: ofMapServer.length })
    assert.deepEqual(await sums('request.count', '&service_type=app'), { count: total - ofMapServer.length })
    const types = [...sample.map((one) => sampleTypes[one] ?? 'view'), ...sent.map((one) => one.eventType)]
    const isOws = (type: string): boolean => type.startsWith('OWS:')
    const expected = {
      ...tally(types),
      all: total,
      other: types.filter((type) => !isOws(type)).length,
      'OWS:ALL': types.filter(isOws).length,
    }
    const byType = await sums('request.count', '&group_by=event_type', (row) => String(row.event_type))
    assert.deepEqual(byType, expected)
    const methods = [...sample, ...sent.map(({ request }) => request)].map((one) => one.split(' ')[0] ?? '')
    assert.deepEqual(await sums('request.method', ''), tally(methods))
    const statuses = tally(sent.map(({ status }) => String(status)))
    const { 200: ok = 0, 201: created = 0, 204: empty = 0, ...failures } = await sums('response.status', '')
    const { 200: _ok, 201: _created, ...expectedFailures } = statuses
    assert.deepEqual(failures, expectedFailures)
    assert.equal(ok + created + empty, total - sent.filter(({ status }) => status >= 400).length)
    // Each layer of the sample was made public.
    const madePublic = ['countries', 'states', 'boundary_lines'].map((name) => `default:${name}`)
    const layers = tally([...madePublic, ...sent.flatMap(({ layer }) => layer ?? [])])
    const nameOf = (row: Json): string => String(row.resource?.name)
    const byLayer = await sums('request.count', '&group_by=resource&resource_type=layer', nameOf)
    assert.deepEqual(byLayer, layers)
    const paths = await sums('request.path', '')
    assert.equal(paths['/nowhere'], 1)
    assert.deepEqual(
      Object.keys(paths).filter((path) => /health|metrics|monitoring/.test(path)),
      [],
    )
    await server.stop()
  })

  it('counts nothing twice when it is killed, loses the last moments alone, and nothing when it is stopped', async (t) => {
    const data = temporaryData(t)
    const first = await startServer(t, data)
    const cut = new UniqueRequests('cut')
    cut.start(first.url)
    await cut.untilAnswered(40)
    await first.kill()
    await cut.stop()

    const second = await startServer(t, data)
    const kept = new UniqueRequests('kept')
    kept.start(second.url)
    await kept.untilAnswered(100)
    const early = kept.answered.length
    await until(async () => (await waitingOf(second.url)) <= 10)
    await second.kill()
    await kept.stop()

    const last = await startServer(t, data)
    const clients = [1, 2, 3].map((number) => new UniqueRequests(`client-${number}`))
    for (const client of clients) client.start(last.url)
    await clients[0]?.untilAnswered(100)
    await last.stop()
    for (const client of clients) await client.stop()

    const log = await readRequestLog({ path: join(data, 'monitoring.sqlite') })
    cut.missing(log)
    assert.ok(kept.missing(log) <= kept.answered.length - early + 10)
    const missing = clients.map((client) => client.missing(log))
    assert.deepEqual(missing, [0, 0, 0])
  })

  it('shares a database with another that records, also when that is killed', async (t) => {
    const url = await (await testCluster()).createDatabase()
    const env = { TERRANE_DATABASE_URL: url }
    const data = temporaryData(t)
    const [one, other] = await Promise.all([startServer(t, data, env), startServer(t, data, env)])
    const [ofOne, ofOther] = [new UniqueRequests('one'), new UniqueRequests('other')]
    ofOne.start(one.url)
    ofOther.start(other.url)
    await Promise.all([ofOne.untilAnswered(60), ofOther.untilAnswered(60)])
    await other.kill()
    await ofOther.stop()
    await ofOne.untilAnswered(150)
    await ofOne.stop()
    await one.stop()
    const log = await readRequestLog({ url })
    assert.equal(ofOne.missing(log), 0)
    ofOther.missing(log)
  })
})
