import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fastify } from 'fastify'
import { silentLogger } from '../../../tests/support/silent-logger.ts'
import { until } from '../../../tests/support/until.ts'
import type { App, TypeBoxProvider } from '../app-types.ts'
import { type ConnectionTimes, connectionOptions, limitStalledAnswers } from './connection-times.ts'
import { limitBodyTimes } from './time-limits.ts'

/** A limit that no test reaches, however slow the machine is. Node allows no longer one for heads. */
const never = 300_000
const shortMs = 1500
const longMs = 5000

/** Starts a server whose limits are `never` unless they are given: each test tries one limit alone. */
async function start(
  test: TestContext,
  limits: Partial<ConnectionTimes>,
): Promise<{ open(): Promise<Socket>; closed: () => number; requested: () => number }> {
  const times = { headMs: never, betweenMs: never, checkMs: 100, stalledMs: never, ...limits }
  const app: App = fastify({
    loggerInstance: silentLogger,
    ...connectionOptions(times),
  }).withTypeProvider<TypeBoxProvider>()
  let sources = 0
  let requests = 0
  app.addHook('onRequest', async () => {
    requests += 1
  })
  limitBodyTimes(app, { idleMs: never, smallBodyMs: never })
  limitStalledAnswers(app, times)
  app.get('/quick', () => 'done')
  app.get('/late', () => delay(longMs, 'late'))
  app.post('/upload', { bodyLimit: 2 ** 30 }, () => 'stored')
  app.get('/events', (_request, reply) => reply.type('text/event-stream').send(Readable.from(events())))
  app.get('/large', (_request, reply) => reply.type('text/plain').send(Readable.from(endless())))
  async function* events(): AsyncGenerator<string> {
    for (let count = 0; count < 10; count += 1) {
      await delay(longMs / 10)
      yield `data: ${count}\n\n`
    }
  }
  async function* endless(): AsyncGenerator<string> {
    try {
      while (true) yield 'x'.repeat(2 ** 16)
    } finally {
      sources += 1
    }
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  test.after(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const { port } = app.server.address() as AddressInfo
  return {
    open: async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    },
    closed: () => sources,
    requested: () => requests,
  }
}

/** Returns all data until the server closes the connection, also by a reset. */
async function answer(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString()
  })
  // `once` of node:events would throw at a reset.
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

/** Sends a request until its head has arrived: the limit for heads may end earlier on a busy machine. */
async function request(
  { open, requested }: Awaited<ReturnType<typeof start>>,
  text: string,
): Promise<{ socket: Socket; whole: Promise<string> }> {
  for (;;) {
    const before = requested()
    const socket = await open()
    const whole = answer(socket)
    socket.write(text)
    await until(() => requested() > before || socket.destroyed)
    if (requested() > before) return { socket, whole }
  }
}

/** Repeats what failed because this process stood still, so that a client could not read in time. */
async function repeatAfterStandstill(work: () => Promise<void>): Promise<void> {
  for (;;) {
    let [lastMs, longestMs] = [performance.now(), 0]
    const timer = setInterval(() => {
      const nowMs = performance.now()
      longestMs = Math.max(longestMs, nowMs - lastMs)
      lastMs = nowMs
    }, 50)
    try {
      await work()
      return
    } catch (error) {
      if (longestMs < shortMs / 3) throw error
    } finally {
      clearInterval(timer)
    }
  }
}

const head = (method: string, path: string, more = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

describe('connections', () => {
  it('that never send a byte are closed', async (test) => {
    const { open } = await start(test, { headMs: shortMs })
    const sockets = await Promise.all(Array.from({ length: 20 }, open))
    for (const text of await Promise.all(sockets.map(answer))) assert.match(text, /^(?:HTTP\/1.1 408|$)/)
  })

  it('that send a head by drops are closed', async (test) => {
    const { open } = await start(test, { headMs: shortMs })
    const socket = await open()
    const whole = answer(socket)
    for (const letter of head('GET', '/quick')) {
      if (socket.destroyed) break
      socket.write(letter)
      await delay(60)
    }
    assert.doesNotMatch(await whole, /200 OK/)
  })

  it('are closed some time after their last request', async (test) => {
    const { open } = await start(test, { betweenMs: shortMs })
    const body = 'Content-Length: 3\r\nContent-Type: text/plain\r\n'
    const requests = [
      head('GET', '/quick'),
      `${head('POST', '/upload', body)}abc`,
      `${head('POST', '/unknown', body)}abc`,
    ]
    const statuses = requests.map(async (request) => {
      const socket = await open()
      socket.write(request)
      return (await answer(socket)).slice(9, 12)
    })
    assert.deepEqual(await Promise.all(statuses), ['200', '200', '404'])
  })

  it('stay for a long upload, a late answer and a stream of events', async (test) => {
    const tryLimit = async (name: 'headMs' | 'betweenMs' | 'stalledMs'): Promise<void> => {
      const server = await start(test, { [name]: shortMs })
      const close = 'Connection: close\r\n'
      const body = 'Content-Length: 20\r\nContent-Type: text/plain\r\n'
      const upload = await request(server, head('POST', '/upload', close + body))
      const late = await request(server, head('GET', '/late', close))
      const events = await request(server, head('GET', '/events', close))
      for (let sent = 0; sent < 20; sent += 1) {
        upload.socket.write('x')
        await delay(longMs / 20)
      }
      assert.match(await upload.whole, /stored$/, name)
      assert.match(await late.whole, /late$/, name)
      assert.match(await events.whole, /data: 9/, name)
    }
    const names = ['headMs', 'betweenMs', 'stalledMs'] as const
    await Promise.all(names.map((name) => repeatAfterStandstill(() => tryLimit(name))))
  })

  it('that take nothing of an answer are closed, and what it was read from is let go', async (test) => {
    const { open, closed } = await start(test, { stalledMs: shortMs })
    const socket = await open()
    socket.pause()
    socket.write(head('GET', '/large'))
    await until(() => closed() === 1)
    socket.destroy()
  })
})
