import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { openDatabase } from '../../../src/core/db/connection.ts'
import { groupings } from '../../../src/monitoring/query/grouping.ts'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import { makeRoles } from '../../support/monitoring-client.ts'

const day = '2026-11-19'
const closers: (() => unknown)[] = []

async function startOne(env: Record<string, string> = {}): Promise<FedMonitoring> {
  const fed = await startFed({ after: (close) => closers.push(close as () => unknown) }, env)
  const { mapserver } = fed.services
  const roads = { type: 'layer', name: 'ws:roads' } as const
  const common = { serviceId: mapserver, eventType: 'OWS:WMS' as const, resources: [roads] }
  await fed.feed({
    events: [
      requestAt(`${day}T12:00:00Z`, { ...common, status: 200 }),
      requestAt(`${day}T12:03:00Z`, { ...common, status: 2 }),
      requestAt(`${day}T12:03:30Z`, { ...common, status: 2 }),
    ],
  })
  return fed
}

/** A layer `ws:roads` in the catalogue. */
async function publishRoads({ server, clock }: FedMonitoring): Promise<void> {
  const database = await openDatabase({ path: join(server.dataDir, 'terrane.sqlite') })
  const { kysely } = database
  const at = new Date().toISOString()
  const times = { created_at: at, updated_at: at }
  await kysely
    .insertInto('workspaces')
    .values({ name: 'ws', is_public: 0, ...times })
    .execute()
  const kind = { kind: 'vector', type: 'GeoPackage', is_enabled: 1, is_default: 0 }
  const store = {
    workspace: 'ws',
    name: 's',
    ...kind,
    parameters: '{}',
    secrets: '',
    description: null,
    ...times,
  }
  const { id } = await kysely.insertInto('stores').values(store).returning('id').executeTakeFirstOrThrow()
  const layer = { workspace: 'ws', name: 'roads', store_id: Number(id), native_name: 'roads', document: '{}' }
  await kysely
    .insertInto('layers')
    .values({ ...layer, ...times })
    .execute()
  await database.close()
  clock.advance(11_000)
}

function get(fed: FedMonitoring, query: string, metric = 'request.count') {
  return fed.call('GET', `/api/metric_data/${metric}${query}`)
}

after(async () => {
  for (const close of closers) await close()
})

