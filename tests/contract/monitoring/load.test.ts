import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openSeriesDatabase } from '../../../src/monitoring/series/open-series-database.ts'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { placeOf, requestAt, startFed } from '../../support/fed-monitoring.ts'
import { databases } from '../../support/monitoring-client.ts'
import { countValue, dumpObjects, dumpOf, dumpText, loadDump } from '../../support/older-dump.ts'

const day = '2021-07-01'
const minutes = `valid_from=${day}T10:00&valid_to=${day}T10:04&interval=60`
const alice = 'a'.repeat(64)
const bob = 'b'.repeat(64)

interface Row {
  label?: string
  user?: string
  event_type?: string
  resource?: { name: string; type: string }
  val: string | number
  samples_count: number
}

/** Returns the metric values as lines such as `10:00 count 18.0000 of 18`. */
async function reported(fed: FedMonitoring, query: string): Promise<string[]> {
  const { status, text } = await fed.call('GET', `/api/metric_data/${query}`)
  assert.equal(status, 200, text)
  const periods: { valid_from: string; data: Row[] }[] = JSON.parse(text).data.data
  return periods.flatMap(({ valid_from: from, data }) =>
    data.map(({ label, user, event_type: event, resource, val, samples_count: samples }) => {
      const split = [event, resource && `${resource.type}=${resource.name}`, user, label]
      return [from.slice(11, 16), ...split.filter((one) => one !== undefined), val, 'of', samples].join(' ')
    }),
  )
}

const everything: Record<string, string[]> = {
  [`request.count/?${minutes}`]: ['10:00 count 18.0000 of 18', '10:01 count 5.0000 of 5'],
  [`request.count/?${minutes}&service=default-geoserver`]: ['10:00 count 8.0000 of 8'],
  [`request.count/?${minutes}&event_type=view`]: ['10:00 count 7.0000 of 7'],
  [`request.count/?${minutes}&group_by=event_type`]: [
    '10:00 all count 18.0000 of 18',
    '10:00 other count 10.0000 of 10',
    '10:00 OWS:WMS count 8.0000 of 8',
    '10:00 OWS:ALL count 8.0000 of 8',
    '10:00 view count 7.0000 of 7',
    '10:00 download count 3.0000 of 3',
    '10:01 all count 5.0000 of 5',
  ],
  [`request.count/?${minutes}&group_by=resource`]: [
    '10:00 layer=geonode:roads count 10.0000 of 10',
    '10:00 layer=geonode:rivers count 7.0000 of 7',
    '10:00 map=Atlas count 1.0000 of 1',
  ],
  // Eleven uses of layers by eight requests, and six by ten: no more than there were requests.
  [`request.count/?${minutes}&resource_type=layer`]: ['10:00 count 14.0000 of 14'],
  [`response.time/?${minutes}`]: ['10:00 value 120.0000 of 10', '10:01 value 60.0000 of 5'],
  [`response.time/?${minutes.replace('interval=60', 'interval=240')}`]: ['10:00 value 100.0000 of 15'],
  [`response.size/?${minutes}`]: ['10:00 value 2048.5000 of 10'],
  [`request.ip/?${minutes}`]: ['10:00 198.51.100.0 9.0000 of 9', '10:00 2001:db8:1:: 1.0000 of 1'],
  [`request.path/?${minutes}`]: ['10:00 /layers/geonode:roads 9.0000 of 9', '10:00 / 1.0000 of 1'],
  [`request.users/?${minutes}`]: [
    `10:00 jane ${alice} 6.0000 of 6`,
    `10:00 AnonymousUser ${bob} 4.0000 of 4`,
  ],
  [`request.users/?${minutes}&group_by=label`]: ['10:00 2 of 10'],
  [`request.users/?${minutes}&group_by=user`]: ['10:00 2 of 10'],
  [`request.country/?${minutes}`]: ['10:00 ITA 10.0000 of 10'],
  [`response.error.count/?${minutes}`]: ['10:00 count 1.0000 of 10'],
  [`uptime/?${minutes}`]: ['1000', '1060', '1120', '40'].map((s, n) => `10:0${n} value ${s}.0000 of 1`),
  [`mem.free/?${minutes}`]: ['5', '4', '3', '6'].map((gb, n) => `10:0${n} value ${gb}000000000.0000 of 1`),
  [`load.1m/?${minutes}`]: ['10:00 value 0.5000 of 1'],
  // Readings of a counter become what passed between two of them.
  [`network.in/?${minutes}`]: ['10:01 eth0 500000.0000 of 1', '10:02 eth0 100000.0000 of 1'],
  [`request.count/?valid_from=2021-06-30&valid_to=${day}T23:59&interval=86400`]: [
    '00:00 count 12000.0000 of 12000',
    '00:00 count 623.0000 of 623',
  ],
  [`request.count/?valid_from=${day}&valid_to=${day}T23:59&interval=3600`]: [
    '09:00 count 600.0000 of 600',
    '10:00 count 23.0000 of 23',
  ],
}

