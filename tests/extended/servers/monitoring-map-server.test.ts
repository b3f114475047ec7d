import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { startApache } from '../../support/apache.ts'
import { blocksOf } from '../../support/document-commands.ts'
import { seriesPlace } from '../../support/host-series.ts'
import type { MapServer } from '../../support/map-server.ts'
import { startMapServer } from '../../support/map-server.ts'
import { until } from '../../support/until.ts'
import { watchService } from '../../support/watched-service.ts'

const getMap =
  '/ows?SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=towns,roads&STYLES=&CRS=EPSG:4326&BBOX=50,10,51,12&WIDTH=64&HEIGHT=32&FORMAT=image/png'
const getFeature = '/ows?service=WFS&version=2.0.0&request=GetFeature&typeNames=towns'
const prefixed = getFeature.replace('typeNames=towns', 'typeNames=ms:towns')
const posted =
  '<wfs:GetFeature service="WFS" version="1.1.0" xmlns:wfs="http://www.opengis.net/wfs"><wfs:Query typeName="roads"/></wfs:GetFeature>'

interface Sent {
  path: string
  status: number
  contains: string
  init?: RequestInit
}

const kinds: Sent[] = [
  { path: '/ows?service=WMS&request=GetCapabilities', status: 200, contains: 'WMS_Capabilities' },
  { path: getMap, status: 200, contains: 'PNG' },
  { path: getFeature, status: 200, contains: 'Cavo' },
  { path: prefixed, status: 200, contains: 'Cavo' },
  { path: getMap.replace('towns,roads', 'nothing'), status: 200, contains: 'ServiceException' },
  {
    path: getMap.replace('1.3.0', '1.1.1').replace('CRS=', 'SRS=').replace('towns,roads', 'nothing'),
    status: 200,
    contains: 'ServiceException',
  },
  {
    path: '/ows',
    status: 200,
    contains: 'number',
    init: { method: 'POST', body: posted, headers: { 'content-type': 'text/xml' } },
  },
  { path: '/ows?service=WCS&request=GetCapabilities', status: 200, contains: 'Capabilities' },
  { path: '/nothing-here?x=1', status: 404, contains: '404' },
  { path: '/broken', status: 502, contains: '502' },
  {
    path: '/towns.geojson',
    status: 200,
    contains: 'Alba',
    init: { headers: { authorization: `Basic ${Buffer.from('jo:secret').toString('base64')}` } },
  },
]

class Traffic {
  readonly statuses: Record<string, number> = {}
  readonly paths: Record<string, number> = {}
  readonly methods: Record<string, number> = {}
  requests = 0
  bytes = 0
  readonly #server: MapServer

  constructor(server: MapServer) {
    this.#server = server
  }

  /** Sends each kind of request this many times, one after the other. */
  async send(times: number): Promise<void> {
    for (const { path, status, contains, init = {} } of Array.from({ length: times }, () => kinds).flat()) {
      const response = await fetch(`${this.#server.url}${path}`, init)
      const body = Buffer.from(await response.arrayBuffer())
      assert.equal(response.status, status, path)
      assert.ok(body.includes(contains), `${path}: ${body.toString().slice(0, 500)}`)
      this.requests += 1
      this.bytes += body.length
      add(this.statuses, String(status))
      add(this.paths, path.split('?')[0] ?? '')
      add(this.methods, init.method ?? 'GET')
    }
    await this.#server.untilLogged(this.requests)
  }
}

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1
}

