import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { addedMegabytes } from '../../support/added-memory.ts'
import { TestGeoServer } from '../../support/geoserver-monitor.ts'
import { seriesPlace } from '../../support/host-series.ts'
import type { WatchedService } from '../../support/watched-service.ts'
import { watchService } from '../../support/watched-service.ts'

const now = Date.UTC(2025, 9, 10, 12)
const minute = 60_000
const megabyte = 1 << 20

interface Watched {
  server: TestGeoServer
  service: WatchedService
}

async function watched(test: TestContext): Promise<Watched> {
  const server = await TestGeoServer.start(test, { listStyle: 'json' })
  const service = await watchService(await seriesPlace(test, 'sqlite'), {
    id: 7,
    name: 'maps',
    type: 'mapserver',
    url: server.url,
    checkIntervalSeconds: 60,
    source: { kind: 'geoserver-monitor', url: server.url },
  })
  test.after(() => service.close())
  return { server, service }
}

function record(id: number, more: object = {}): string {
  const startTime = '2025-10-10 11:30:00.000 UTC'
  return JSON.stringify({ id, status: 'FINISHED', startTime, service: 'WMS', responseStatus: 200, ...more })
}

function* list(records: Iterable<string>): Generator<string> {
  yield '{"list":{"org.geoserver.monitor.RequestData":['
  let mark = ''
  for (const one of records) {
    yield `${mark}${one}`
    mark = ','
  }
  yield ']}}'
}

function answer(response: ServerResponse, pieces: Iterable<string>): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  for (const piece of pieces) response.write(piece)
  response.end()
}

describe("a GeoServer's monitor that means harm", () => {
  const wrong: [what: string, send: (response: ServerResponse) => void, says: RegExp][] = [
    ['sends without end', sendWithoutEnd, /answered with more than 33554432 bytes/],
    [
      'leads elsewhere',
      (response) => response.writeHead(302, { location: 'http://127.0.0.9:1/' }).end(),
      /redirects to http:\/\/127\.0\.0\.9:1\//,
    ],
    ['leads in a circle', (response) => response.writeHead(302, { location: '#' }).end(), /again and again/],
    ['says nothing of the kind', (response) => answer(response, ['[1, "x", null]']), /^$/],
    ['breaks off', (response) => response.writeHead(200).write('[', () => response.destroy()), /cannot be/],
    ['nests without end', (response) => answer(response, ['['.repeat(megabyte)]), /cannot be read/],
  ]
  for (const [what, override, says] of wrong) {
    it(`and ${what} has that as its problem, and is read when it is well again`, async (test) => {
      const { server, service } = await watched(test)
      server.override = override
      assert.match((await service.collect(now)).problem ?? '', says)
      server.override = undefined
      server.add(now - minute)
      assert.equal((await service.collect(now + minute)).problem, undefined)
      assert.deepEqual(await service.sums('request.count'), { count: 1 })
    })
  }

  it('and ignores how many are wanted is read all the same', async (test) => {
    const { server, service } = await watched(test)
    const count = 60_000
    const records = Array.from({ length: count }, (_, id) => record(id))
    server.override = (response) => answer(response, list([records.join(',')]))
    await service.collect(now)
    await service.collect(now + minute)
    assert.deepEqual(await service.sums('request.count'), { count })
  })

  it('and has records of many kilobytes is read in pieces, with bounded memory', async (test) => {
    const { server, service } = await watched(test)
    let page = 0
    const path = `/${'x'.repeat(25_000)}`
    server.override = (response) => {
      page += 1
      const ids = page > 12 ? [] : Array.from({ length: 1000 }, (_, at) => page * 1000 + at)
      const startTime = `2025-10-10 11:${10 + page}:00.000 UTC`
      answer(response, list(ids.map((id) => record(id, { path, startTime }))))
    }
    const added = await addedMegabytes(async () => {
      for (let turn = 0; turn < 4; turn += 1) await service.collect(now + turn * minute)
    })
    assert.ok(added < 450, `${Math.round(added)} MB were added`)
    assert.deepEqual(await service.sums('request.count'), { count: 12_000 })
  })

  it('and hides names of layers in lists of lists takes no time for them', async (test) => {
    const { server, service } = await watched(test)
    const depth = 10_000
    const resources = `${'['.repeat(depth)}1${`${',[]'.repeat(99)}]`.repeat(depth)}`
    server.override = (response) =>
      answer(response, list([record(1).replace('}', `,"resources":${resources}}`), record(2)]))
    await service.collect(now)
    assert.deepEqual(await service.sums('request.count'), { count: 2 })
  })

  it('and has wrong numbers and times counts each request that has them once', async (test) => {
    const { server, service } = await watched(test)
    const odd = [
      record(-1),
      record(1.5),
      record(1e300),
      record(Number.MAX_SAFE_INTEGER),
      record(7),
      record(7),
      record(8, { startTime: '1970-01-01 00:00:00.000 UTC', totalTime: -5, responseLength: 1e300 }),
      record(9, { startTime: '0001-01-01 00:00:00.000 UTC' }),
      record(10, { startTime: '9999-12-31 23:59:59.000 UTC', status: ['FINISHED'] }),
      record(11, { startTime: 'yesterday' }),
      record(12, { responseStatus: 'NaN', totalTime: 'Infinity', path: { a: 1 }, resources: 7 }),
    ]
    server.override = (response) => answer(response, list(odd))
    const { problem = '' } = await service.collect(now)
    assert.match(problem, /1 requests were not counted: they are in the future/)
    await service.collect(now + minute)
    const { count = 0 } = await service.sums('request.count')
    server.override = undefined
    server.add(now - minute)
    await service.collect(now + 2 * minute)
    assert.deepEqual(await service.sums('request.count'), { count: count + 1 })
    assert.ok(count >= 4 && count <= 5, `${count} requests`)
  })
})

function sendWithoutEnd(response: ServerResponse): void {
  const chunk = Buffer.alloc(megabyte, ' ')
  const send = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', send)
  send()
}
