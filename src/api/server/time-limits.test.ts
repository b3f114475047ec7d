import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fastify } from 'fastify'
import { silentLogger } from '../../../tests/support/silent-logger.ts'
import type { App, TypeBoxProvider } from '../app-types.ts'
import { type BodyTimes, limitBodyTimes } from './time-limits.ts'

/** A limit that no test reaches, however slow the machine is. */
const never = 600_000
const shortMs = 1000
/** Every test tries one limit alone: a process that stands still for a second must not let the other one expire. */
let idleLimited: App
let totalLimited: App
before(async () => {
  idleLimited = await startApp({ idleMs: shortMs, smallBodyMs: never })
  totalLimited = await startApp({ idleMs: never, smallBodyMs: shortMs })
})
after(() => Promise.all([idleLimited.close(), totalLimited.close()]))

async function startApp(times: BodyTimes): Promise<App> {
  const app = fastify({ loggerInstance: silentLogger }).withTypeProvider<TypeBoxProvider>()
  limitBodyTimes(app, times)
  app.post('/small', () => 'done')
  app.post('/large', { bodyLimit: 2 ** 30 }, () => 'done')
  app.post('/slow', () => delay(shortMs * 3, 'done'))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

function post(app: App, path: string, length: number, body = ''): Socket {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n${body}`,
  )
  return socket
}

/** Returns the response before the server closes the connection; empty if it is cut. */
async function answer(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString()
  })
  socket.on('error', () => undefined)
  await once(socket, 'close')
  return text
}

describe('limitBodyTimes', () => {
  it('cuts a body that stops arriving', async () => {
    for (const path of ['/small', '/large']) {
      assert.equal(await answer(post(idleLimited, path, 10, 'x')), '')
    }
  })

  it('cuts a small body that arrives by drops, not a large one', async () => {
    const small = post(totalLimited, '/small', 1_000_000)
    const large = post(totalLimited, '/large', 10)
    const largeAnswer = answer(large)
    const drops = setInterval(() => small.write('x'), 50)
    assert.equal(await answer(small), '')
    clearInterval(drops)
    large.write('x'.repeat(10))
    assert.match(await largeAnswer, /200 OK/)
  })

  it('leaves a request alone whose body is there and whose answer takes time', async () => {
    for (const app of [idleLimited, totalLimited]) {
      assert.match(await answer(post(app, '/slow', 1, 'x')), /200 OK/)
    }
  })
})
