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
import type { App, TypeBoxProvider } from '../app-types.ts'
import { connectionOptions, limitStalledAnswers } from './connection-times.ts'
import { limitBodyTimes } from './time-limits.ts'

const times = { headMs: 1500, betweenMs: 1500, checkMs: 100, stalledMs: 2000 }
const longMs = 5000

async function start(
  test: TestContext,
): Promise<{ app: App; open(): Promise<Socket>; closed: () => number }> {
  const app: App = fastify({
    loggerInstance: silentLogger,
    ...connectionOptions(times),
  }).withTypeProvider<TypeBoxProvider>()
  let sources = 0
  limitBodyTimes(app, { idleMs: 10_000, smallBodyMs: 10_000 })
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
    app,
    open: async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    },
    closed: () => sources,
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

const head = (method: string, path: string, more = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

describe('connections', () => {
  it('that never send a byte are closed', async (test) => {
    const { open } = await start(test)
    const sockets = await Promise.all(Array.from({ length: 20 }, open))
    for (const text of await Promise.all(sockets.map(answer))) assert.match(text, /^(?:HTTP\/1.1 408|$)/)
  })

  it('that send a head by drops are closed', async (test) => {
    const { open } = await start(test)
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
    const { open } = await start(test)
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
    const { open } = await start(test)
    const upload = await open()
    upload.write(head('POST', '/upload', 'Content-Length: 20\r\nContent-Type: text/plain\r\n'))
    const late = await open()
    late.write(head('GET', '/late'))
    const events = await open()
    events.write(head('GET', '/events'))
    const answers = Promise.all([upload, late, events].map(answer))
    for (let sent = 0; sent < 20; sent += 1) {
      upload.write('x')
      await delay(longMs / 20)
    }
    const [stored = '', reported = '', streamed = ''] = await answers
    assert.match(stored, /stored$/)
    assert.match(reported, /late$/)
    assert.match(streamed, /data: 9/)
  })

  it('that take nothing of an answer are closed, and what it was read from is let go', async (test) => {
    const { open, closed } = await start(test)
    const socket = await open()
    socket.pause()
    socket.write(head('GET', '/large'))
    for (let round = 0; closed() === 0 && round < 200; round += 1) await delay(50)
    assert.equal(closed(), 1)
    socket.destroy()
  })
})
