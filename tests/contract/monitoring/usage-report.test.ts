import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import type { ReportRow, UsageReport } from '../../../src/monitoring/report/report.ts'
import type { RequestEvent, UsedResource } from '../../../src/monitoring/series/request-event.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import { listLayers } from '../../support/listed-layers.ts'
import type { MonitoringClient } from '../../support/monitoring-client.ts'
import { databases, makeRoles } from '../../support/monitoring-client.ts'
import { recountReport } from '../../support/report-recount.ts'

const zone = 'Europe/Berlin'
const groupings = ['layer', 'workspace', 'owner', 'country', 'program', 'referrer', 'day', 'month'] as const
const figures = ['hits', 'robots', 'named', 'errors', 'bytes'] as const
type Figure = (typeof figures)[number]
const noNames = { key: 'total', href: null, title: null, owner: null }
const exact = ['country', 'program', 'referrer', 'day', 'month']

/** Requests over the end of October 2026, when Berlin's clocks are set back, and a year before. */
function makeRequests(services: readonly number[]): RequestEvent[] {
  const draw = seededRandom(34)
  const pick = <T>(...all: T[]): T => all[Math.floor(draw() * all.length)] as T
  const layers: UsedResource[] = [
    { type: 'layer', name: 'ws:roads', owner: 'Roads office' },
    { type: 'layer', name: 'ws:trees' },
    { type: 'layer', name: 'other:=HYPERLINK("x")', owner: '@home' },
  ]
  const times = [
    [Date.UTC(2025, 8, 30), 40 * 86_400],
    [Date.UTC(2026, 8, 20), 45 * 86_400],
    [Date.UTC(2026, 9, 24, 20), 30 * 3600],
  ] as const
  return times.flatMap(([from, seconds]) =>
    Array.from({ length: 90 }, () => {
      // Few minutes, each with several requests.
      const created =
        from + Math.floor(draw() * 12) * Math.floor(seconds / 12) * 1000 + Math.floor(draw() * 60) * 1000
      const ip = Math.floor(draw() * 12)
      const program = pick(
        null,
        'PC / Windows / QGIS 3.22',
        'Other / Other / curl 8.5',
        'PC / Ubuntu / Firefox 140.0',
      )
      return requestAt(new Date(created).toISOString(), {
        serviceId: pick(...services),
        resources: layers.filter(() => draw() < 0.5),
        status: pick(200, 200, 200, 304, 404, 500),
        errorType: draw() < 0.1 ? 'HTTP 500' : null,
        method: pick('GET', 'GET', 'POST', 'HEAD'),
        sizeBytes: Math.floor(draw() * 1e5),
        milliseconds: Math.floor(draw() * 4000) / 10,
        kind: pick('robots', 'people', 'people', null),
        network: pick('own', 'others', null),
        country: pick(null, 'DEU', 'AUT', 'CHE'),
        userAgentFamily: program,
        referrer: pick(null, 'a.example', 'b.example'),
        usageClass: pick('tiles', 'maps', 'features', 'downloads', 'metadata', 'imports', 'other'),
        userName: pick('AnonymousUser', 'anna'),
        visitor: `${new Date(created + 7200_000).toISOString().slice(0, 10)} ${ip} ${program}`,
      })
    }),
  )
}

