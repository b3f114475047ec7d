import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { RequestEventType } from '../../../src/monitoring/model/event-types.ts'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { requestAt, sampleAt, startFed } from '../../support/fed-monitoring.ts'
import { databases } from '../../support/monitoring-client.ts'

const day = '2026-11-19'
const alice = 'a'.repeat(64)
const bob = 'b'.repeat(64)
const somebody = 'c'.repeat(64)
const roads = { type: 'layer', name: 'ws:roads' } as const
const rivers = { type: 'layer', name: 'ws:rivers' } as const
const report = { type: 'document', name: 'Bericht "1"' } as const

/** Records five requests: two minutes, two services, two resources in one of them. */
async function feedFive(fed: FedMonitoring): Promise<void> {
  const { app, mapserver } = fed.services
  const wms: RequestEventType = 'OWS:WMS'
  await fed.feed({
    events: [
      requestAt(`${day}T12:00:00.000Z`, {
        serviceId: mapserver,
        eventType: wms,
        resources: [roads],
        milliseconds: 10,
        visitor: alice,
        userName: 'alice',
        userAgent: 'QGIS',
      }),
      requestAt(`${day}T12:00:59.999Z`, {
        serviceId: mapserver,
        eventType: wms,
        resources: [roads, rivers],
        milliseconds: 30,
        visitor: bob,
        userName: 'AnonymousUser',
        userAgent: 'QGIS',
      }),
      requestAt(`${day}T12:00:30.000Z`, {
        serviceId: app,
        eventType: 'view',
        status: 404,
        milliseconds: 20,
        visitor: alice,
        userName: 'alice',
        userAgent: 'Firefox',
      }),
      requestAt(`${day}T12:01:00.000Z`, {
        serviceId: app,
        eventType: 'download',
        resources: [report],
        milliseconds: 40,
        visitor: somebody,
        userName: 'AnonymousUser',
        userAgent: 'Firefox',
      }),
      requestAt(`${day}T12:01:10.000Z`, {
        serviceId: mapserver,
        eventType: null,
        status: 500,
        errorType: 'IOError',
        milliseconds: null,
      }),
    ],
  })
}

type Row = Record<string, unknown>

/** Returns the rows of the only period, 12:00-12:05. */
async function rowsOf(fed: FedMonitoring, metric: string, query = ''): Promise<Row[]> {
  const periods = await periodsOf(
    fed,
    metric,
    `interval=300&valid_from=${day}T12:00&valid_to=${day}T12:05&${query}`,
  )
  assert.equal(periods.length, 1)
  return periods[0]?.data ?? []
}

async function periodsOf(
  fed: FedMonitoring,
  metric: string,
  query: string,
): Promise<{ valid_from: string; valid_to: string; data: Row[] }[]> {
  const { status, text } = await fed.call('GET', `/api/metric_data/${metric}/?${query}`)
  assert.equal(status, 200, text)
  return JSON.parse(text).data.data
}

/** A row's amounts. */
function amounts(
  val: unknown,
  min: number,
  max: number,
  sum: number,
  [samples, count]: [number, number],
): Row {
  const decimal = (value: number): string => value.toFixed(4)
  return {
    val: typeof val === 'number' ? val : String(val),
    min: decimal(min),
    max: decimal(max),
    sum: decimal(sum),
    samples_count: samples,
    metric_count: count,
  }
}

