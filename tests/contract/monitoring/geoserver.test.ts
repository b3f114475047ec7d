import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { GeoServerOptions, ListStyle } from '../../support/geoserver-monitor.ts'
import { TestGeoServer } from '../../support/geoserver-monitor.ts'
import { seriesKinds, seriesPlace } from '../../support/host-series.ts'
import { watchService } from '../../support/watched-service.ts'

const noon = Date.UTC(2025, 9, 10, 12)
const minute = 60_000

interface WatchOptions extends GeoServerOptions {
  kind?: (typeof seriesKinds)[number]
  password?: string
}

async function watched(test: TestContext, options: WatchOptions) {
  const { kind = 'sqlite', password, ...serverOptions } = options
  const server = await TestGeoServer.start(test, serverOptions)
  const service = await watchService(await seriesPlace(test, kind), {
    id: 7,
    name: 'maps',
    type: 'mapserver',
    url: server.url,
    checkIntervalSeconds: 60,
    source: {
      kind: 'geoserver-monitor',
      url: server.url,
      ...(password === undefined ? {} : { user: 'jo', password }),
    },
  })
  test.after(() => service.close())
  return { server, service }
}

const styles: [style: ListStyle, isXmlOnly: boolean][] = [
  ['json', false],
  ['xml', true],
  ['json-links', false],
  ['xml-links', true],
  ['html', false],
  ['html', true],
]

for (const [listStyle, isXmlOnly] of styles) {
  describe(`a GeoServer's monitor, list as ${listStyle}${isXmlOnly ? ', records as XML' : ''}`, () => {
    it('is read with event types, layers, statuses, times and failures', async (test) => {
      const { server, service } = await watched(test, { listStyle, isXmlOnly })
      server.add(noon, { totalTime: 100 })
      server.add(noon + 1, { totalTime: 300, resources: ['topp:states', 'topp:roads'], remoteUser: 'jo' })
      server.add(noon + 2, { service: 'WFS', resources: ['topp:roads'], path: '/wfs' })
      server.add(noon + 3, { service: 'CSW', resources: [] })
      server.add(noon + 4, { service: undefined, path: '/web/', resources: ['x'] })
      server.add(noon + 5, {
        status: 'FAILED',
        responseStatus: 500,
        error: {
          type: 'org.geoserver.platform.ServiceException',
          message: 'a & b < c',
          trace: ['at A', 'at B'],
        },
      })
      server.add(noon + 5, { service: 'RESTCONFIG', path: '/rest/layers', resources: ['layers'] })
      server.add(noon + 6, { status: 'RUNNING' })
      server.add(noon + 7, { status: 'CANCELLED' })
      assert.equal((await service.collect(noon + minute)).problem, undefined)
      assert.deepEqual(await service.sums('request.count'), { count: 7 })
      assert.deepEqual(await service.sums('request.count', { eventType: 'OWS:ALL' }), { count: 5 })
      assert.deepEqual(await service.sums('request.count', { eventType: 'other' }), { count: 2 })
      assert.deepEqual(await service.sums('request.count', { eventType: 'OWS:WMS' }), { count: 3 })
      assert.deepEqual(await service.sums('request.count', { eventType: 'OWS:WFS' }), { count: 1 })
      assert.deepEqual(await service.sums('request.count', { eventType: 'mapserver' }), { count: 2 })
      assert.deepEqual(await service.sums('request.count', { layer: 'topp:roads' }), { count: 2 })
      assert.deepEqual(await service.sums('response.status'), { 200: 6, 500: 1 })
      assert.deepEqual(await service.total('response.time'), { samples: 7, total: 525 })
      assert.deepEqual(await service.total('response.size'), { samples: 7, total: 7000 })
      assert.deepEqual(await service.sums('request.ip'), { '192.0.2.0': 7 })
      const type = 'org.geoserver.platform.ServiceException'
      assert.deepEqual(await service.exceptions(), [
        { error_type: type, message: 'a & b < c', stack: `${type}: a & b < c\nat A\nat B` },
      ])
    })

    it('tells what caused a failure, and exceptions that came with status 200', async (test) => {
      const { server, service } = await watched(test, { listStyle, isXmlOnly, statusOfNoFormat: 404 })
      const cause = { type: 'java.sql.SQLException', message: 'no connection', trace: ['at C'] }
      server.add(noon, {
        status: 'FAILED',
        responseStatus: 200,
        error: { type: 'ServiceException', message: 'Rendering failed', trace: ['at A'], cause },
      })
      const itself = { type: 'Odd', message: 'alone', trace: ['at B'], cause: 'itself' as const }
      server.add(noon + 1, { status: 'FAILED', responseStatus: 500, error: itself })
      server.add(noon + 2, { responseContentType: 'application/vnd.ogc.se_xml' })
      server.add(noon + 3, { responseContentType: 'text/xml; charset=UTF-8', operation: 'GetCapabilities' })
      assert.equal((await service.collect(noon + minute)).problem, undefined)
      assert.deepEqual(await service.sums('response.error.types'), { Odd: 1, ServiceException: 2 })
      assert.deepEqual(await service.exceptions(), [
        {
          error_type: 'ServiceException',
          message: 'Rendering failed: no connection',
          stack:
            'ServiceException: Rendering failed\nat A\nCaused by: java.sql.SQLException: no connection\nat C',
        },
        { error_type: 'Odd', message: 'alone', stack: 'Odd: alone\nat B' },
        {
          error_type: 'ServiceException',
          message: 'GET /wms was answered with 200',
          stack: 'GET /wms was answered with 200',
        },
      ])
    })

    it('is counted once, whenever it is read, and requests that end late too', async (test) => {
      const { server, service } = await watched(test, { listStyle, isXmlOnly })
      const slow = server.add(noon, { status: 'RUNNING' })
      for (let round = 1; round <= 4; round += 1) {
        for (let index = 0; index < 5; index += 1) server.add(noon + round * minute + index)
        if (round === 3) slow.status = 'FINISHED'
        await service.collect(noon + (round + 1) * minute)
        await service.restart()
      }
      await service.collect(noon + 10 * minute)
      assert.deepEqual(await service.sums('request.count'), { count: 21 })
    })

    it('begins anew with a server that was restarted, also when its numbers have grown beyond', async (test) => {
      const { server, service } = await watched(test, { listStyle, isXmlOnly })
      for (let index = 0; index < 5; index += 1) server.add(noon + index)
      await service.collect(noon + minute)
      server.restart()
      for (let index = 0; index < 3; index += 1) server.add(noon + minute + index)
      assert.match((await service.collect(noon + 2 * minute)).problem ?? '', /counts its requests anew/)
      server.restart()
      for (let index = 0; index < 8; index += 1) server.add(noon + 2 * minute + index)
      await service.collect(noon + 3 * minute)
      assert.deepEqual(await service.sums('request.count'), { count: 16 })
    })
  })
}