describe('parameters of metric data', () => {
  let fed: FedMonitoring
  before(async () => {
    fed = await startOne()
  })

  /** Messages by field of a query that is refused. */
  async function errorsOf(query: string): Promise<Record<string, string[]>> {
    const { status, text } = await get(fed, `/?${query}`)
    const body = JSON.parse(text)
    assert.equal(status, 400, text)
    const { errors, ...rest } = body
    assert.deepEqual(rest, { status: 'error', success: false, data: [] })
    return errors
  }

  for (const [field, query, message] of [
    ['interval', 'interval=59', /greater than or equal to 60/],
    ['interval', 'interval=-60', /greater than or equal to 60/],
    ['interval', 'interval=1e3', /whole number/],
    ['interval', 'interval=60.5', /whole number/],
    ['interval', 'interval=soon', /whole number/],
    ['interval', 'interval=99999999999999', /less than or equal to/],
    ['interval', 'interval=60&interval=60', /one value/],
    ['last', 'last=59', /greater than or equal to 60/],
    ['last', 'last=1d', /whole number/],
    ['last', 'last=99999999999999', /less than or equal to/],
    ['__all__', 'last=600&valid_from=2026-11-20', /last and valid_from/],
    ['__all__', 'last=600&valid_to=2026-11-20', /last and valid_from/],
    ['__all__', 'service=localhost-app&service_type=app', /service and service type/],
    ['valid_from', 'valid_from=yesterday', /valid date/],
    ['valid_from', 'valid_from=2026-02-30', /valid date/],
    ['valid_from', 'valid_from=2026-11-20&valid_from=2026-11-21', /one value/],
    ['valid_from', 'valid_from=2030-01-01', /future/],
    ['valid_to', 'valid_to=2026-11-20T25:00', /valid date/],
    ['valid_to', 'valid_from=2026-11-20&valid_to=2026-11-19', /not before valid_from/],
    ['interval', 'valid_from=2026-01-01&valid_to=2026-11-01&interval=60', /11000 .*at least 2400 seconds/],
    ['service', 'service=nobody', /valid choice/],
    ['service_type', 'service_type=geonode', /valid choice/],
    ['event_type', 'event_type=OWS:NONE', /valid choice/],
    ['event_type', 'event_type=geoserver', /valid choice/],
    ['resource_type', 'resource_type=dataset', /valid choice/],
    ['group_by', 'group_by=labels', /valid choice/],
    ['group_by', 'group_by=constructor', /valid choice/],
    ['resource', 'resource=roads', /id of a resource/],
    ['resource', 'resource=layer=', /id of a resource/],
    ['resource', 'resource=-1', /id of a resource/],
    ['resource', 'resource=999999', /does not exist/],
    ['resource', 'resource=layer=ws:none', /does not exist/],
    ['label', 'label=a&label=b', /one value/],
    ['label', `label=${'x'.repeat(2001)}`, /at most 2000/],
    ['label', 'label=a%00b', /Null characters/],
    ['user', 'user=a%00b', /Null characters/],
    ['user', 'user=alice', /Only request\.users tells users/],
  ] as const) {
    it(`refuses ${query.slice(0, 60)}`, async () => {
      const errors = await errorsOf(query)
      assert.deepEqual(Object.keys(errors), [field])
      assert.match(String(errors[field]), message)
    })
  }

  it('names every field that is wrong at once', async () => {
    const errors = await errorsOf('interval=1&label=a&label=b&group_by=x&resource=x&service=x&event_type=x')
    assert.deepEqual(Object.keys(errors).sort(), [
      'event_type',
      'group_by',
      'interval',
      'label',
      'resource',
      'service',
    ])
  })

  it('takes empty parameters for absent ones and names unknown ones in a header', async () => {
    const { status, headers } = await get(
      fed,
      '/?label=&interval=&last=&valid_from=&resource=&group_by=&service=&colour=red',
    )
    assert.equal(status, 200)
    assert.equal(headers['terrane-ignored'], 'colour')
  })

  it('names an event type that means nothing for readings of hosts', async () => {
    const reply = await fed.call('GET', '/api/metric_data/uptime/?last=600&event_type=view&colour=red')
    assert.equal(reply.status, 200)
    assert.deepEqual(String(reply.headers['terrane-ignored']).split(', ').sort(), ['colour', 'event_type'])
  })

  it('answers 404 in the envelope for a metric that is not known, or that the service lacks', async () => {
    for (const [metric, query] of [
      ['request.counts', ''],
      ['__proto__', ''],
      ['load.1m', '?service=localhost-app'],
      ['request.count', '?service_type=hostapp'],
    ] as const) {
      const { status, text } = await get(fed, `/${query}`, metric)
      assert.equal(status, 404)
      const { errors, ...rest } = JSON.parse(text)
      assert.deepEqual(rest, { status: 'error', success: false, data: [] })
      assert.match(errors.__all__[0], /metric|Metric/)
    }
  })

  it('answers with and without a trailing slash alike', async () => {
    const query = `valid_from=${day}T12:00&valid_to=${day}T12:01&interval=60`
    const [with_, without] = [await get(fed, `/?${query}`), await get(fed, `?${query}`)]
    assert.equal(with_.text, without.text)
    assert.deepEqual(JSON.parse(with_.text), {
      data: {
        input_valid_from: `${day}T12:00:00.000Z`,
        input_valid_to: `${day}T12:01:00.000Z`,
        metric: 'request.count',
        interval: 60,
        type: 'count',
        axis_label: 'Count',
        label: null,
        data: [
          {
            valid_from: `${day}T12:00:00.000Z`,
            valid_to: `${day}T12:01:00.000Z`,
            data: [
              {
                label: 'count',
                val: '1.0000',
                min: '1.0000',
                max: '1.0000',
                sum: '1.0000',
                samples_count: 1,
                metric_count: 1,
              },
            ],
          },
        ],
      },
    })
    assert.equal(with_.headers['content-type'], 'application/json; charset=utf-8')
  })

  it('aligns the window, and takes minutes up to a day, hours up to 31 days, days beyond', async () => {
    const shape = async (query: string): Promise<unknown[]> => {
      const { data } = JSON.parse((await get(fed, `/?${query}`)).text)
      return [data.interval, data.data.length, data.input_valid_from, data.input_valid_to]
    }
    assert.deepEqual(await shape(`valid_from=${day}+12:04:00&valid_to=${day}+12:06:00&interval=300`), [
      300,
      2,
      `${day}T12:00:00.000Z`,
      `${day}T12:10:00.000Z`,
    ])
    assert.deepEqual((await shape('valid_from=2026-11-20&valid_to=2026-11-21')).slice(0, 2), [60, 1440])
    assert.deepEqual(
      (await shape('valid_from=2026-11-20&valid_to=2026-11-21T00:00:01')).slice(0, 2),
      [3600, 25],
    )
    assert.deepEqual((await shape('valid_from=2026-10-01&valid_to=2026-11-02')).slice(0, 2), [86_400, 32])
    assert.deepEqual(await shape('last=600&interval=600'), [
      600,
      1,
      '2026-11-21T12:24:00.000Z',
      '2026-11-21T12:34:00.000Z',
    ])
  })

  it('tells the label that was asked for, and never fails for one that was never seen', async () => {
    const query = `valid_from=${day}&valid_to=2026-11-20&interval=86400`
    const { data } = JSON.parse((await get(fed, `/?${query}&label=200`, 'response.status')).text)
    assert.deepEqual([data.label, data.data[0].data.length], ['200', 1])
    const odd = encodeURIComponent(`'; drop table monitoring_labels; -- "\u{1f600}`)
    for (const grouping of ['', ...groupings.map((one) => `&group_by=${one}`)]) {
      const { status, text } = await get(fed, `/?${query}&label=${odd}${grouping}`, 'response.status')
      assert.equal(status, 200, text)
      assert.deepEqual(JSON.parse(text).data.data[0].data, [], grouping)
    }
  })

  it('answers any text as parameters with 200, 400 or 404, never with a failure of its own', async () => {
    const names = fc.constantFrom(
      'valid_from',
      'valid_to',
      'last',
      'interval',
      'label',
      'resource',
      'service',
      'event_type',
      'resource_type',
      'group_by',
      'user',
      'service_type',
    )
    const values = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom('1', '60', '2026-11-20', 'label', 'resource'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, values), { maxLength: 5 }), async (pairs) => {
        const query = pairs
          .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
          .join('&')
        const { status } = await get(fed, `/?${query}`)
        assert.ok([200, 400, 404].includes(status), `${status} for ${query}`)
      }),
      { numRuns: 60 },
    )
  })

  it('is for whoever has logged in', async () => {
    const roles = await makeRoles(fed.server)
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await fed.call('GET', '/api/metric_data/request.count/', undefined, headers)).status
    assert.equal(await statusOf(roles.anonymous), 401)
    assert.equal(await statusOf(roles.user), 200)
  })
})

