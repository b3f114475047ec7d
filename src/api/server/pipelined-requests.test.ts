import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { fastify } from 'fastify'
import { silentLogger } from '../../../tests/support/silent-logger.ts'
import { patienceMs } from '../../../tests/support/until.ts'
import type { App, TypeBoxProvider } from '../app-types.ts'
import { answerFailures, problemWriter } from '../errors.ts'
import { limitAddresses } from './address-limits.ts'
import { queuePipelinedRequests } from './pipelined-requests.ts'

const usual = {
  pipelinedRequests: 1000,
  unreadSeconds: 60,
  addressRequests: 128,
  addressUnsentBytes: 64 * 2 ** 20,
}
/** More than the buffers of two sockets take. */
const largeBytes = 16 * 2 ** 20

async function start(test: TestContext, limits: Partial<typeof usual> = {}) {
  const app: App = fastify({
    loggerInstance: silentLogger,
    trustProxy: '127.0.0.1',
    keepAliveTimeout: 500,
  }).withTypeProvider<TypeBoxProvider>()
  const counts = { small: 0, large: 0, late: 0 }
  const gate = Promise.withResolvers<void>()
  answerFailures(app, problemWriter('contract'))
  queuePipelinedRequests(app, { ...usual, ...limits })
  limitAddresses(app, { ...usual, ...limits })
  app.get('/health', () => 'well')
  app.get('/small/:name', ({ params }) => {
    counts.small += 1
    return `<${(params as { name: string }).name}>`
  })
  app.get('/large', () => {
    counts.large += 1
    return Buffer.alloc(largeBytes, 'x')
  })
  app.get('/late', async () => {
    counts.late += 1
    await gate.promise
    return 'late'
  })
  app.get('/events', (_request, reply) =>
    reply.type('text/event-stream').send(
      Readable.from(
        (async function* () {
          yield 'begun'
          await gate.promise
        })(),
      ),
    ),
  )
  app.post('/echo', async ({ body }) => `<${String(body)}>`)
  app.addContentTypeParser(
    'text/plain',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => body,
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  test.after(() => {
    gate.resolve()
    app.server.closeAllConnections()
    return app.close()
  })
  const { port } = app.server.address() as AddressInfo
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    test.after(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers })
  const connections = (): Promise<number> => promisify(app.server.getConnections.bind(app.server))()
  return { counts, open, ask, connections, finishLate: () => gate.resolve() }
}

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

/** Everything that comes until the text has this many matches, or the connection ends. */
async function readUntil(socket: Socket, pattern: RegExp, count: number): Promise<string[]> {
  const found: string[] = []
  let rest = ''
  const done = Promise.withResolvers<void>()
  socket.on('data', (bytes) => {
    rest += bytes.toString('latin1')
    for (const match of rest.matchAll(pattern)) found.push(match[0])
    const last = [...rest.matchAll(pattern)].at(-1)
    // A match may be cut by the end of what came: it is shorter than this.
    rest = rest.slice(Math.max(last === undefined ? 0 : last.index + last[0].length, rest.length - 4000))
    if (found.length >= count) done.resolve()
  })
  socket.once('close', () => done.resolve())
  await done.promise
  return found
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await delay(5)
}