for (const [name, environment] of Object.entries(databases)) {
  describe(`metric data on ${name}`, () => {
    const closers: (() => unknown)[] = []
    let fed: FedMonitoring
    before(async () => {
      fed = await startFed({ after: (close) => closers.push(close as () => unknown) }, await environment())
      await feedFive(fed)
    })
    after(async () => {
      for (const close of closers) await close()
    })

    it('counts each request once, whatever resources it used, in every grouping', async () => {
      const found = await fed.call('GET', '/api/resources/')
      const idOf = (expected: string): number => {
        const resources = JSON.parse(found.text).resources as { id: number; name: string }[]
        return resources.find((one) => one.name === expected)?.id ?? 0
      }
      const used = (resource: { type: string; name: string }): Row => {
        const id = idOf(resource.name)
        return { id, resource: { id, ...resource } }
      }

      assert.deepEqual(await rowsOf(fed, 'request.count'), [
        { label: 'count', ...amounts('5.0000', 1, 2, 5, [5, 4]) },
      ])
      assert.deepEqual(await rowsOf(fed, 'request.count', 'group_by=resource'), [
        { ...used(roads), label: 'count', ...amounts('2.0000', 2, 2, 2, [2, 1]) },
        { ...used(report), label: 'count', ...amounts('1.0000', 1, 1, 1, [1, 1]) },
        { ...used(rivers), label: 'count', ...amounts('1.0000', 1, 1, 1, [1, 1]) },
      ])
      for (const word of ['resource_no_label', 'resource_no_labels', 'resource_on_label']) {
        assert.deepEqual(await rowsOf(fed, 'request.users', `group_by=${word}`), [
          { ...used(roads), ...amounts(2, 1, 1, 2, [2, 2]) },
          { ...used(report), ...amounts(1, 1, 1, 1, [1, 1]) },
          { ...used(rivers), ...amounts(1, 1, 1, 1, [1, 1]) },
        ])
        assert.deepEqual((await rowsOf(fed, 'request.count', `group_by=${word}`))[0], {
          ...used(roads),
          ...amounts('2.0000', 2, 2, 2, [2, 1]),
        })
      }
      assert.deepEqual(await rowsOf(fed, 'request.users', 'group_by=label'), [amounts(3, 1, 1, 5, [5, 5])])
      assert.deepEqual(await rowsOf(fed, 'request.users', 'group_by=user'), [amounts(2, 1, 1, 4, [4, 4])])
      assert.deepEqual(await rowsOf(fed, 'request.users', 'group_by=user_on_label'), [
        { user: 'AnonymousUser', ...amounts(2, 1, 1, 2, [2, 2]) },
        { user: 'alice', ...amounts(1, 1, 1, 2, [2, 2]) },
      ])
      assert.deepEqual(await rowsOf(fed, 'request.users', 'group_by=resource_on_user'), [
        { ...used(roads), ...amounts(2, 1, 1, 2, [2, 2]) },
        { ...used(report), ...amounts(1, 1, 1, 1, [1, 1]) },
        { ...used(rivers), ...amounts(1, 1, 1, 1, [1, 1]) },
      ])
      assert.deepEqual(await rowsOf(fed, 'request.count', 'group_by=count_on_resource'), [
        amounts(3, 1, 2, 4, [4, 3]),
      ])
      assert.deepEqual(await rowsOf(fed, 'request.count', 'group_by=event_type'), [
        { event_type: 'all', label: 'count', ...amounts('5.0000', 1, 2, 5, [5, 4]) },
        { event_type: 'OWS:ALL', label: 'count', ...amounts('3.0000', 1, 2, 3, [3, 2]) },
        { event_type: 'OWS:WMS', label: 'count', ...amounts('2.0000', 2, 2, 2, [2, 1]) },
        { event_type: 'other', label: 'count', ...amounts('2.0000', 1, 1, 2, [2, 2]) },
        { event_type: 'view', label: 'count', ...amounts('1.0000', 1, 1, 1, [1, 1]) },
        { event_type: 'download', label: 'count', ...amounts('1.0000', 1, 1, 1, [1, 1]) },
      ])
      assert.deepEqual(
        (await rowsOf(fed, 'request.users', 'group_by=event_type_on_label')).map((row) => [
          row.event_type,
          row.val,
        ]),
        [
          ['all', 3],
          ['OWS:WMS', 2],
          ['other', 2],
          ['OWS:ALL', 2],
          ['view', 1],
          ['download', 1],
        ],
      )
      assert.deepEqual(
        (await rowsOf(fed, 'request.users', 'group_by=event_type_on_user')).map((row) => [
          row.event_type,
          row.val,
        ]),
        [
          ['OWS:WMS', 2],
          ['other', 2],
          ['OWS:ALL', 2],
          ['all', 2],
          ['view', 1],
          ['download', 1],
        ],
      )
    })

    it('splits by label, largest first, and tells the user of a visitor', async () => {
      assert.deepEqual(await rowsOf(fed, 'response.status'), [
        { label: '200', ...amounts('3.0000', 1, 2, 3, [3, 2]) },
        { label: '404', ...amounts('1.0000', 1, 1, 1, [1, 1]) },
        { label: '500', ...amounts('1.0000', 1, 1, 1, [1, 1]) },
      ])
      assert.deepEqual(await rowsOf(fed, 'request.users', 'service=localhost-mapserver'), [
        { label: '(none)', user: null, ...amounts('1.0000', 1, 1, 1, [1, 1]) },
        { label: alice, user: 'alice', ...amounts('1.0000', 1, 1, 1, [1, 1]) },
        { label: bob, user: 'AnonymousUser', ...amounts('1.0000', 1, 1, 1, [1, 1]) },
      ])
      assert.deepEqual(await rowsOf(fed, 'request'), [])
    })

    it('gives means weighted by samples, and quantiles of response times', async () => {
      const [row] = await rowsOf(fed, 'response.time')
      const { p50, p95, p99, ...rest } = row ?? {}
      assert.deepEqual(rest, { label: 'value', ...amounts('25.0000', 20, 40, 80, [4, 3]) })
      for (const [text, value] of [
        [p50, 20],
        [p95, 40],
        [p99, 40],
      ] as const)
        assert.ok(Math.abs(Number(text) / value - 1) <= 0.0101, `${text} is not ${value}`)
      assert.match(String(p50), /^\d+\.\d{4}$/)
      const [size] = await rowsOf(fed, 'response.size')
      assert.deepEqual(size, { label: 'value', ...amounts('100.0000', 100, 100, 400, [5, 4]) })
    })

    it('filters by label, user, resource, resource type, service, service type and event type', async () => {
      const value = async (metric: string, query: string): Promise<unknown> =>
        (await rowsOf(fed, metric, query)).map((row) => row.val)
      assert.deepEqual(await value('response.status', 'label=200'), ['3.0000'])
      assert.deepEqual(await value('response.status', 'label=200&group_by=label'), [1])
      assert.deepEqual(await value('response.status', 'label=nothing'), [])
      assert.deepEqual(await value('request.users', 'user=alice'), ['2.0000'])
      assert.deepEqual(await value('request.users', 'user=alice&group_by=event_type'), [
        '2.0000',
        '1.0000',
        '1.0000',
        '1.0000',
        '1.0000',
      ])
      assert.deepEqual(await value('request.users', 'group_by=label&user=AnonymousUser'), [2])
      assert.deepEqual(await value('request.users', `user=${encodeURIComponent("x' or ''='")}`), [])
      assert.deepEqual(await value('request.count', 'resource=layer%3Dws:roads'), ['2.0000'])
      assert.deepEqual(await value('request.count', 'resource_type=layer'), ['2.0000'])
      assert.deepEqual(await value('request.count', 'resource_type=layer&group_by=resource'), [
        '2.0000',
        '1.0000',
      ])
      assert.deepEqual(await value('request.count', 'resource=layer=ws:rivers&group_by=resource'), ['1.0000'])
      assert.deepEqual(await value('request.count', 'service=localhost-app'), ['2.0000'])
      assert.deepEqual(await value('request.count', 'service_type=mapserver'), ['3.0000'])
      assert.deepEqual(await value('request.count', 'event_type=OWS:ALL&service_type=mapserver'), ['3.0000'])
      assert.deepEqual(await value('response.error.types', 'event_type=all'), ['1.0000'])
      assert.deepEqual(await value('request.count', 'event_type=view&group_by=event_type'), ['1.0000'])
    })

    it('puts rows into the period that holds their start, on one grid', async () => {
      const window = `valid_from=${day}T12:00:30&valid_to=${day}T12:01:30`
      const periods = await periodsOf(fed, 'request.count', `${window}&interval=60`)
      assert.deepEqual(
        periods.map((one) => [one.valid_from, one.valid_to, one.data[0]?.val]),
        [
          [`${day}T12:00:00.000Z`, `${day}T12:01:00.000Z`, '3.0000'],
          [`${day}T12:01:00.000Z`, `${day}T12:02:00.000Z`, '2.0000'],
        ],
      )
      const days = await periodsOf(
        fed,
        'request.users',
        'valid_from=2026-11-18&valid_to=2026-11-21&interval=86400&group_by=label',
      )
      assert.deepEqual(
        days.map((one) => one.data.map((row) => row.val)),
        [[], [3], []],
      )
    })

    it('counts labels beyond the cap as far as they can be told apart', async (test) => {
      const fed = await startFed(test, await environment())
      const { mapserver } = fed.services
      const minute = (at: string, from: number, count: number) =>
        Array.from({ length: count }, (_, index) =>
          requestAt(`${day}T${at}:00Z`, {
            serviceId: mapserver,
            path: `/${from + index}`,
            visitor: `${from + index}`.padStart(64, '0'),
            userName: `user${(from + index) % 40}`,
          }),
        )
      const events = [...minute('12:00', 0, 30), ...minute('12:01', 20, 30), ...minute('13:00', 0, 3)]
      await fed.feed({ events }, { labels: 7, visitors: 5, resources: 100 })
      const rows = await rowsOf(fed, 'request.path')
      assert.equal(rows[0]?.label, '(other)')
      assert.deepEqual(rows[0], { label: '(other)', ...amounts('46.0000', 23, 23, 46, [46, 2]) })
      assert.equal(rows.length, 15)
      assert.deepEqual(await rowsOf(fed, 'request.path', 'group_by=label'), [
        amounts(50, 1, 23, 60, [60, 16]),
      ])
      assert.deepEqual(await rowsOf(fed, 'request.users', 'group_by=user'), [
        amounts(40, 1, 25, 60, [60, 12]),
      ])
      const query = `valid_from=${day}&valid_to=2026-11-20&interval=86400`
      for (const grouping of ['label', 'event_type_on_label']) {
        const [one] = await periodsOf(fed, 'request.path', `${query}&group_by=${grouping}`)
        assert.equal(one?.data[0]?.val, 50)
      }
      const [minutes] = await periodsOf(
        fed,
        'request.path',
        `valid_from=${day}T12:01&interval=60&valid_to=${day}T12:02&group_by=label`,
      )
      assert.equal(minutes?.data[0]?.val, 30)
    })

    it('ignores event types where hosts are measured', async (test) => {
      const fed = await startFed(test, await environment())
      const { hostapp: serviceId } = fed.services
      const samples = ['/', '/data'].flatMap((label, index) => [
        sampleAt(`${day}T12:00:10Z`, { serviceId, metric: 'storage.used', label, value: 10 + index }),
        sampleAt(`${day}T12:01:10Z`, { serviceId, metric: 'storage.used', label, value: 20 + index }),
      ])
      await fed.feed({ samples })
      const expected = [
        { label: '/data', ...amounts('16.0000', 11, 21, 32, [2, 2]) },
        { label: '/', ...amounts('15.0000', 10, 20, 30, [2, 2]) },
      ]
      assert.deepEqual(await rowsOf(fed, 'storage.used'), expected)
      assert.deepEqual(await rowsOf(fed, 'storage.used', 'event_type=OWS:WMS'), expected)
      assert.deepEqual(await rowsOf(fed, 'storage.used', 'group_by=label'), [amounts(2, 10, 21, 62, [4, 4])])
    })
  })
}