describe('metric data in the dialect of older systems', () => {
  let fed: FedMonitoring
  before(async () => {
    fed = await startOne({ TERRANE_DIALECT: 'geoserver' })
  })

  it('starts periods at valid_from, with six digits of fraction', async () => {
    const query = `valid_from=${day}T11:59:30&valid_to=${day}T12:04:00&interval=180`
    const { data } = JSON.parse((await get(fed, `/?${query}`)).text)
    assert.equal(data.input_valid_from, `${day}T11:59:30.000000Z`)
    assert.equal(data.input_valid_to, `${day}T12:04:00.000000Z`)
    assert.deepEqual(
      data.data.map((one: { valid_from: string; valid_to: string; data: { val: string }[] }) => [
        one.valid_from,
        one.valid_to,
        one.data[0]?.val,
      ]),
      [
        [`${day}T11:59:30.000000Z`, `${day}T12:02:30.000000Z`, '1.0000'],
        [`${day}T12:02:30.000000Z`, `${day}T12:05:30.000000Z`, '2.0000'],
      ],
    )
  })

  it('knows types by their older names, links resources and tells the user of each label', async () => {
    const query = `valid_from=${day}&valid_to=2026-11-20&interval=86400&service_type=geoserver`
    const rows = async (more: string) =>
      JSON.parse((await get(fed, `/?${query}&${more}`)).text).data.data[0].data
    const [foreign] = await rows('group_by=resource')
    assert.deepEqual([foreign.resource.href, foreign.user], ['', null], 'a layer that is not here')
    await publishRoads(fed)
    const [row] = await rows('group_by=resource')
    assert.match(row.resource.href, /\/rest\/layers\/ws%3Aroads$/)
    assert.equal((await rows('event_type=geoserver')).length, 0)
  })

  it('takes a label for an id first', async () => {
    const listed = JSON.parse((await fed.call('GET', '/api/labels/?metric_name=response.status')).text).labels
    const idOf200 = listed.find((one: { name: string }) => one.name === '200').id
    const query = `valid_from=${day}&valid_to=2026-11-20&interval=86400&label=`
    const labelOf = async (label: string) =>
      JSON.parse((await get(fed, `/?${query}${label}`, 'response.status')).text).data.data[0].data[0]?.label
    assert.equal(await labelOf(String(idOf200)), '200')
    assert.equal(await labelOf('200'), '200')
  })

  it('is for admins alone', async () => {
    const roles = await makeRoles(fed.server)
    for (const headers of [roles.anonymous, roles.staff]) {
      const { status, text } = await fed.call('GET', '/api/metric_data/request.count/', undefined, headers)
      assert.deepEqual([status, text], [403, '{"error":"unauthorized_request"}'])
    }
  })
})
