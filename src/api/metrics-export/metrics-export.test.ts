import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import type { Events } from '../../core/events/events.ts'
import { createEventBus } from '../../core/events/events.ts'
import type { MonitoringLoad } from './exported-metric.ts'
import { MetricsExport } from './metrics-export.ts'

function start(monitoringLoad?: () => MonitoringLoad) {
  const events = createEventBus((error) => assert.fail(String(error)))
  const load = monitoringLoad === undefined ? {} : { monitoringLoad }
  return {
    events,
    metrics: new MetricsExport({
      events,
      version: '1.2.3',
      node: { id: 'a', host: 'b' },
      clockSkewMs: () => 0,
      loads: () => ({ running: 2, queued: 3 }),
      ...load,
    }),
  }
}

function request(some: Partial<Events['request.finished']> = {}): Events['request.finished'] {
  const usual = {
    method: 'GET',
    route: '/rest/imports',
    status: 200,
    milliseconds: 20,
    sizeBytes: 100,
    layers: [],
  }
  return { ...usual, ...some }
}

describe('metrics for Prometheus', () => {
  it('tell loads that run and wait, and what was ended from outside', async () => {
    const { events, metrics } = start()
    events.emit('work.ended', { kind: 'load' })
    const text = await metrics.text()
    for (const line of [
      'terrane_loads_running 2',
      'terrane_loads_queued 3',
      'terrane_work_ended_total{kind="load"} 1',
      'terrane_work_ended_total{kind="job"} 0',
    ])
      assert.ok(text.includes(`${line}\n`), line)
  })

  it('count requests by method, route and class of status, with their time and bytes', async () => {
    const { events, metrics } = start()
    events.emit('request.finished', request())
    events.emit('request.finished', request({ status: 204, milliseconds: 3000 }))
    events.emit('request.finished', request({ method: 'POST', status: 404 }))
    const text = await metrics.text()
    for (const line of [
      'terrane_http_requests_total{method="GET",route="/rest/imports",status="2xx"} 2',
      'terrane_http_requests_total{method="POST",route="/rest/imports",status="4xx"} 1',
      'terrane_http_request_duration_seconds_bucket{le="0.025",route="/rest/imports"} 2',
      'terrane_http_request_duration_seconds_count{route="/rest/imports"} 3',
      'terrane_http_response_bytes_total{route="/rest/imports"} 300',
      'terrane_build_info{version="1.2.3"',
    ])
      assert.ok(text.includes(line), `${line} in\n${text}`)
  })

  it('have no labels that a client can make up: unknown paths and methods are "other"', async () => {
    const { events, metrics } = start()
    events.emit('request.finished', request({ method: 'BREW', route: '', status: 404 }))
    const text = await metrics.text()
    assert.match(text, /terrane_http_requests_total\{method="other",route="other",status="4xx"\} 1/)
    assert.doesNotMatch(text, /BREW/)
  })

  it('count requests of each layer up to a thousand layers, the rest as "other"', async () => {
    const { events, metrics } = start()
    for (let index = 0; index < 1200; index += 1)
      events.emit('request.finished', request({ layers: [`ws:layer${index}`] }))
    events.emit('request.finished', request({ layers: ['ws:layer7'] }))
    const lines = (await metrics.text()).match(/^terrane_layer_requests_total.*$/gm) ?? []
    assert.equal(lines.length, 1001)
    assert.ok(lines.includes('terrane_layer_requests_total{layer="ws:layer7"} 2'))
    assert.ok(lines.includes('terrane_layer_requests_total{layer="other"} 200'))
  })

  it('count imports by state, published layers, rows, failed requests and failed jobs', async () => {
    const { events, metrics } = start()
    events.emit('import.completed', { importId: 1, state: 'COMPLETE' })
    events.emit('layer.published', { workspace: 'ws', layer: 'a', mode: 'CREATE', rows: 185 })
    events.emit('layer.published', { workspace: 'ws', layer: 'a', mode: 'APPEND', rows: 15 })
    events.emit('exception.caught', { error: new Error('x'), where: 'job' })
    events.emit('request.finished', request({ status: 503 }))
    const text = await metrics.text()
    for (const line of [
      'terrane_imports_total{state="COMPLETE"} 1',
      'terrane_layers_published_total{mode="APPEND"} 1',
      'terrane_rows_loaded_total 200',
      'terrane_exceptions_total{source="job"} 1',
      'terrane_exceptions_total{source="request"} 1',
    ])
      assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`)
  })

  it('tell how monitoring fares, and nothing of it where it is off', async () => {
    let load = { waiting: 12, dropped: 3, isDegraded: true }
    const on = start(() => load).metrics
    const first = await on.text()
    load = { waiting: 0, dropped: 5, isDegraded: false }
    const second = await on.text()
    assert.match(first, /^terrane_monitoring_waiting_requests 12$/m)
    assert.match(first, /^terrane_monitoring_dropped_requests_total 3$/m)
    assert.match(first, /^terrane_monitoring_up 0$/m)
    assert.match(second, /^terrane_monitoring_dropped_requests_total 5$/m)
    assert.match(second, /^terrane_monitoring_up 1$/m)
    assert.doesNotMatch(await start().metrics.text(), /terrane_monitoring/)
  })

  it('are well-formed whatever a layer is called', async () => {
    const { events, metrics } = start(() => ({ waiting: 0, dropped: 0, isDegraded: false }))
    events.emit('request.finished', request({ layers: ['ws:a"b\\c\nd', 'ws:Straße {x="1"} 2'] }))
    const input = await metrics.text()
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input })
    assert.equal(`${stdout}${stderr}`, '')
    assert.equal(status, 0)
  })

  it('count nothing any more once they are closed', async () => {
    const { events, metrics } = start()
    metrics.close()
    events.emit('request.finished', request())
    assert.doesNotMatch(await metrics.text(), /rest\/imports/)
  })

  it('lets other work go on between one metric and the next', async () => {
    const { metrics } = start()
    let turns = 0
    let next = setImmediate(function turn() {
      turns += 1
      next = setImmediate(turn)
    })
    const names = (await metrics.text()).match(/^# TYPE /gm) ?? []
    clearImmediate(next)
    assert.ok(turns >= names.length && names.length > 20, `${turns} turns for ${names.length} metrics`)
  })
})
