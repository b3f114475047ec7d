import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { requestAt, sampleAt, startFed } from '../../support/fed-monitoring.ts'
import { databases } from '../../support/monitoring-client.ts'

const day = '2026-11-19'
const whole = `valid_from=${day}&valid_to=2026-11-20&interval=86400`
const roads = { type: 'layer', name: 'ws:roads' } as const
const sheet = { type: 'map', name: 'sheet' } as const
const report = { type: 'document', name: 'report' } as const
const home = { type: 'url', name: '/home' } as const

interface Row {
  label?: string
  event_type?: string
  id?: number
  resource?: { id: number; type: string; name: string }
  val: string | number
}

interface Period {
  valid_from: string
  valid_to: string
  data: Row[]
}

/** Records six requests of a day that has ended, and one of today. */
async function feedDays(fed: FedMonitoring): Promise<void> {
  const { app, mapserver, hostapp } = fed.services
  const wms = { serviceId: mapserver, eventType: 'OWS:WMS' } as const
  const view = { serviceId: app, eventType: 'view' } as const
  await fed.feed({
    events: [
      requestAt(`${day}T10:00:00Z`, { ...wms, resources: [roads] }),
      requestAt(`${day}T10:30:00Z`, { ...wms, resources: [roads], status: 404, country: 'ITA' }),
      requestAt(`${day}T11:00:00Z`, { ...wms, eventType: 'OWS:WFS', resources: [roads, sheet] }),
      requestAt(`${day}T11:00:00Z`, { ...view, resources: [home] }),
      requestAt(`${day}T12:00:00Z`, { ...view, eventType: 'download', resources: [report], status: 404 }),
      requestAt(`${day}T23:59:59.999Z`, { ...wms, eventType: null, errorType: 'Broken', status: 500 }),
      requestAt('2026-11-21T12:31:00Z', view),
    ],
    samples: [
      sampleAt(`${day}T10:00:10Z`, { serviceId: hostapp, metric: 'network.in', label: 'eth0', value: 5 }),
    ],
  })
}