async function reportOf({ call }: MonitoringClient, query: string): Promise<UsageReport> {
  const answer = await call('GET', `/api/report?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return (JSON.parse(answer.text) as { report: UsageReport }).report
}

for (const [database, environment] of Object.entries(databases)) {
  describe(`the usage report on ${database}`, () => {
    it('has the numbers of a plain recount in every grouping, over a change of clocks, with late requests and after a restart', async (test) => {
      const fed = await startFed(
        test,
        { ...(await environment()), TERRANE_ZONE: zone },
        '2026-11-21T12:00:00Z',
      )
      const requests = makeRequests([fed.services.app, fed.services.mapserver])
      const late = requests.filter((_, at) => at % 4 === 0)
      const limits = { labels: 100, visitors: 10_000, resources: 500, zone }
      // Each feed starts a writer of its own, as a restart does; days of September are closed by then.
      await fed.feed({ events: requests.filter((_, at) => at % 4 !== 0) }, limits)
      await fed.feed({ events: late }, limits)
      for (const by of groupings)
        for (const [from, to] of [
          ['2026-10', '2026-10'],
          ['2026-10-25', '2026-10-25'],
          ['2025-09', '2026-11'],
        ] as const) {
          const report = await reportOf(fed, `from=${from}&to=${to}&by=${by}&zone=${zone}`)
          const expected = recountReport(requests, { from, to, by, zone })
          assert.deepEqual(report.rows.map(withoutNames), expected.rows, `${by} ${from}`)
          assert.deepEqual(withoutNames({ ...noNames, ...totalOf(report) }), expected.total, `${by} ${from}`)
          assert.equal(report.sumsToTotal, exact.includes(by))
          if (!exact.includes(by)) continue
          for (const figure of figures)
            assert.equal(sumOf(report.rows, figure), totalOf(report)[figure], `${figure} by ${by}`)
        }
      const compared = await reportOf(fed, `from=2026-10&to=2026-10&by=country&compare=year&zone=${zone}`)
      const before = recountReport(requests, { from: '2025-10', to: '2025-10', by: 'country', zone })
      assert.deepEqual(compared.before, { from: '2025-10', to: '2025-10' })
      assert.equal(totalOf(compared).before?.hits, before.total.hits)
      assert.equal(
        compared.rows.reduce((sum, one) => sum + (one.before?.hits ?? 0), 0),
        before.total.hits,
      )
      const previous = await reportOf(fed, `from=2026-10&to=2026-10&by=month&compare=previous&zone=${zone}`)
      const september = recountReport(requests, { from: '2026-09', to: '2026-09', by: 'month', zone })
      assert.equal(previous.rows[0]?.before?.downloads, september.total.events.downloads)
    })

    it('names what was not counted, and layers without use', async (test) => {
      const fed = await startFed(
        test,
        { ...(await environment()), TERRANE_ZONE: zone },
        '2026-11-21T12:00:00Z',
      )
      await listLayers(fed.server, [
        { workspace: 'ws', name: 'roads' },
        { workspace: 'ws', name: 'idle' },
      ])
      const limits = { labels: 100, visitors: 10_000, resources: 500, zone }
      const roads = { resources: [{ type: 'layer' as const, name: 'ws:roads' }] }
      const idle = { resources: [{ type: 'layer' as const, name: 'ws:idle' }] }
      const { app } = fed.services
      await fed.feed(
        {
          events: [
            requestAt('2026-10-10T10:00:00Z', { serviceId: app, ...roads }),
            requestAt('2026-10-15T10:00:00Z', { serviceId: app, ...idle }),
            requestAt('2026-11-05T10:00:00Z', { serviceId: app, ...roads }),
          ],
        },
        limits,
      )
      const report = await reportOf(fed, 'from=2026-11-01&to=2026-11-20&compare=previous')
      assert.deepEqual([report.complete, report.since, report.zone], [true, '2026-10-10', zone])
      assert.deepEqual(
        report.rows.map((one) => [one.key, one.hits, one.before?.hits]),
        [
          ['ws:roads', 1, 0],
          ['ws:idle', 0, 1],
        ],
      )
      assert.deepEqual(
        report.unused.map((one) => [one.key, one.lastUse]),
        [['ws:idle', '2026-10-15T10:00:00.000Z']],
      )
      const early = await reportOf(fed, 'from=2026-10&to=2026-10&compare=previous')
      assert.equal(early.complete, false)
      assert.equal(totalOf(early).before, null)
      assert.deepEqual(
        early.notKnown.map((one) => [one.figure, one.since]),
        [
          ['all', '2026-10-10'],
          ['before', '2026-10-10'],
        ],
      )
      const none = await reportOf(fed, 'from=2026-08&to=2026-08')
      assert.deepEqual([none.rows, totalOf(none).hits, totalOf(none).people.visits], [[], null, null])
      assert.equal(none.notKnown[0]?.since, '2026-10-10')
      const utc = await reportOf(fed, 'from=2026-10&to=2026-10&zone=UTC')
      assert.deepEqual([utc.since, totalOf(utc).hits], [null, null])
      for (const query of [
        'zone=Europe/Paris',
        'by=moon',
        'from=2026-13',
        'from=2026-11&to=2026-10',
        'compare=later',
      ])
        assert.equal((await fed.call('GET', `/api/report?${query}`)).status, 400, query)
      const roles = await makeRoles(fed.server)
      assert.equal((await fed.call('GET', '/api/report', undefined, roles.anonymous)).status, 401)
      assert.equal((await fed.call('GET', '/api/report', undefined, roles.user)).status, 200)
    })
  })
}

describe('formats of the usage report', () => {
  it('are CSV that no spreadsheet runs, and a page for print with the total once', async (test) => {
    const fed = await startFed(test, {}, '2026-11-21T12:00:00Z')
    await fed.feed({ events: makeRequests([fed.services.app]) })
    const csv = await fed.call('GET', '/api/report?from=2026-10&to=2026-10&format=csv')
    assert.match(String(csv.headers['content-type']), /^text\/csv/)
    assert.match(String(csv.headers['content-disposition']), /usage-2026-10-01-2026-10-31\.csv/)
    const lines = csv.text.trimEnd().split('\r\n')
    assert.equal(lines.length, 5)
    for (const cell of lines.flatMap((line) => line.split(','))) assert.doesNotMatch(cell, /^"?[=+@]/)
    assert.match(lines.at(-1) ?? '', /^total,One request can count in several rows/)
    const owners = await fed.call('GET', '/api/report?from=2026-10&to=2026-10&format=csv&by=owner')
    assert.match(owners.text, /\r\n'@home,/)
    const html = await fed.call(
      'GET',
      '/api/report?from=2026-10&to=2026-10&format=html&language=de&compare=year',
    )
    assert.match(html.text, /<html lang="de">/)
    assert.match(html.text, /Ein Zugriff kann in mehreren Zeilen zählen/)
    assert.equal(html.text.match(/<tfoot>/g)?.length, 1)
    assert.doesNotMatch(html.text, /HYPERLINK\("/)
    assert.match(String(html.headers['content-security-policy']), /style-src 'sha256-/)
  })
})

function totalOf({ total }: UsageReport): NonNullable<UsageReport['total']> {
  assert.ok(total)
  return total
}

function sumOf(rows: readonly ReportRow[], figure: Figure): number {
  return rows.reduce((sum, row) => sum + Number(row[figure]), 0)
}

/** Numbers of a row; times of more than 100 requests of a day are approximate and compared elsewhere. */
function withoutNames({ href: _href, title: _title, owner: _owner, before: _before, ...row }: ReportRow) {
  return row
}