describe('an Apache with the log of the documents', () => {
  it('tells times, content types and exceptions', async (test) => {
    const block = blocksOf('docs/operations.md', 'apache').find(({ heading }) => heading === 'Access logs')
    const logFormat = block?.code.split('\n').find((line) => line.startsWith('LogFormat')) ?? ''
    const files = { 'a.se': '<ServiceExceptionReport/>', 'b.png': 'PNG' }
    const apache = await startApache(test, { files, logFormat })
    const query = '?SERVICE=WMS&REQUEST=GetMap&LAYERS=towns'
    for (const path of ['/a.se', '/b.png', '/c'])
      await fetch(`${apache.url}${path}${query}`, {
        headers: { 'user-agent': 'say "hi"', referer: 'http://x/' },
      })
    const watched = await watchService(await seriesPlace(test, 'sqlite'), {
      id: 7,
      name: 'maps',
      type: 'mapserver',
      url: apache.url,
      checkIntervalSeconds: 60,
      source: { kind: 'log', path: apache.log },
    })
    test.after(() => watched.close())
    await until(() => apache.readLog().split('\n').length >= 4)
    assert.equal((await watched.collect(Date.now() + 60_000)).problem, undefined)
    assert.deepEqual(await watched.sums('response.status'), { 200: 2, 404: 1 })
    assert.deepEqual(await watched.sums('response.error.types'), { ServiceException: 1 })
    assert.deepEqual(await watched.sums('request.ua'), { 'say "hi"': 3 })
    assert.equal((await watched.total('response.time')).samples, 3)
    assert.deepEqual(
      (await watched.exceptions()).map(({ error_type, message }) => [error_type, message]),
      [['ServiceException', 'GET /a.se was answered with 200']],
    )
  })
})

describe('a MapServer behind nginx', () => {
  it('is counted exactly, over rotations of its log and restarts of the collector', async (test) => {
    const server = await startMapServer(test)
    const watched = await watchService(await seriesPlace(test, 'sqlite'), {
      id: 7,
      name: 'maps',
      type: 'mapserver',
      url: server.url,
      checkIntervalSeconds: 60,
      source: { kind: 'log', path: server.log },
      server: 'mapserver',
    })
    test.after(() => watched.close())
    const traffic = new Traffic(server)
    let now = Date.now()
    const collect = async (): Promise<void> => {
      now += 60_000
      assert.equal((await watched.collect(now)).problem, undefined)
    }

    await traffic.send(2)
    await collect()
    await traffic.send(1)
    await server.rotate('access.log.2')
    await traffic.send(1)
    await watched.restart()
    await collect()
    await traffic.send(1)
    await server.rotate('access.log.1')
    await traffic.send(1)
    execFileSync('gzip', [`${server.log}.1`])
    await watched.restart()
    await collect()
    await collect()

    const sent = kinds.length * 6
    assert.equal(traffic.requests, sent)
    assert.deepEqual(await watched.sums('request.count'), { count: sent })
    assert.deepEqual(await watched.sums('response.status'), traffic.statuses)
    assert.deepEqual(await watched.sums('request.path'), traffic.paths)
    assert.deepEqual(await watched.sums('request.method'), traffic.methods)
    const byType = async (eventType: 'OWS:WMS' | 'OWS:WFS' | 'OWS:WCS' | 'OWS:ALL' | 'mapserver' | 'other') =>
      (await watched.sums('request.count', { eventType }))['count']
    assert.equal(await byType('OWS:WMS'), 24)
    assert.equal(await byType('OWS:WFS'), 12)
    assert.equal(await byType('OWS:WCS'), 6)
    assert.equal(await byType('OWS:ALL'), 42)
    assert.equal(await byType('mapserver'), 24)
    assert.equal(await byType('other'), 24)
    assert.deepEqual(await watched.sums('request.count', { layer: 'towns' }), { count: 18 })
    assert.deepEqual(await watched.sums('request.count', { layer: 'ms:towns' }), {})
    assert.deepEqual(await watched.sums('request.count', { layer: 'roads' }), { count: 6 })
    assert.deepEqual(await watched.sums('response.error.types'), { 'HTTP 502': 6, ServiceException: 12 })
    assert.deepEqual(await watched.sums('response.error.count', { eventType: 'OWS:WMS' }), { count: 12 })
    assert.deepEqual(await watched.total('response.size'), { samples: sent, total: traffic.bytes })
    assert.equal((await watched.total('response.time')).samples, sent)
    assert.equal((await watched.exceptions()).length, 18)
  })
})