for (const [name, environment] of Object.entries(databases)) {
  describe(`filters of metric data on ${name}`, () => {
    const closers: (() => unknown)[] = []
    let fed: FedMonitoring
    before(async () => {
      fed = await startFed({ after: (close) => closers.push(close as () => unknown) }, await environment())
      await feedDays(fed)
    })
    after(async () => {
      for (const close of closers) await close()
    })

    async function periods(query: string, metric = 'request.count'): Promise<Period[]> {
      const { status, text } = await fed.call('GET', `/api/metric_data/${metric}/?${query}`)
      assert.equal(status, 200, text)
      return JSON.parse(text).data.data
    }

    async function rows(query: string, metric?: string): Promise<Row[]> {
      const [period, ...others] = await periods(`${whole}&${query}`, metric)
      assert.deepEqual(others, [])
      return period?.data ?? []
    }

    const values = async (query: string, metric?: string) => (await rows(query, metric)).map(({ val }) => val)

    it('give the requests of a resource by the id that the list of resources tells', async () => {
      const { text } = await fed.call('GET', '/api/resources/')
      const listed = JSON.parse(text).resources as { id: number; type: string; name: string }[]
      assert.equal(listed.length, 4)
      for (const resource of listed) {
        const expected = resource.name === roads.name ? '3.0000' : '1.0000'
        assert.deepEqual(await values(`resource=${resource.id}`), [expected], resource.name)
        const [row, ...others] = await rows(`resource=${resource.id}&group_by=resource`)
        assert.deepEqual(others, [])
        assert.deepEqual([row?.id, row?.resource, row?.label], [resource.id, resource, 'count'])
      }
    })

    it('tell layers, maps, documents and addresses from each other by resource_type', async () => {
      for (const [type, sum] of [
        ['layer', '3.0000'],
        ['map', '1.0000'],
        ['document', '1.0000'],
        ['url', '1.0000'],
      ] as const) {
        assert.deepEqual(await values(`resource_type=${type}`), [sum], type)
        const found = await rows(`resource_type=${type}&group_by=resource`)
        assert.deepEqual([...new Set(found.map(({ resource }) => resource?.type))], [type])
      }
      for (const type of ['style', 'admin', 'resource_base', 'other'])
        assert.deepEqual(await values(`resource_type=${type}`), [], type)
    })

    it('give the requests of each event type, all of them by default, each OGC or other', async () => {
      const sums = { all: 6, 'OWS:ALL': 4, other: 2, 'OWS:WMS': 2, 'OWS:WFS': 1, view: 1, download: 1 }
      for (const [type, sum] of Object.entries(sums))
        assert.deepEqual(await values(`event_type=${type}`), [sum.toFixed(4)], type)
      assert.deepEqual(await values(''), ['6.0000'])
      const { text } = await fed.call('GET', '/api/event_types/')
      const types = JSON.parse(text).event_types as { name: string }[]
      assert.equal(types.length, 20)
      for (const { name: type } of types.filter((one) => !Object.hasOwn(sums, one.name)))
        assert.deepEqual(await values(`event_type=${type}`), [], type)
    })

    it('take the label that rows have where nothing splits the metric', async () => {
      assert.deepEqual(await values('label=count'), ['6.0000'])
      assert.deepEqual(await values('label=value'), [])
      assert.deepEqual(await values('label=value', 'response.time'), ['10.0000'])
      assert.deepEqual(await values('label=404', 'response.status'), ['2.0000'])
      assert.deepEqual(await values('label=eth0', 'network.in'), ['5.0000'])
      const { text } = await fed.call('GET', '/api/labels/?metric_name=network.in')
      assert.deepEqual(
        JSON.parse(text).labels.map((one: { name: string }) => one.name),
        ['eth0'],
      )
    })

    it('can be combined, in any order', async () => {
      const one = {
        service: 'localhost-mapserver',
        event_type: 'OWS:WMS',
        resource_type: 'layer',
        label: '404',

        group_by: 'resource',
        valid_from: `${day} 10:00:00`,
        valid_to: `${day} 11:00:00`,
        interval: '3600',
      }
      const all = Object.entries(one)
      for (const pairs of [all, all.toReversed()]) {
        const found = await periods(new URLSearchParams(pairs).toString(), 'response.status')
        assert.deepEqual(
          found.map((period) => [period.valid_from, period.valid_to, period.data.length]),
          [[`${day}T10:00:00.000Z`, `${day}T11:00:00.000Z`, 1]],
        )
        const [row] = found[0]?.data ?? []
        assert.deepEqual([row?.label, row?.val, row?.resource?.name], ['404', '1.0000', roads.name])
      }
      assert.deepEqual(await values('service=localhost-app&event_type=OWS:WMS'), [])
    })

    it('leave a label in every row but those of resource_no_label and label', async () => {
      for (const grouping of ['event_type', 'event_type_on_label']) {
        const found = await rows(`group_by=${grouping}`)
        assert.ok(found.length > 0 && found.every(({ label }) => label === 'count'), grouping)
        const users = await rows(`group_by=${grouping}`, 'response.time')
        assert.ok(users.length > 0 && users.every(({ label }) => label === 'value'), grouping)
        const filtered = await rows(`group_by=${grouping}&label=404`, 'response.status')
        assert.ok(filtered.length > 0 && filtered.every(({ label }) => label === '404'), grouping)
      }
      for (const grouping of ['', 'resource'])
        for (const { label } of await rows(`group_by=${grouping}`)) assert.equal(label, 'count')
      for (const grouping of ['resource_no_label', 'resource_no_labels', 'label']) {
        const found = await rows(`group_by=${grouping}`)
        assert.ok(found.length > 0 && found.every((row) => !('label' in row)), grouping)
      }
    })

    it('give a row for each resource and label by group_by=resource, the largest first', async () => {
      const found = await rows('group_by=resource', 'response.status')
      assert.deepEqual(
        found.map(({ resource, label, val }) => [resource?.type, resource?.name, label, val]),
        [
          ['layer', 'ws:roads', '200', '2.0000'],
          ['url', '/home', '200', '1.0000'],
          ['map', 'sheet', '200', '1.0000'],
          ['document', 'report', '404', '1.0000'],
          ['layer', 'ws:roads', '404', '1.0000'],
        ],
      )
      for (const { id, resource } of found) assert.equal(id, resource?.id)
    })

    it('bound the time: newer than valid_from, older than valid_to', async () => {
      const minutes = async (from: string, to: string) => {
        const found = await periods(`valid_from=${day}T${from}&valid_to=${day}T${to}&interval=60`)
        return found.flatMap(({ valid_from, data }) =>
          data.map(({ val }) => `${valid_from.slice(11, 16)} ${val}`),
        )
      }
      assert.deepEqual(await minutes('10:00', '11:01'), ['10:00 1.0000', '10:30 1.0000', '11:00 2.0000'])
      assert.deepEqual(await minutes('10:01', '11:00'), ['10:30 1.0000'])
      assert.deepEqual(await minutes('23:59', '23:59:59'), ['23:59 1.0000'])
      const next = await periods('valid_from=2026-11-20&valid_to=2026-11-21&interval=86400')
      assert.deepEqual(
        next.map(({ data }) => data),
        [[]],
      )
    })

    it('give periods that end in the future what there is, in order of time', async () => {
      const found = await periods('valid_from=2026-11-21T12:25&valid_to=2026-11-21T12:45&interval=300')
      assert.deepEqual(
        found.map(({ valid_from, valid_to, data }) => [
          `${valid_from.slice(11, 16)}-${valid_to.slice(11, 16)}`,
          data.map(({ val }) => val),
        ]),
        [
          ['12:25-12:30', []],
          ['12:30-12:35', ['1.0000']],
          ['12:35-12:40', []],
          ['12:40-12:45', []],
        ],
      )
    })

    it('count periods from their start where that is asked for, so that a day elsewhere is one', async () => {
      const window = `valid_from=${day}T11:00:00Z&valid_to=2026-11-20T11:00:00Z&interval=86400`
      const elsewhere = await periods(`${window}&align=start`)
      assert.deepEqual(
        elsewhere.map((one) => [one.valid_from, one.valid_to, one.data[0]?.val]),
        [[`${day}T11:00:00.000Z`, '2026-11-20T11:00:00.000Z', '4.0000']],
      )
      assert.equal((await periods(window)).length, 2)
      assert.equal((await fed.call('GET', '/api/metric_data/request.count/?align=noon')).status, 400)
    })

    it('take last with an interval, and without one', async () => {
      const lasts = async (query: string) =>
        (await periods(query)).flatMap(({ valid_from, valid_to, data }) =>
          data.map(({ val }) => `${valid_from.slice(11, 16)}-${valid_to.slice(11, 16)} ${val}`),
        )
      assert.deepEqual(await lasts('last=600'), ['12:31-12:32 1.0000'])
      assert.deepEqual(await lasts('last=600&interval=300'), ['12:29-12:34 1.0000'])
      assert.deepEqual(await lasts('last=120&interval=120'), [])
    })

    it('are taken for every metric of the list, with its type and its unit in the answer', async () => {
      const { text } = await fed.call('GET', '/api/metrics/')
      const groups = JSON.parse(text).metrics as {
        service: string
        metrics: { name: string; type: string; unit: string }[]
      }[]
      for (const { service, metrics } of groups)
        for (const metric of metrics) {
          const path = `/api/metric_data/${metric.name}/?${whole}&service_type=${service}`
          const { data } = JSON.parse((await fed.call('GET', path)).text)
          assert.deepEqual(
            [data.metric, data.type, data.axis_label, data.interval, data.data.length],
            [metric.name, metric.type, metric.unit, 86_400, 1],
          )
        }
    })
  })
}
