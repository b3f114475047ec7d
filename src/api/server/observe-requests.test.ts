import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fastify } from 'fastify'
import { fixedClock } from '../../../tests/support/fixed-clock.ts'
import { silentLogger } from '../../../tests/support/silent-logger.ts'
import { until } from '../../../tests/support/until.ts'
import { anonymous } from '../../access/records.ts'
import { createEventBus } from '../../core/events/events.ts'
import type { ServerRequest } from '../../monitoring/collect/server/server-request.ts'
import type { App, CountsAs, TypeBoxProvider } from '../app-types.ts'
import { observeRequests } from './observe-requests.ts'

/** Starts a server with one path per line, and collects the calls of its observers. */
function openServer(lines: Record<string, CountsAs>) {
  const app: App = fastify({ loggerInstance: silentLogger }).withTypeProvider<TypeBoxProvider>()
  const events = createEventBus(assert.ifError)
  const announced: string[] = []
  const recorded: ServerRequest[] = []
  events.on('request.finished', ({ method, route, status }) => announced.push(`${method} ${route} ${status}`))
  observeRequests(app, {
    monitoring: { record: (request) => recorded.push(request) },
    callerOf: () => anonymous,
    events,
    clock: fixedClock('2026-11-21T12:00:10Z'),
    log: silentLogger,
  })
  for (const [url, countsAs] of Object.entries(lines)) app.get(url, { config: { countsAs } }, () => 'hello')
  return { app, announced, recorded }
}

describe('observeRequests', () => {
  it('announces each request once, and leaves to monitoring those that count', async () => {
    const { app, announced, recorded } = openServer({ '/things': 'view', '/health': 'unrecorded' })
    for (const url of ['/things', '/health', '/nothing']) await app.inject(url)
    await app.inject({ url: '/things', method: 'HEAD' })
    assert.deepEqual(announced, ['GET /things 200', 'GET /health 200', 'GET  404', 'HEAD /things 200'])
    assert.deepEqual(
      recorded.map(({ method, path, eventType, status }) => `${method} ${path} ${eventType} ${status}`),
      ['GET /things view 200', 'GET /nothing view 404', 'HEAD /things view 200'],
    )
  })

  it('tells when the first byte was sent, apart from when the client had all', async () => {
    const { app, recorded } = openServer({ '/things': 'view' })
    const pauseMs = 50
    async function* slow(raw: ServerResponse): AsyncGenerator<string> {
      yield 'first'
      await until(() => raw.headersSent)
      await delay(pauseMs)
      yield 'last'
    }
    app.get('/slow', (_request, { raw }) => Readable.from(slow(raw)))
    app.get('/empty', (_request, reply) => reply.code(204).send())
    assert.equal((await app.inject('/slow')).body, 'firstlast')
    for (const url of ['/things', '/empty']) await app.inject(url)
    const [streamed, ...others] = recorded
    assert.ok(streamed?.firstByteMilliseconds !== undefined)
    // Timers may come a millisecond early.
    assert.ok(streamed.milliseconds - streamed.firstByteMilliseconds > pauseMs / 2)
    for (const one of others) assert.ok(Number(one.firstByteMilliseconds) <= one.milliseconds)
  })

  it('leaves out what lies below a path that does not count, whether there is such a path or not', async () => {
    const uncounted = {
      '/health': 'unrecorded',
      '/monitoring': 'unrecorded',
      '/docs/*': 'unrecorded',
    } as const
    const { app, recorded } = openServer({ ...uncounted, '/docs': 'view' })
    const left = ['/health', '/health/x', '/monitoring/api/services?x=1', '/docs/static/index.html']
    const counted = ['/docs', '/healthy', '/monitoring-data', '/x/health']
    for (const url of [...left, ...counted]) await app.inject(url)
    assert.deepEqual(
      recorded.map(({ path }) => path),
      counted,
    )
  })
})
