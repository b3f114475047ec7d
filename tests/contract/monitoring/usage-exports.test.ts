import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inflateSync } from 'node:zlib'
import { seededRandom } from '../../../bench/random.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import { listLayers } from '../../support/listed-layers.ts'
import { databases } from '../../support/monitoring-client.ts'
import { decodeTile } from '../../support/tiles.ts'

const layers = ['ws:roads', 'ws:trees']
const metricTypes = [
  'Total_Dataset_Investigations',
  'Unique_Dataset_Investigations',
  'Total_Dataset_Requests',
  'Unique_Dataset_Requests',
]

/** Requests of September and October 2026, many of them within seconds of one another. */
function makeRequests(serviceId: number): RequestEvent[] {
  const draw = seededRandom(10)
  const pick = <T>(...all: T[]): T => all[Math.floor(draw() * all.length)] as T
  return Array.from({ length: 160 }, () => {
    const hour = pick(Date.UTC(2026, 8, 30, 23, 58), Date.UTC(2026, 9, 4, 8, 58), Date.UTC(2026, 9, 5, 9, 30))
    const created = hour + Math.floor(draw() * 240) * 1000
    const agent = pick('PC / Windows / QGIS 3.22', 'Other / Other / curl 8.5')
    return requestAt(new Date(created).toISOString(), {
      serviceId,
      resources: [{ type: 'layer', name: pick(...layers) }],
      status: pick(200, 200, 200, 304, 204, 206, 404),
      method: pick('GET', 'GET', 'POST', 'HEAD'),
      errorType: draw() < 0.1 ? 'ServiceException' : null,
      kind: pick('people', 'people', 'robots'),
      userAgentFamily: agent,
      usageClass: pick('tiles', 'maps', 'features', 'downloads', 'metadata', 'imports', 'other'),
      visitor: `${new Date(created).toISOString().slice(0, 10)} ${pick('a', 'b')} ${agent}`,
    })
  })
}

/**
 * Counts by the Code of Practice for Research Data, section 10, without regard to how Terrane stores usage: of actions within 30
 * seconds of the next one only the last counts, and sessions are hours of a visitor's day.
 */
function countByCode(
  requests: readonly RequestEvent[],
  layer: string,
  method: string,
  month: string,
): number[] {
  const some = requests.filter(
    (one) =>
      one.resources[0]?.name === layer &&
      new Date(one.created).toISOString().startsWith(month) &&
      [200, 304].includes(one.status) &&
      ['GET', 'POST'].includes(one.method ?? '') &&
      one.errorType === null &&
      one.kind !== 'robots' &&
      (method === 'Machine') === /curl/.test(one.userAgentFamily ?? ''),
  )
  const count = (classes: string[]): number[] => {
    const actions = some.filter(({ usageClass }) => classes.includes(usageClass ?? ''))
    let total = 0
    const sessions = new Set<string>()
    for (const [visitor, own] of Map.groupBy(actions, (one) => one.visitor)) {
      const times = own.map(({ created }) => created / 1000).sort((a, b) => a - b)
      for (const [at, time] of times.entries()) {
        const next = times[at + 1]
        if (next !== undefined && next - time <= 30) continue
        total += 1
        sessions.add(`${visitor} ${Math.floor(time / 3600)}`)
      }
    }
    return [total, sessions.size]
  }
  return [
    ...count(['tiles', 'maps', 'features', 'downloads', 'metadata']),
    ...count(['features', 'downloads']),
  ]
}

describe('the COUNTER export', () => {
  it('is the Dataset Master Report with what an independent count by the Code gives', async (test) => {
    const env = {
      TERRANE_CONTACT_ORGANISATION: 'City of Example',
      TERRANE_PUBLIC_URL: 'http://maps.example.org',
    }
    const fed = await startFed(test, env)
    await listLayers(
      fed.server,
      layers.map((name) => ({ workspace: 'ws', name: name.slice(3) })),
    )
    const requests = makeRequests(fed.services.app)
    await fed.feed({ events: requests })
    const answer = await fed.call('GET', '/api/report?from=2026-09&to=2026-10&format=counter')
    assert.match(String(answer.headers['content-type']), /^text\/tab-separated-values/)
    const lines = answer.text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split('\t'))
    assert.deepEqual(
      lines.slice(0, 11).map(([label]) => label),
      [
        'Report_Name',
        'Report_ID',
        'Release',
        'Metric_Types',
        'Report_Filters',
        'Report_Attributes',
        'Exceptions',
        'Reporting_Period',
        'Created',
        'Created_By',
        '',
      ],
    )
    const header = Object.fromEntries(lines.slice(0, 10)) as Record<string, string>
    assert.deepEqual(
      [header['Report_Name'], header['Report_ID'], header['Release'], header['Metric_Types']],
      ['Dataset Master Report', 'DSR', 'RD1', metricTypes.join('; ')],
    )
    assert.equal(header['Reporting_Period'], 'begin_date=2026-09-01; end_date=2026-10-31')
    assert.match(header['Exceptions'] ?? '', /^3040: Partial Data Returned .*from 2026-09-30 to 2026-10-31/)
    const columns = lines[11] ?? []
    assert.deepEqual(columns.slice(-3), ['Reporting_Period_Total', 'Sep-2026', 'Oct-2026'])
    const found = lines
      .slice(12)
      .map((cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at]])))
    const expected = layers.flatMap((layer) =>
      ['Regular', 'Machine'].flatMap((method) => {
        const [september = [], october = []] = ['2026-09', '2026-10'].map((month) =>
          countByCode(requests, layer, method, month),
        )
        return metricTypes.flatMap((metric, at) => {
          const [first = 0, second = 0] = [september[at], october[at]]
          return first + second === 0
            ? []
            : [[layer, method, metric, first + second, first, second].map(String)]
        })
      }),
    )
    assert.ok(expected.length > 12)
    assert.deepEqual(
      found.map((one) => [
        one['Other_ID']?.replace('terrane:', ''),
        one['Access_Method'],
        one['Metric_Type'],
        one['Reporting_Period_Total'],
        one['Sep-2026'],
        one['Oct-2026'],
      ]),
      expected,
    )
    assert.equal(found[0]?.['Publisher'], 'City of Example')
    assert.equal(found[0]?.['URI'], 'http://maps.example.org/ogc/collections/ws%3Aroads')
    assert.equal(
      (await fed.call('GET', '/api/report?from=2026-10-05&to=2026-10-31&format=counter')).status,
      400,
    )
  })
})

