import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { describe, it } from 'node:test'
import { applicationMetrics, hostMetrics } from '../metrics/metrics.ts'
import { logMetrics } from '../metrics/registry.ts'
import { eventTypeId, eventTypeOfId, eventTypes, usageClasses } from '../model/event-types.ts'
import { resourceTypeId, resourceTypeOfId, resourceTypes } from '../model/resource-types.ts'
import { hashText } from './distinct-sketch.ts'
import { OtherSketch } from './other-sketch.ts'
import { QuantileSketch } from './quantile-sketch.ts'
import { decodeRequests } from './request-block.ts'
import { splitOfType } from './schema.ts'
import { usageScopes } from './usage-counts.ts'
import { usageCells } from './usage-row.ts'

/** Two requests, as a version of this program wrote them to the log. */
const storedBlock = [
  'LgEAAHsiY291bnQiOjIsImNvbHVtbnMiOltbW251bGwsIk9XUzpXTVMiXSwxXSxbWzIwMCwyMDFdLDFdLFtbW10sW3sidHlw',
  'ZSI6ImxheWVyIiwibmFtZSI6ImE6YiJ9XV0sMV0sW1siR0VUIl0sMF0sW1siL3AwIiwiL3AxIl0sMV0sW1sidWEwIiwidWEx',
  'Il0sMV0sW1siZiJdLDBdLFtbIjEuMi4zLjAiXSwwXSxbWyJERVUiXSwwXSxbWyJyIl0sMF0sW1siYyJdLDBdLFtbInYiXSww',
  'XSxbWyJBbm9ueW1vdXNVc2VyIl0sMF0sW1tudWxsLCJIVFRQIDUwMiJdLDFdLFtbImgiXSwwXSxbWyJ0ZXh0L3htbCJdLDBd',
  'LFtbIjEuNSAyLjUiXSwwXV19AAAAAAAAAAAAAAAAAAAkQAAAAAAAAPh/AAAAAAAAKUBAnEGcAAEAAQABAAEAAQAB',
].join('')

function bytes(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}

/**
 * Stored values remain for years: a changed number would assign rows to another metric. Each released value
 * has its line here permanently.
 */
