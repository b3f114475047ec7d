import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { createTestApp } from '../../support/app.ts'
import { feature } from '../../support/bad-input.ts'
import { clientOf } from '../../support/importer-client.ts'
import { startOtlpReceiver } from '../../support/otlp-receiver.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const callerSpan = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${callerSpan}-01`

describe('traces and metrics by OTLP', () => {
  it('follow an import from the request over the job to the workers, in the trace of the caller', async (t) => {
    const receiver = await startOtlpReceiver(t)
    const log: string[] = []
    const server = await createTestApp({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20secret',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        OTEL_SERVICE_NAME: 'maps',
      },
      log: pino({ level: 'debug' }, { write: (line: string) => void log.push(line) }),
    })
    const client = clientOf(server)
    const { json } = await client.call('POST', '', { import: {} })
    const id = Number(json.import?.id)
    const content = JSON.stringify(feature({ n: 1 }))
    assert.equal((await client.upload(id, [{ name: 'a.ndjson', content }])).status, 201)
    assert.equal((await client.call('POST', `/${id}`, undefined, { traceparent })).status, 204)
    const items = '/ogc/collections/default:a/items?token=hidden'
    await server.app.inject({ url: items, headers: { ...server.admin, traceparent: 'nonsense' } })
    await server.close()

    const { spans } = receiver
    const run = spans.find(({ name }) => name === 'POST /rest/imports/:importId')
    assert.deepEqual(
      [run?.traceId, run?.parentSpanId, run?.kind, run?.attributes['http.response.status_code']],
      [traceId, callerSpan, 2, 204],
    )
    assert.equal(run?.attributes['http.route'], '/rest/imports/:importId')
    assert.equal(run?.resource['service.name'], 'maps')
    assert.equal(run?.resource['host.name'], hostname())
    assert.equal(run?.resource['deployment.environment.name'], 'test')
    const inTrace = spans.filter((span) => span.traceId === traceId).map(({ name }) => name)
    const job = spans.find(({ name, traceId: trace }) => name.startsWith('job ') && trace === traceId)
    assert.ok(job !== undefined && job.kind === 5, inTrace.join())
    assert.equal(job.parentSpanId, run?.spanId)
    const task = spans.find(({ name }) => name === 'import task')
    assert.deepEqual([task?.parentSpanId, task?.attributes['terrane.import.id']], [job.spanId, id])
    assert.ok(
      spans.some(({ name, parentSpanId }) => name.startsWith('worker ') && parentSpanId === task?.spanId),
      inTrace.join(),
    )
    const read = spans.find(({ attributes }) => String(attributes['url.path']).endsWith('/items'))
    assert.ok(read !== undefined && read.traceId !== traceId && read.parentSpanId === undefined)
    assert.ok(!JSON.stringify(spans).includes('hidden'))
    assert.equal(receiver.headers()['x-key'], 'a secret')
    const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>)
    const finished = lines.find(
      ({ msg, route }) => msg === 'request finished' && String(route).endsWith('/items'),
    )
    assert.equal(finished?.['trace_id'], read.traceId)
    assert.ok(!log.join('').includes('a secret'))

    const { metrics } = receiver
    assert.equal(metrics.get('terrane_rows_loaded_total')?.points[0]?.value, 1)
    assert.equal(metrics.get('terrane_rows_loaded_total')?.isMonotonic, true)
    const times = metrics.get('terrane_http_request_duration_seconds')
    const runs = times?.points.find(({ attributes }) => attributes['route'] === '/rest/imports/:importId')
    assert.deepEqual([times?.unit, runs?.count, runs?.bounds?.[0]], ['s', 1, 0.005])
  })

  it('are not sampled where the sampler says so, and an endpoint that is away harms nothing', async () => {
    const server = await createTestApp({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_SAMPLER: 'always_off' },
    })
    assert.equal((await server.app.inject('/health')).statusCode, 200)
    await server.close()
  })

  it('load no package of OpenTelemetry without an endpoint', async () => {
    const sources = ['src/app/open-metrics.ts', 'src/core/telemetry/tracing.ts', 'src/core/log/logger.ts']
    for (const path of sources) assert.doesNotMatch(readFileSync(path, 'utf8'), /from '@opentelemetry/, path)
    const server = await createTestApp()
    const reply = await server.app.inject({ url: '/no/such/path', headers: { traceparent } })
    assert.ok(!reply.body.includes('traceId'))
    await server.close()
  })
})

describe('the state for supervisors and load balancers', () => {
  it('is alive and ready, and no longer ready when the server stops or the tables are too new', async () => {
    const server = await createTestApp()
    const get = (url: string) => server.app.inject(url)
    assert.deepEqual((await get('/health/live')).json(), { status: 'ok' })
    assert.deepEqual((await get('/health/ready')).json(), { status: 'ready' })
    server.readiness.drain()
    const draining = await get('/health/ready')
    assert.equal(draining.statusCode, 503)
    assert.deepEqual(
      [draining.json().code, draining.json().detail],
      ['server-not-ready', 'This server does not accept requests now: it is stopping'],
    )
    assert.ok(Number(draining.headers['retry-after']) > 0)
    assert.equal((await get('/health/live')).statusCode, 200)
    assert.equal((await get('/ogc/collections')).statusCode, 200)
    await server.close()
  })

  it('is given without a look at credentials, which are in a database that may be away', async (t) => {
    const server = await createTestApp()
    t.after(() => server.close())
    const headers = { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` }
    for (const url of ['/health', '/health/live', '/health/ready'])
      assert.equal((await server.app.inject({ url, headers })).statusCode, 200, url)
    assert.equal((await server.app.inject({ url: '/ogc/collections', headers })).statusCode, 401)
  })
})

interface Panel {
  title: string
  targets?: { expr: string }[]
  panels?: Panel[]
}

describe('the dashboard for Grafana', () => {
  it('uses only metrics and labels that /metrics has', async () => {
    const server = await createTestApp({ env: { TERRANE_MONITORING: 'on' } })
    await server.app.inject('/ogc/collections')
    const { body } = await server.app.inject({ url: '/metrics', headers: server.admin })
    await server.close()
    const names = new Set(
      [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
      ),
    )
    const dashboard = JSON.parse(readFileSync('docs/grafana-dashboard.json', 'utf8')) as { panels: Panel[] }
    const panels = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])])
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    assert.ok(expressions.length >= 10)
    for (const expr of expressions) {
      const used = expr.match(/\b(?:terrane|process|nodejs)_[a-z0-9_]+/g) ?? []
      assert.ok(used.length > 0, expr)
      for (const name of used) assert.ok(names.has(name), `${name} in ${expr}`)
    }
    assert.match(body, /^terrane_node_info\{id="[0-9a-f-]{36}",host="[^"]+"\} 1$/m)
  })
})