describe('pipelined requests', { timeout: patienceMs }, () => {
  it('are answered in their order, bodies too', async (test) => {
    const { open } = await start(test)
    const socket = await open()
    const post = (text: string): string =>
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}`
    const texts = Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? `${at}` : 'y'.repeat(3000) + at))
    const found = readUntil(socket, /<[^>]*>/g, texts.length)
    socket.write(texts.map((text, at) => (at % 2 === 0 ? get(`/small/${text}`) : post(text))).join(''))
    assert.deepEqual(
      await found,
      texts.map((text) => `<${text}>`),
    )
  })

  it('are answered up to their limit, then the connection is closed', async (test) => {
    const { open } = await start(test, { pipelinedRequests: 50 })
    const socket = await open()
    const whole = readUntil(socket, /<\d+>|Connection: close/gi, 1000)
    socket.write(Array.from({ length: 200 }, (_, at) => get(`/small/${at}`)).join(''))
    const found = await whole
    assert.deepEqual(
      found.filter((one) => one.startsWith('<')),
      Array.from({ length: 50 }, (_, at) => `<${at}>`),
    )
    assert.equal(found.filter((one) => /close/i.test(one)).length, 1)
  })

  it('that nobody reads start one by one, and others are answered beside them', async (test) => {
    const { open, ask, counts } = await start(test)
    const before = process.memoryUsage().rss
    const sockets = await Promise.all(Array.from({ length: 10 }, open))
    for (const socket of sockets) socket.pause().write(get('/large').repeat(30))
    await until(() => counts.large >= 4)
    assert.equal(await (await ask('/health')).text(), 'well')
    assert.ok(counts.large < 30, `${counts.large} of 300 have begun`)
    for (let round = 0; round < 20; round += 1) await setImmediate()
    assert.ok(process.memoryUsage().rss - before < 400 * 2 ** 20)
    assert.ok(counts.large < 30, `${counts.large} of 300 have begun`)
  })

  it('of one connection leave the server to others', async (test) => {
    const { open, ask, counts } = await start(test)
    const socket = await open()
    socket.pause().write(get('/large') + get('/small/x').repeat(999))
    await until(() => counts.large === 1)
    assert.equal(await (await ask('/health')).text(), 'well')
    assert.equal(counts.small, 0)
    const found = readUntil(socket, /<x>/g, 999)
    socket.resume()
    assert.equal((await found).length, 999)
  })

  it('are dropped with their connection', async (test) => {
    const { open, counts, finishLate, ask } = await start(test)
    const socket = await open()
    socket.write(get('/late') + get('/small/x').repeat(10))
    await until(() => counts.late === 1)
    socket.resetAndDestroy()
    finishLate()
    assert.equal(await (await ask('/small/other')).text(), '<other>')
    assert.equal(counts.small, 1)
  })

  it('behind a late response are not cut by the time between requests', async (test) => {
    const { open, counts, finishLate } = await start(test)
    const socket = await open()
    const found = readUntil(socket, /<first>|late$/g, 2)
    socket.write(get('/small/first') + get('/late'))
    await until(() => counts.late === 1)
    await delay(2000)
    finishLate()
    assert.deepEqual(await found, ['<first>', 'late'])
  })

  it('whose response nobody takes end with their connection', async (test) => {
    const { open, counts, connections } = await start(test, { unreadSeconds: 1 })
    const socket = await open()
    socket.pause().write(get('/large').repeat(3))
    await until(() => counts.large === 1)
    while ((await connections()) > 0) await delay(20)
    let bytes = 0
    socket.on('data', ({ length }) => {
      bytes += length
    })
    const closed = once(socket, 'close')
    socket.resume()
    await closed
    assert.ok(bytes < largeBytes)
    assert.equal(counts.large, 1)
  })
})

describe('requests of one address', { timeout: patienceMs }, () => {
  it('wait for each other beyond a limit, and those of others do not', async (test) => {
    const { ask, counts, finishLate } = await start(test, { addressRequests: 2 })
    const own = { 'x-forwarded-for': '192.0.2.1' }
    const late = [ask('/late', own), ask('/late', own), ask('/late', own)]
    await until(() => counts.late === 2)
    assert.equal(await (await ask('/small/x', { 'x-forwarded-for': '192.0.2.2' })).text(), '<x>')
    assert.equal(await (await ask('/health', own)).text(), 'well')
    assert.equal(counts.late, 2)
    finishLate()
    assert.deepEqual(await Promise.all((await Promise.all(late)).map((one) => one.text())), [
      'late',
      'late',
      'late',
    ])
  })

  it('wait while too much of what it was sent is not taken', async (test) => {
    const { ask, open, counts } = await start(test, { addressUnsentBytes: 2 ** 20 })
    const socket = await open()
    socket.pause().write(get('/large'))
    await until(() => counts.large === 1)
    const small = ask('/small/x')
    assert.equal(await (await ask('/health')).text(), 'well')
    assert.equal(counts.small, 0)
    socket.resume()
    assert.equal(await (await small).text(), '<x>')
  })

  it('do not count as event streams', async (test) => {
    const { ask } = await start(test, { addressRequests: 1 })
    const streams = [await ask('/events'), await ask('/events')]
    assert.equal(await (await ask('/small/x')).text(), '<x>')
    for (const { body } of streams) await body?.cancel()
  })
})
