import assert from 'node:assert/strict'
import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { SeriesLocation } from '../../../src/monitoring/series/series-database.ts'
import { seriesKinds, seriesPlace } from '../../support/host-series.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import type { WatchedService, WatchOptions } from '../../support/watched-service.ts'
import { watchService } from '../../support/watched-service.ts'

const now = Date.UTC(2025, 9, 10, 12)

function line(request: string, status = 200, rest = '"-" "QGIS/3.40"', client = '192.0.2.77'): string {
  return `${client} - - [10/Oct/2025:11:00:00 +0000] "${request}" ${status} 100 ${rest}\n`
}

function watchLog(place: SeriesLocation, path: string, options: WatchOptions = {}): Promise<WatchedService> {
  const source = { kind: 'log', path } as const
  const service = {
    id: 7,
    name: 'maps',
    type: 'mapserver',
    url: 'https://maps.example.org/',
    source,
  } as const
  return watchService(place, { ...service, checkIntervalSeconds: 60 }, options)
}

async function watched(
  test: TestContext,
  { kind = 'sqlite', ...options }: WatchOptions & { kind?: (typeof seriesKinds)[number] } = {},
) {
  const path = join(temporaryFolder(test), 'access.log')
  const place = await seriesPlace(test, kind)
  const service = await watchLog(place, path, options)
  test.after(() => service.close())
  return { path, place, service }
}

const wms = 'GET /cgi-bin/mapserv?map=/srv/a.map&SERVICE=WMS&REQUEST=GetMap&LAYERS=roads,rivers HTTP/1.1'

for (const kind of seriesKinds) {
  describe(`access logs, series in ${kind}`, () => {
    it('counts requests by event type, layer, status, path without query, and client', async (test) => {
      const { path, service } = await watched(test, { kind })
      const wfs = 'GET /cgi-bin/mapserv?service=WFS&request=GetFeature&typename=roads HTTP/1.1'
      writeFileSync(path, line(wms) + line(wms) + line(wfs) + line('GET /index.html HTTP/1.1', 404))
      appendFileSync(path, line('GET /csw?service=CSW&request=GetRecords HTTP/1.1') + line('-', 400))
      assert.equal((await service.collect(now)).problem, undefined)
      assert.deepEqual(await service.sums('request.count'), { count: 6 })
      const counts: Record<string, number | undefined> = {}
      for (const eventType of ['OWS:WMS', 'OWS:WFS', 'OWS:ALL', 'mapserver', 'other'] as const) {
        counts[eventType] = (await service.sums('request.count', { eventType }))['count']
      }
      assert.deepEqual(counts, { 'OWS:WMS': 2, 'OWS:WFS': 1, 'OWS:ALL': 4, mapserver: 2, other: 2 })
      assert.deepEqual(await service.sums('request.count', { layer: 'roads' }), { count: 3 })
      assert.deepEqual(await service.sums('request.count', { layer: 'rivers' }), { count: 2 })
      assert.deepEqual(await service.sums('response.status'), { 200: 4, 400: 1, 404: 1 })
      const paths = { '-': 1, '/cgi-bin/mapserv': 3, '/csw': 1, '/index.html': 1 }
      assert.deepEqual(await service.sums('request.path'), paths)
      assert.deepEqual(await service.sums('request.ip'), { '192.0.2.0': 6 })
    })

    it('counts every line once when two servers read one log', async (test) => {
      const { path, place, service } = await watched(test, { kind })
      const other = await watchLog(place, path)
      try {
        for (let round = 0; round < 5; round += 1) {
          appendFileSync(path, line(wms).repeat(50))
          const moment = now + round * 60_000
          await Promise.all([service.collect(moment), other.collect(moment)])
        }
      } finally {
        await other.close()
      }
      await service.collect(now + 600_000)
      assert.deepEqual(await service.sums('request.count'), { count: 250 })
    })
  })
}

