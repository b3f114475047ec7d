import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

describe('a client that pipelines requests', { timeout: 600_000 }, () => {
  let server: TestApp
  let finished = 0
  const sockets: Socket[] = []
  before(async () => {
    server = await createTestApp()
    server.events.on('request.finished', ({ route }) => {
      if (route === '/openapi.json') finished += 1
    })
    await server.app.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    await server.close()
  })

  const open = async (): Promise<Socket> => {
    const { port } = server.app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  const ask = (path: string): Promise<Response> => {
    const { port } = server.app.server.address() as AddressInfo
    return fetch(`http://127.0.0.1:${port}${path}`)
  }

  it('gets the responses in the order of its requests', async () => {
    const socket = await open()
    const names = Array.from({ length: 1000 }, (_, at) => `nothing-${at}`)
    const found: string[] = []
    let rest = ''
    socket.on('data', (bytes) => {
      rest += bytes.toString()
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) found.push(...(line.match(/HTTP\/1.1 \d{3}/g) ?? []))
    })
    socket.write(
      names.map((name) => get(`/${name}`)).join('') +
        get('/health').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    )
    await once(socket, 'close')
    // The last one exceeds the limit of 1,000: the connection ends with the response before it.
    assert.equal(found.length, 1000)
    assert.ok(found.every((one) => one === 'HTTP/1.1 404'))
  })

  it('and reads nothing costs little, and others are answered', async () => {
    await (await ask('/openapi.json')).arrayBuffer()
    const before = process.memoryUsage().rss
    finished = 0
    const flood = await Promise.all(Array.from({ length: 50 }, open))
    for (const socket of flood) socket.pause().write(get('/openapi.json').repeat(30))
    assert.equal((await ask('/health')).status, 200)
    assert.ok(finished < 1500, `${finished} of 1,500 were answered before`)
    assert.ok(process.memoryUsage().rss - before < 500 * 2 ** 20)
    for (const socket of flood) socket.destroy()
  })
})