async function tellEverything(fed: FedMonitoring): Promise<Record<string, string[]>> {
  const answers: Record<string, string[]> = {}
  for (const query of Object.keys(everything)) answers[query] = await reported(fed, query)
  return answers
}

/** Simulates a server that has run for years: for that time it stores only days. */
async function forgetFiner(fed: FedMonitoring): Promise<void> {
  const database = await openSeriesDatabase(placeOf(fed.server))
  const now = fed.clock.now().getTime() / 1000
  for (const name of ['hours_rolled_before', 'days_rolled_before', 'minutes_kept_from', 'hours_kept_from'])
    await database.run(
      `insert into monitoring_state (name, value) values (?, ?) on conflict (name) do update set value = excluded.value`,
      [name, Math.floor(now / 86_400) * 86_400],
    )
  await database.close()
}

const firstMinute = `request.count/?valid_from=${day}T10:00&valid_to=${day}T10:01&interval=60`
const wholeDay = `request.count/?valid_from=${day}&valid_to=${day}T23:59&interval=86400`

for (const [name, makeDatabase] of Object.entries(databases)) {
  describe(`the dump of an older system on ${name}`, () => {
    it('is told by metric_data as it was counted, each value in the period it stands for', async (t) => {
      const fed = await startFed(t, await makeDatabase())
      assert.deepEqual(await reported(fed, wholeDay), [])
      const { status, text, repeated, model } = await loadDump(fed, dumpText)
      assert.equal(status, 200, text)
      assert.equal(repeated, false)
      assert.deepEqual(await tellEverything(fed), everything)
      await forgetFiner(fed)
      assert.deepEqual(await tellEverything(fed), everything)
      const resolutionOf = async (query: string) =>
        JSON.parse((await fed.call('GET', `/api/metric_data/${query}`)).text).data.resolution
      assert.equal(await resolutionOf(`request.count/?${minutes}`), undefined, 'minutes were loaded')
      assert.equal(await resolutionOf(`request.count/?valid_from=${day}T09:00&valid_to=${day}T10:00`), 3600)
      assert.deepEqual(model('metricvalue'), {
        read: 53,
        loaded: 42,
        skipped: {
          'a later row with the same key replaces it': 1,
          'a mean that the older system had aggregated without weights': 1,
          'a second row of all requests': 1,
          'it counts nothing': 4,
          'the counter began anew': 1,
          'the first reading of a counter': 1,
          'there is no metric request.referer here': 1,
          'valid_from is not a time': 1,
        },
      })
      assert.deepEqual(model('metricnotificationcheck').skipped, { 'it has no threshold': 1 })
      assert.deepEqual(model('notificationreceiver').skipped, { 'its user is not in the dump': 1 })
    })

    it('changes nothing when it is loaded again, however it is written', async (t) => {
      const fed = await startFed(t, await makeDatabase())
      await loadDump(fed, dumpText)
      const listed = async (list: string): Promise<unknown> => {
        const { json } = await fed.call('GET', `/api/${list}/`)
        return JSON.stringify(json, (key, value) => (key === 'last_check' ? undefined : value))
      }
      const lists = ['exceptions', 'hosts', 'services', 'resources', 'labels']
      const state = async (): Promise<unknown> => [
        await tellEverything(fed),
        ...(await Promise.all(lists.map(listed))),
      ]
      const before = await state()
      assert.equal((await loadDump(fed, dumpText)).repeated, true)
      assert.deepEqual(await state(), before)
      const [values, others] = [true, false].map((isValue) =>
        dumpObjects().filter(({ model }) => model.endsWith('value') === isValue),
      )
      const again = await loadDump(fed, JSON.stringify([...(values ?? []), ...(others ?? [])], null, 4))
      assert.equal(again.repeated, false)
      assert.deepEqual(again.model('notificationcheck').skipped, { 'a check of that name is there': 1 })
      assert.deepEqual(await state(), before)
    })

    it('gives way to a newer one about the same time, and stays where that tells nothing', async (t) => {
      const fed = await startFed(t, await makeDatabase())
      const at = (minute: string) => ({
        valid_from: `${day}T10:${minute}:00Z`,
        valid_to: `${day}T10:${minute}:59Z`,
      })
      const paths = [6, 8].map((label, index) => countValue(10 + index, 4, { service_metric: 51, label }))
      await loadDump(fed, dumpOf([countValue(1, 10), countValue(2, 20, at('01')), ...paths]))
      const newer = [
        countValue(7, 11),
        countValue(8, 30, at('02')),
        countValue(12, 5, { service_metric: 51, label: 8 }),
      ]
      assert.equal((await loadDump(fed, dumpOf(newer))).model('metricvalue').loaded, 3)
      const query = `request.count/?${minutes}`
      const rows = ['10:00 count 11.0000 of 11', '10:01 count 20.0000 of 20', '10:02 count 30.0000 of 30']
      assert.deepEqual(await reported(fed, query), rows)
      const [labels, number] = [`request.path/?${minutes}`, `request.path/?${minutes}&group_by=label`]
      assert.deepEqual(await reported(fed, labels), [
        '10:00 / 5.0000 of 5',
        '10:00 /layers/geonode:roads 4.0000 of 4',
      ])
      assert.deepEqual(await reported(fed, number), ['10:00 2 of 9'])

      const hour = { valid_from: `${day}T10:00:00Z`, valid_to: `${day}T11:00:00Z` }
      await loadDump(fed, dumpOf([countValue(9, 64, hour)]))
      assert.deepEqual(await reported(fed, wholeDay), ['00:00 count 64.0000 of 64'])
    })

    it('leaves alone what this server has counted of the same service', async (t) => {
      const kept = { TERRANE_KEEP_MINUTES: '0', TERRANE_KEEP_HOURS: '0', TERRANE_KEEP_DAYS: '0' }
      const fed = await startFed(t, { ...kept, ...(await makeDatabase()) })
      const service = { name: 'maps.example.org-geonode', type: 'app', host: 'localhost' }
      const made = await fed.call('POST', '/api/services/', service)
      const { id: serviceId } = (made.json as unknown as { data: { id: number } }).data
      await fed.feed({ events: [requestAt(`${day}T10:01:30Z`, { serviceId })] })
      assert.deepEqual(await reported(fed, `request.count/?${minutes}`), ['10:01 count 1.0000 of 1'])
      const { model } = await loadDump(fed, dumpText)
      const reason = 'this server has counted the service itself at that time'
      assert.equal(model('metricvalue').skipped[reason], 3)
      assert.deepEqual(await reported(fed, `request.count/?${minutes}&service=${service.name}`), [
        '10:00 count 10.0000 of 10',
        '10:01 count 1.0000 of 1',
      ])
      await fed.feed({ events: [requestAt(`${day}T10:01:40Z`, { serviceId })] })
      assert.deepEqual(await reported(fed, firstMinute.replaceAll(/10:0(\d)/g, '10:01')), [
        '10:01 count 2.0000 of 2',
      ])
    })
  })
}