describe('access logs', () => {
  it('counts every line once over rotations and restarts', async (test) => {
    const { path, service } = await watched(test)
    for (let round = 1; round <= 4; round += 1) {
      appendFileSync(path, line(`GET /${round} HTTP/1.1`).repeat(round))
      if (round !== 3) await service.collect(now + round * 60_000)
      appendFileSync(path, line(`GET /late${round} HTTP/1.1`))
      renameSync(path, `${path}.${9 - round}`)
      await service.restart()
    }
    writeFileSync(path, line('GET /last HTTP/1.1'))
    await service.collect(now + 600_000)
    const lates = { '/late1': 1, '/late2': 1, '/late3': 1, '/late4': 1 }
    assert.deepEqual(await service.sums('request.path'), {
      '/1': 1,
      '/2': 2,
      '/3': 3,
      '/4': 4,
      '/last': 1,
      ...lates,
    })
  })

  it('has response times where the log tells them, and no zeros where it does not', async (test) => {
    const { path, service } = await watched(test)
    const timed = line(wms, 200, '"-" "QGIS/3.40" rt=0.200') + line(wms, 200, '"-" "QGIS/3.40" rt=0.400')
    writeFileSync(path, timed + line('GET /other HTTP/1.1'))
    await service.collect(now)
    assert.deepEqual(await service.sums('request.count'), { count: 3 })
    assert.deepEqual(await service.total('response.time'), { samples: 2, total: 600 })
    assert.deepEqual(await service.sums('response.time', { eventType: 'mapserver' }), {})
  })

  it("reads Apache's format with virtual hosts, escapes and microseconds", async (test) => {
    const { path, service } = await watched(test)
    const time = '[10/Oct/2025:13:00:00 +0200]'
    const rest = String.raw`"-" "say \"hi\"" 1500`
    const lines = [
      `maps.example.org:443 2001:db8::7 - - ${time} "GET /qgis?SERVICE=WMS&REQUEST=GetMap&LAYERS=a HTTP/1.1" 200 512 ${rest}`,
      `maps.example.org:443 192.0.2.9 - jo ann ${time} "POST /qgis HTTP/1.1" 200 - ${rest}`,
      `maps.example.org:80 192.0.2.9 - - ${time} "\\x16\\x03\\x01" 400 226 "-" "-" 90`,
      `maps.example.org:80 192.0.2.9 - - ${time} "-" 408 0 "-" "-" 20`,
    ]
    writeFileSync(path, `${lines.join('\n')}\n`)
    assert.equal((await service.collect(now)).problem, undefined)
    assert.deepEqual(await service.sums('request.path'), { '-': 2, '/qgis': 2 })
    assert.deepEqual(await service.sums('request.method'), { '-': 2, GET: 1, POST: 1 })
    assert.deepEqual(await service.sums('request.ua'), { '(none)': 2, 'say "hi"': 2 })
    assert.deepEqual(await service.sums('request.ip'), { '192.0.2.0': 3, '2001:db8::': 1 })
    assert.deepEqual(await service.total('response.time'), { samples: 4, total: 3 })
  })

  it('tells robots, own networks before addresses are cut, and hosts of referring pages', async (test) => {
    const { path, service } = await watched(test, { ownNetworks: ['192.0.2.7', '2001:db8:1::/48'] })
    const from = (client: string, rest: string): string =>
      `${client} - - [10/Oct/2025:13:00:00 +0200] "GET /ows HTTP/1.1" 200 10 ${rest}\n`
    const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
    writeFileSync(
      path,
      from('192.0.2.7', '"https://Maps.Example.org:8443/a?b" "QGIS/3.40"') +
        from('192.0.2.8', `"-" "${googlebot}"`) +
        from('::ffff:192.0.2.7', '"javascript:x" "Mozilla/5.0 Firefox/140.0"') +
        from('2001:db8:1:2::3', '"http://192.0.2.9/x" "-"') +
        from('host.example', '"http://[broken" "QGIS/3.40"'),
    )
    assert.equal((await service.collect(now)).problem, undefined)
    const { '': all } = await service.usage('all')
    // People of own networks, people from outside (one without a known address), robots of own networks,
    // robots from outside.
    assert.deepEqual(
      Array.from(all?.cells ?? [], (cell) => cell?.requests ?? 0),
      [3, 1, 0, 1],
    )
    const referrers = Object.entries(await service.usage('referrer')).map(([name, row]) => [
      name,
      row.requests,
    ])
    assert.deepEqual(Object.fromEntries(referrers), { '(none)': 3, '192.0.2.9': 1, 'maps.example.org': 1 })
  })

  it('keeps failures of the server as exceptions, a bounded number of them', async (test) => {
    const { path, service } = await watched(test)
    writeFileSync(path, line(wms, 502) + line('GET /missing HTTP/1.1', 404) + line(wms, 503).repeat(500))
    await service.collect(now)
    assert.deepEqual(await service.sums('response.error.types'), { 'HTTP 502': 1, 'HTTP 503': 500 })
    assert.deepEqual(await service.sums('response.error.count'), { count: 501 })
    const exceptions = await service.exceptions()
    assert.equal(exceptions.length, 100)
    assert.deepEqual(
      [exceptions[0]?.error_type, exceptions[0]?.message],
      ['HTTP 502', 'GET /cgi-bin/mapserv was answered with 502'],
    )
  })

  it('counts what it cannot take and tells why, and takes the rest', async (test) => {
    const { path, service } = await watched(test)
    const future = line(wms).replace('10/Oct/2025:11:00', '10/Oct/2025:13:00')
    const soon = line(wms).replace('10/Oct/2025:11:00:00', '10/Oct/2025:12:03:00')
    const earlier = line(wms).replace('10/Oct/2025', '09/Oct/2025')
    const garbage = ['hello', '\0\x01\xff', '{"a":1}', '['.repeat(70_000)].join('\n')
    writeFileSync(
      path,
      line(wms) + future + soon + earlier + Buffer.from(`${garbage}\n`, 'latin1') + line(wms),
    )
    const { problem, isRead } = await service.collect(now)
    assert.equal(isRead, true)
    assert.equal(
      problem,
      [
        `1 line was not counted in ${path}: in the future`,
        `3 lines were not counted in ${path}: no access log line in combined or common format`,
        `1 line was not counted in ${path}: longer than 64 KiB`,
      ].join('\n'),
    )
    assert.deepEqual(await service.sums('log.lines.skipped'), {
      'in the future': 1,
      'no access log line in combined or common format': 3,
      'longer than 64 KiB': 1,
    })
    await service.collect(now + 600_000)
    assert.deepEqual(await service.sums('request.count'), { count: 4 })
    appendFileSync(path, 'hello\n')
    await service.collect(now + 660_000)
    const skipped = await service.sums('log.lines.skipped')
    assert.equal(skipped['no access log line in combined or common format'], 4)
    assert.equal((await service.collect(now + 800_000)).problem, undefined)
  })

  it('has the names of users that were logged in', async (test) => {
    const { path, service } = await watched(test)
    writeFileSync(path, line(wms) + line(wms).replace(' - - [', ' - jo ['))
    await service.collect(now)
    assert.equal(Object.keys(await service.sums('request.users')).length, 2)
  })

  it('says so where the log is missing, and goes on when it comes', async (test) => {
    const { path, service } = await watched(test)
    assert.equal((await service.collect(now)).problem, `${path} does not exist`)
    writeFileSync(path, line(wms))
    assert.equal((await service.collect(now + 60_000)).problem, undefined)
    assert.deepEqual(await service.sums('request.count'), { count: 1 })
  })
})