describe('what is stored', () => {
  it('has metrics by these ids', () => {
    const released: Record<string, number> = {
      request: 1,
      'request.count': 2,
      'request.users': 3,
      'request.ip': 4,
      'request.ua': 5,
      'request.ua.family': 6,
      'request.path': 7,
      'request.method': 8,
      'request.country': 9,
      'request.region': 10,
      'request.city': 11,
      'response.status': 12,
      'response.time': 13,
      'response.first_byte': 101,
      'log.lines.skipped': 102,
      'response.size': 14,
      'response.error.count': 15,
      'response.error.types': 16,
      'load.1m': 17,
      'load.5m': 18,
      'load.15m': 19,
      'mem.all': 20,
      'mem.free': 21,
      'mem.usage': 22,
      'mem.usage.percent': 23,
      'mem.buffers': 24,
      uptime: 25,
      'cpu.usage': 26,
      'cpu.usage.rate': 27,
      'cpu.usage.percent': 28,
      'storage.total': 29,
      'storage.used': 30,
      'storage.free': 31,
      'network.in': 32,
      'network.out': 33,
      'network.in.rate': 34,
      'network.out.rate': 35,
      'storage.usage.percent': 201,
    }
    const ids = Object.fromEntries(
      [...applicationMetrics, ...hostMetrics, ...logMetrics].map(({ id, name }) => [name, id]),
    )
    const others = Object.entries(ids).filter(([name]) => !Object.hasOwn(released, name))
    assert.deepEqual({ ...released, ...Object.fromEntries(others) }, ids)
    for (const [name, id] of others)
      assert.ok(!Object.values(released).includes(id), `${name} has another's id`)
  })

  it('has event types by these ids', () => {
    assert.deepEqual(Object.fromEntries(eventTypes.map((type) => [type, eventTypeId(type)])), {
      'OWS:TMS': 0,
      'OWS:WMS-C': 1,
      'OWS:WMTS': 2,
      'OWS:WCS': 3,
      'OWS:WFS': 4,
      'OWS:WMS': 5,
      'OWS:WPS': 6,
      other: 7,
      'OWS:ALL': 8,
      all: 9,
      create: 10,
      upload: 11,
      change: 12,
      change_metadata: 13,
      view_metadata: 14,
      view: 15,
      download: 16,
      publish: 17,
      remove: 18,
      mapserver: 19,
    })
    assert.deepEqual(
      eventTypes.map((type) => eventTypeOfId(eventTypeId(type))),
      eventTypes,
    )
  })

  it('has types of resource, and the splits by them, by these ids', () => {
    assert.deepEqual(Object.fromEntries(resourceTypes.map((type) => [type, resourceTypeId(type)])), {
      '': 0,
      layer: 1,
      map: 2,
      resource_base: 3,
      document: 4,
      style: 5,
      admin: 6,
      url: 7,
      other: 8,
    })
    assert.deepEqual(
      resourceTypes.map((type) => resourceTypeOfId(resourceTypeId(type))),
      resourceTypes,
    )
    assert.deepEqual([splitOfType('layer'), splitOfType('other')], [-1, -8])
  })

  it('has scopes, cells and classes of usage by these numbers', () => {
    assert.deepEqual(usageScopes, {
      all: 0,
      resource: 1,
      workspace: 2,
      owner: 3,
      country: 4,
      program: 5,
      referrer: 6,
    })
    assert.deepEqual(usageCells, { ownPeople: 0, outsidePeople: 1, ownRobots: 2, outsideRobots: 3 })
    assert.deepEqual(usageClasses, ['other', 'tiles', 'maps', 'features', 'downloads', 'metadata', 'imports'])
  })

  it('gives no id twice', () => {
    const ids = [...applicationMetrics, ...hostMetrics, ...logMetrics].map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.equal(new Set(eventTypes.map(eventTypeId)).size, eventTypes.length)
    assert.equal(new Set(resourceTypes.map(resourceTypeId)).size, resourceTypes.length)
  })

  it('holds requests that are read as they were written', () => {
    const block = decodeRequests(bytes(storedBlock))
    const valuesOf = <T>({ values, indexes }: { values: T[]; indexes: ArrayLike<number> | undefined }): T[] =>
      Array.from({ length: block.count }, (_, row) => values[indexes?.[row] ?? 0] as T)
    assert.deepEqual(
      [[...block.sizes], [...block.milliseconds], [...block.firstByteMilliseconds]],
      [
        [0, 10],
        [Number.NaN, 12.5],
        [Number.NaN, Number.NaN],
      ],
    )
    assert.deepEqual([block.eventTypes, block.statuses].map(valuesOf<unknown>), [
      [null, 'OWS:WMS'],
      [200, 201],
    ])
    assert.deepEqual(Object.values(block.uses).map(valuesOf<unknown>), Array(5).fill([null, null]))
    assert.deepEqual(valuesOf(block.resources), [[], [{ type: 'layer', name: 'a:b' }]])
    const texts = Object.fromEntries(
      Object.entries(block.texts).map(([name, column]) => [name, valuesOf(column)]),
    )
    assert.deepEqual(texts, {
      method: ['GET', 'GET'],
      path: ['/p0', '/p1'],
      userAgent: ['ua0', 'ua1'],
      userAgentFamily: ['f', 'f'],
      clientIp: ['1.2.3.0', '1.2.3.0'],
      country: ['DEU', 'DEU'],
      region: ['r', 'r'],
      city: ['c', 'c'],
      visitor: ['v', 'v'],
      userName: ['AnonymousUser', 'AnonymousUser'],
      errorType: [null, 'HTTP 502'],
      host: ['h', 'h'],
      contentType: ['text/xml', 'text/xml'],
    })
  })

  it('holds sketches that are read and merged as they were written', () => {
    const times = QuantileSketch.decode(bytes('BAEB2QIBfwK0BAE='))
    assert.deepEqual([times.count, Math.round(times.quantile(0.5) ?? 0)], [5, 13])
    const others = OtherSketch.decode(bytes('AANnRQo/kSgG9my/sTVoCtJZx2qXsx8AAVkc0C5yhB4='))
    for (const known of ['a', 'b', 'c']) others.labels.add(known)
    others.users.add('ann')
    assert.deepEqual([others.labels.estimate(), others.users.estimate()], [3, 1])
    assert.equal(hashText('QGIS'), 1_046_637_486_188_164)
  })
})