describe("a GeoServer's monitor", () => {
  for (const kind of seriesKinds) {
    it(`is read page by page, series in ${kind}`, async (test) => {
      const { server, service } = await watched(test, { listStyle: 'json', kind })
      for (let index = 0; index < 2300; index += 1) server.add(noon + index * 10)
      await service.collect(noon + minute)
      assert.ok(server.requested.some((address) => address.includes('offset=2000')))
      for (let index = 0; index < 10; index += 1) server.add(noon + 10 * minute + index)
      await service.collect(noon + 12 * minute)
      assert.deepEqual(await service.sums('request.count'), { count: 2310 })
      assert.match(server.requested.at(-1) ?? '', /from=2025-10-10T11%3A55%3A\d\d%2B0000/)
    })
  }

  it('has a problem when requests were dropped from its memory before they were read', async (test) => {
    const { server, service } = await watched(test, { listStyle: 'json', capacity: 100 })
    for (let index = 0; index < 90; index += 1) server.add(noon + index)
    assert.equal((await service.collect(noon + minute)).problem, undefined)
    for (let index = 0; index < 90; index += 1) server.add(noon + minute + index)
    assert.equal((await service.collect(noon + 2 * minute)).problem, undefined)
    for (let index = 0; index < 130; index += 1) server.add(noon + 2 * minute + index)
    const { problem, isRead } = await service.collect(noon + 3 * minute)
    assert.match(problem ?? '', /^30 requests were missed/)
    assert.equal(isRead, true)
    assert.deepEqual(await service.sums('request.count'), { count: 280 })
  })

  it('asks with the name and the password', async (test) => {
    const right = await watched(test, { listStyle: 'json', credentials: 'jo:secret', password: 'secret' })
    right.server.add(noon)
    assert.equal((await right.service.collect(noon + minute)).problem, undefined)
    const wrong = await watched(test, { listStyle: 'json', credentials: 'jo:secret', password: 'guess' })
    const { problem, isRead } = await wrong.service.collect(noon + minute)
    assert.match(problem ?? '', /refuses the user or the password/)
    assert.doesNotMatch(problem ?? '', /guess/)
    assert.deepEqual([isRead, wrong.server.requested.length], [false, 1])
  })

  it('has the failure as its problem when it answers wrongly, and is read when it is well again', async (test) => {
    const { server, service } = await watched(test, { listStyle: 'json' })
    server.add(noon)
    let now = noon
    const wrong: [body: string, status: number, expected: RegExp][] = [
      ['', 503, /status 503/],
      ['[{]', 200, /cannot be read|status 500/],
      ['null', 200, /cannot be read/],
      ['<html>', 200, /cannot be read/],
      ['x'.repeat(40 << 20), 200, /more than 33554432 bytes/],
    ]
    for (const [body, status, expected] of wrong) {
      server.override = (response) => response.writeHead(status).end(body)
      now += minute
      const { problem, isRead } = await service.collect(now)
      assert.match(problem ?? '', expected)
      assert.equal(isRead, false)
    }
    server.override = (response) => response.destroy()
    assert.match((await service.collect(now + minute)).problem ?? '', /cannot be reached/)
    server.override = undefined
    assert.equal((await service.collect(now + 2 * minute)).problem, undefined)
    assert.deepEqual(await service.sums('request.count'), { count: 1 })
  })

  it('takes no request of the future', async (test) => {
    const { server, service } = await watched(test, { listStyle: 'json' })
    server.add(noon)
    server.add(noon + 3_600_000)
    assert.match((await service.collect(noon + minute)).problem ?? '', /1 requests were not counted/)
    assert.deepEqual(await service.sums('request.count'), { count: 1 })
  })
})