describe('the dump of an older system', () => {
  it('brings hosts, services that wait to be switched on, checks and their addresses', async (t) => {
    const fed = await startFed(t)
    await loadDump(fed, dumpText)
    const listed = async (path: string, list: string): Promise<Record<string, unknown>[]> =>
      ((await fed.call('GET', path)).json as unknown as Record<string, Record<string, unknown>[]>)[list] ?? []
    const hosts = await listed('/api/hosts/', 'hosts')
    assert.deepEqual(
      hosts.slice(-2).map(({ name, ip }) => [name, ip]),
      [
        ['maps.example.org', '192.0.2.10'],
        ['ows.example.org', '192.0.2.11'],
      ],
    )
    const services = (await listed('/api/services/', 'services')).slice(-3)
    assert.deepEqual(
      services.map(({ name, type, host, active }) => [name, type, host, active]),
      [
        ['maps.example.org-geonode', 'app', 'maps.example.org', false],
        ['default-geoserver', 'mapserver', 'ows.example.org', false],
        ['maps.example.org-hostgeonode', 'hostapp', 'maps.example.org', false],
      ],
    )
    const whole = await fed.call('GET', `/api/services/${services[1]?.id}/`)
    const { source, notes } = (whole.json as unknown as { data: { source: object; notes: string } }).data
    assert.deepEqual(source, { kind: 'geoserver-monitor', url: 'https://ows.example.org/geoserver/' })
    assert.equal(notes, 'behind the proxy')

    const { data } = (await fed.call('GET', '/api/notifications/')).json as unknown as {
      data: { notifications: { id: number; name: string }[] }
    }
    const check = data.notifications.find((one) => one.name === 'geonode is not working')
    const config = (await fed.call('GET', `/api/notifications/config/${check?.id}/`)).json as unknown as {
      data: { emails: string[]; fields: { field_name: string; current_value: unknown; steps: unknown }[] }
    }
    assert.deepEqual(config.data.emails, ['ops@example.org'])
    assert.deepEqual(
      config.data.fields.map(({ field_name: field, current_value: value, steps }) => [field, value, steps]),
      [
        ['request.count.min_value', '10.0000', 3],
        ['response.time.max_value', null, null],
        ['request.count.max_timeout', { class: 'datetime.timedelta', seconds: 120 }, null],
      ],
    )
  })

  it('brings exceptions with their requests, without addresses, queries and secrets', async (t) => {
    const fed = await startFed(t)
    const objects = dumpObjects()
    for (const { model, fields } of objects) {
      if (model === 'monitoring.exceptionevent')
        fields.error_data = 'of 198.51.100.7\nAuthorization: Basic c2VjcmV0\n/gs/ows?token=secret'
      if (model === 'monitoring.requestevent') fields.request_path = '/from/198.51.100.7?token=secret'
    }
    await loadDump(fed, JSON.stringify(objects))
    const detail = (await fed.call('GET', '/api/exceptions/1/')).json as unknown as Record<string, unknown>
    assert.deepEqual(detail, {
      error_type: 'django.http.response.Http404',
      error_message: 'django.http.response.Http404',
      error_data: 'of 198.51.100.0\nAuthorization: ***\n/gs/ows?***',
      service: { type: 'app', name: 'maps.example.org-geonode' },
      created: '2021-07-01T10:00:12.400Z',
      request: {
        event_type: 'view',
        client: {
          ip: '198.51.100.0',
          position: { lat: 44.4056, lon: 8.9463, country: 'ITA', city: 'Genova' },
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
          user_agent_family: 'PC / Linux / Firefox 68.0',
        },
        request: {
          path: '/from/198.51.100.0',
          host: 'maps.example.org',
          method: 'GET',
          created: '2021-07-01T10:00:12.345Z',
        },
        response: { status: 200, time: 12, type: 'text/html', size: 0 },
        resources: [{ id: 1, type: 'layer', name: 'geonode:roads' }],
      },
    })
  })

  it('leaves no address where none may be kept', async (t) => {
    const fed = await startFed(t, { TERRANE_PRIVACY: 'none' })
    const { model } = await loadDump(fed, dumpText)
    assert.equal(model('metricvalue').skipped['no addresses are kept (TERRANE_PRIVACY)'], 3)
    assert.deepEqual(await reported(fed, `request.ip/?${minutes}`), [])
    const { json } = await fed.call('GET', '/api/exceptions/1/')
    assert.equal((json as unknown as { request: { client: { ip: unknown } } }).request.client.ip, null)
  })

  it('leaves addresses whole where they may be kept', async (t) => {
    const fed = await startFed(t, { TERRANE_PRIVACY: 'full' })
    await loadDump(fed, dumpText)
    assert.deepEqual(await reported(fed, `request.ip/?${minutes}`), [
      '10:00 198.51.100.7 6.0000 of 6',
      '10:00 198.51.100.99 3.0000 of 3',
      '10:00 2001:db8:1:2::3 1.0000 of 1',
    ])
  })
})