describe('the INSPIRE export', () => {
  it('has times and answered requests by month, and no availability that was not measured', async (test) => {
    const fed = await startFed(test)
    const at = (time: string, milliseconds: number, errorType: string | null = null) =>
      requestAt(time, {
        serviceId: fed.services.app,
        milliseconds,
        firstByteMilliseconds: milliseconds / 2,
        errorType,
        status: errorType === null ? 200 : 500,
      })
    await fed.feed({
      events: [
        ...Array.from({ length: 19 }, (_, one) => at(`2026-10-05T08:00:${10 + one}Z`, 100 + one)),
        at('2026-10-31T23:59:59Z', 9000, 'HTTP 500'),
        at('2026-11-01T00:00:01Z', 40),
      ],
    })
    const answer = await fed.call('GET', '/api/report?from=2026-10&to=2026-11&format=inspire')
    const [columns = [], ...lines] = answer.text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','))
    const rows = lines.map((cells) => Object.fromEntries(columns.map((name, index) => [name, cells[index]])))
    assert.deepEqual(
      rows.map((row) => [row['month'], row['requests'], row['server_errors'], row['answered_share']]),
      [
        ['2026-10', '20', '1', '0.950000'],
        ['2026-11', '1', '0', '1.000000'],
      ],
    )
    assert.deepEqual(
      [
        rows[0]?.['availability'],
        rows[0]?.['first_byte_p50_ms'],
        rows[0]?.['response_p95_ms'],
        rows[0]?.['complete'],
      ],
      ['', '54.5', '118.0', 'false'],
    )
    assert.match(rows[0]?.['availability_basis'] ?? '', /^not measured/)
    assert.equal(rows[1]?.['complete'], 'false')
  })
})

for (const [database, environment] of Object.entries(databases)) {
  describe(`demand tiles on ${database}`, () => {
    it('show cells with at least three visitors on one day, in tiles and pictures of any zoom', async (test) => {
      const fed = await startFed(test, await environment())
      await listLayers(fed.server, [{ workspace: 'ws', name: 'roads' }])
      const { app } = fed.services
      const look = (cell: number, day: number, visitor: string) =>
        requestAt(`2026-10-0${day}T10:00:00Z`, {
          serviceId: app,
          resources: [{ type: 'layer', name: 'ws:roads' }],
          area: String(cell),
          visitor: `${day} ${visitor}`,
          usageClass: 'maps',
        })
      const [berlin, quiet] = [84 * 256 + 137, 90 * 256 + 140]
      await fed.feed({
        events: [
          ...['a', 'b', 'c', 'c'].map((visitor) => look(berlin, 5, visitor)),
          look(berlin, 6, 'a'),
          // Three visits by at most two people.
          look(quiet, 5, 'a'),
          look(quiet, 5, 'b'),
          look(quiet, 6, 'a'),
        ],
      })
      const tile = (path: string, format = 'mvt', headers = {}) =>
        fed.server.app.inject({
          url: `/monitoring/tiles/demand/ws:roads/${path}.${format}?from=2026-10&to=2026-10`,
          headers: { ...fed.server.admin, ...headers },
        })
      const whole = await tile('8/137/84')
      assert.equal(whole.statusCode, 200)
      assert.match(String(whole.headers['content-type']), /mapbox-vector-tile/)
      assert.match(String(whole.headers['cache-control']), /private/)
      const features = decodeTile((await tile('0/0/0')).rawPayload, 'demand')
      assert.deepEqual(
        features.map(({ id, properties }) => [id, properties]),
        [[berlin, { requests: 5, visits: 4 }]],
      )
      assert.equal((await tile('8/140/90')).statusCode, 204)
      assert.equal((await tile('12/2200/1350')).statusCode, 200)
      assert.equal((await tile('8/256/0')).statusCode, 404)
      const again = await tile('8/137/84', 'mvt', { 'if-none-match': String(whole.headers.etag) })
      assert.equal(again.statusCode, 304)
      const picture = await tile('7/68/42', 'png')
      assert.match(String(picture.headers['content-type']), /image\/png/)
      const pixels = readIndexedPng(picture.rawPayload)
      assert.deepEqual([pixels(200, 60), pixels(60, 60), pixels(200, 200)], [1, 0, 0])
      const missing = await fed.call('GET', '/tiles/demand/ws:none/0/0/0.mvt')
      assert.equal(missing.status, 404)
      assert.equal(
        (await fed.call('GET', '/tiles/demand/ws:roads/0/0/0.mvt', undefined, { authorization: '' })).status,
        401,
      )
    })
  })
}

/** Colour number of a pixel of a PNG of 256 by 256 pixels whose rows have no filter. */
function readIndexedPng(bytes: Buffer): (x: number, y: number) => number | undefined {
  let data = Buffer.alloc(0)
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      data = Buffer.concat([data, bytes.subarray(at + 8, at + 8 + length)])
    at += length + 12
  }
  const rows = inflateSync(data)
  return (x, y) => rows[y * 257 + 1 + x]
}
