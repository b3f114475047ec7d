import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fastify } from 'fastify'
import { silentLogger } from '../../../tests/support/silent-logger.ts'
import type { App, TypeBoxProvider } from '../app-types.ts'
import { limitBodyTimes } from './time-limits.ts'

const times = { idleMs: 1000, smallBodyMs: 2000 }
let app: App
before(async () => {
  app = fastify({ loggerInstance: silentLogger }).withTypeProvider<TypeBoxProvider>()
  limitBodyTimes(app, times)
  app.post('/small', () => 'done')
  app.post('/large', { bodyLimit: 2 ** 30 }, () => 'done')
  app.post('/slow', () => delay(times.smallBodyMs * 2, 'done'))
  await app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => app.close())

function post(path: string, length: number): Socket {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n`,
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

/** Sends a byte every 150 ms. */
async function drip(socket: Socket, count: number): Promise<void> {
  for (let sent = 0; sent < count && !socket.destroyed; sent += 1) {
    socket.write('x')
    await delay(150)
  }
}

describe('limitBodyTimes', () => {
  it('cuts a body that stops arriving', async () => {
    for (const path of ['/small', '/large']) {
      const socket = post(path, 10)
      socket.write('x')
      assert.equal(await answer(socket), '')
    }
  })

  it('cuts a small body that arrives by drops, not a large one', async () => {
    const small = post('/small', 20)
    const large = post('/large', 20)
    const [, , smallAnswer, largeAnswer] = await Promise.all([
      drip(small, 20),
      drip(large, 20),
      answer(small),
      answer(large),
    ])
    assert.equal(smallAnswer, '')
    assert.match(largeAnswer, /200 OK/)
  })

  it('leaves a request alone whose body is there and whose answer takes time', async () => {
    const socket = post('/slow', 1)
    socket.write('x')
    assert.match(await answer(socket), /200 OK/)
  })
})
