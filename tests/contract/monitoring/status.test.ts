import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import type { Json } from '../../support/importer-client.ts'
import { databases } from '../../support/monitoring-client.ts'
import { creation, threshold } from '../../support/notification-client.ts'

const count = 'request.count.min_value'
const time = 'response.time.max_value'

/** Five requests of 700 ms in the last complete minute, and no check but those of the test. */
async function start(test: TestContext, env: Record<string, string> = {}): Promise<FedMonitoring> {
  const fed = await startFed(test, env)
  const events = [0, 1, 2, 3, 4].map((second) =>
    requestAt(`2026-11-21T12:33:0${second}Z`, { serviceId: fed.services.app, milliseconds: 700 }),
  )
  await fed.feed({ events })
  const { data } = (await fed.call('GET', '/api/notifications/')).json
  const checks = (Array.isArray(data) ? data : data?.notifications) as unknown as { id: number }[]
  for (const { id } of checks) await configure(fed, id, { active: false })
  return fed
}

async function configure(fed: FedMonitoring, id: number, body: object): Promise<void> {
  const { status, text } = await fed.call('POST', `/api/notifications/config/${id}/`, body)
  assert.equal(status, 200, text)
}

/** A check of both metrics, set to these limits; gives its id. */
async function watch(fed: FedMonitoring, name: string, severity: string, limits: object): Promise<number> {
  const response = { metric: 'response.time', option: 'max_value', max: null }
  const thresholds = [
    threshold({ max: null }),
    threshold({ ...response, description: 'Time is higher than' }),
  ]
  const { json, text } = await fed.call('POST', '/api/notifications/', {
    ...creation(name, ...thresholds),
    severity,
  })
  const id = json.data?.id as unknown as number
  assert.equal(typeof id, 'number', text)
  await configure(fed, id, limits)
  return id
}

const get = async (fed: FedMonitoring, path: string): Promise<Json> =>
  (await fed.call('GET', `/api/${path}/`)).json

for (const [name, environment] of Object.entries(databases)) {
  describe(`GET status on ${name}`, () => {
    it('answers the envelope with an empty list while every check holds', async (test) => {
      const fed = await start(test, await environment())
      await watch(fed, 'holds', 'fatal', { [count]: 5, [time]: 700 })
      assert.deepEqual(await get(fed, 'status'), { status: 'ok', success: true, errors: {}, data: [] })
    })

    it('lists each check that does not hold, with its problems', async (test) => {
      const fed = await start(test, await environment())
      const id = await watch(fed, 'Few and slow', 'warning', { [count]: 10, [time]: 500 })
      const { fields } = (await get(fed, `notifications/config/${id}`)).data as unknown as {
        fields: { id: number }[]
      }
      const { data } = await get(fed, 'status')
      const [{ check, problems }] = data as unknown as [{ check: Json; problems: Record<string, unknown>[] }]
      const { failing_since, ...reported } = check
      assert.notEqual(failing_since, undefined)
      const entry = { min: 0, max: null, steps: null }
      assert.deepEqual(reported, {
        id,
        name: 'Few and slow',
        description: 'What it is for',
        severity: 'warning',
        active: true,
        grace_period: { seconds: 600, class: 'datetime.timedelta' },
        window: { seconds: 60, class: 'datetime.timedelta' },
        last_send: null,
        user_threshold: {
          [String(fields[0]?.id)]: {
            metric: 'request.count',
            description: 'Number of requests is lower than',
            ...entry,
          },
          [String(fields[1]?.id)]: { metric: 'response.time', description: 'Time is higher than', ...entry },
        },
      })
      assert.deepEqual(
        problems.map((one) => [one.name, one.severity, one.threshold_value, one.offending_value]),
        [
          ['request.count', 'warning', '10.0000', '5.0000'],
          ['response.time', 'warning', '500.0000', '700.0000'],
        ],
      )
      for (const { message } of problems) assert.match(String(message), /than (?:10|500 ms)$/)
    })

    it('compares what the scope of a threshold names: a service, a resource, a label, an OWS service', async (test) => {
      const fed = await start(test, await environment())
      const wms = { serviceId: fed.services.mapserver, eventType: 'OWS:WMS', status: 404 } as const
      const resources = [{ type: 'layer', name: 'ws:roads' }] as const
      await fed.feed({
        events: [
          requestAt('2026-11-21T12:33:10Z', { ...wms, resources: [...resources] }),
          requestAt('2026-11-21T12:33:11Z', { ...wms, resources: [...resources] }),
          requestAt('2026-11-21T12:33:12Z', { ...wms, eventType: 'OWS:WFS' }),
        ],
      })
      const any = { option: 'max_value', flags: [true, true, true, true], max: null }
      const made = await fed.call(
        'POST',
        '/api/notifications/',
        creation('scopes', threshold(any), threshold({ ...any, metric: 'response.status' })),
      )
      const id = made.json.data?.id as unknown as number
      const listed = (await fed.call('GET', '/api/resources/')).json.resources as unknown as { id: number }[]
      const none = { service: '', resource: '', label: '', ows_service: '' }
      const found = async (field: string, scope: object): Promise<unknown[]> => {
        const names = Object.entries({ ...none, ...scope }).map(([part, name]) => [`${field}.${part}`, name])
        const others = { 'request.count.max_value': '', 'response.status.max_value': '', [field]: 0 }
        await configure(fed, id, { ...others, ...Object.fromEntries(names) })
        const [failing] = (await get(fed, 'status')).data as unknown as [{ problems: Json[] }?]
        return (failing?.problems ?? []).map((one) => one.offending_value)
      }
      for (const [scope, value] of [
        [{}, 8],
        [{ service: 'localhost-app' }, 5],
        [{ service: 'localhost-mapserver' }, 3],
        [{ resource: String(listed[0]?.id) }, 2],
        [{ resource: 'layer=ws:roads' }, 2],
        [{ ows_service: 'OWS:WFS' }, 1],
        [{ ows_service: 'OWS:ALL' }, 3],
        [{ ows_service: 'OWS:WMS', service: 'localhost-mapserver', resource: 'layer=ws:roads' }, 2],
      ] as const)
        assert.deepEqual(
          await found('request.count.max_value', scope),
          [value.toFixed(4)],
          JSON.stringify(scope),
        )
      assert.deepEqual(await found('response.status.max_value', { label: '404' }), ['3.0000'])
      assert.deepEqual(await found('response.status.max_value', { label: '200' }), ['5.0000'])
    })

    it('has a problem for what cannot be evaluated, and says why', async (test) => {
      const fed = await start(test, await environment())
      const id = await watch(fed, 'gone', 'error', { [count]: 1, [`${count}.service`]: 'localhost-app' })
      assert.equal(
        (await fed.call('PUT', `/api/services/${fed.services.app}/`, { active: false })).status,
        200,
      )
      const [{ check, problems }] = (await get(fed, 'status')).data as unknown as [
        { check: Json; problems: Record<string, unknown>[] },
      ]
      assert.equal(check.id, id)
      const [problem, ...others] = problems
      assert.deepEqual(others, [])
      assert.match(
        String(problem?.message),
        /^request\.count cannot be checked: service localhost-app is switched off$/,
      )
      assert.deepEqual([problem?.offending_value, problem?.threshold_value], ['', '1.0000'])
    })

    it('keeps no history: what holds again is not told any more', async (test) => {
      const fed = await start(test, await environment())
      const id = await watch(fed, 'Few', 'error', { [count]: 10 })
      assert.equal((await get(fed, 'status')).data?.length, 1)
      await configure(fed, id, { [count]: 5 })
      assert.deepEqual((await get(fed, 'status')).data, [])
      await configure(fed, id, { [count]: 10, active: false })
      assert.deepEqual((await get(fed, 'status')).data, [])
    })
  })
}

describe('GET notifications', () => {
  it('tells the problems, the highest severity among them, and the checks', async (test) => {
    const fed = await start(test)
    const ok = await get(fed, 'notifications')
    assert.deepEqual(
      [ok.status, ok.success, ok.data?.problems, ok.data?.health_level],
      ['ok', true, [], 'ok'],
    )
    for (const [severity, level] of [
      ['warning', 'warning'],
      ['fatal', 'fatal'],
      ['error', 'fatal'],
    ] as const) {
      await watch(fed, `Few, ${severity}`, severity, { [count]: 10 })
      assert.equal((await get(fed, 'notifications')).data?.health_level, level)
    }
    const data = (await get(fed, 'notifications')).data as unknown as {
      problems: Record<string, unknown>[]
      notifications: Record<string, unknown>[]
    }
    const checks = data.notifications.slice(-3)
    assert.deepEqual(
      data.problems.map((one) => [one.check_id, one.check_url, one.severity]),
      checks.map((one) => [one.id, one.url, one.severity]),
    )
    for (const problem of data.problems)
      for (const key of ['name', 'message', 'description', 'offending_value', 'threshold_value'])
        assert.equal(typeof problem[key], 'string', key)
    assert.deepEqual(Object.keys(checks[0] ?? {}), [
      'id',
      'url',
      'name',
      'description',
      'severity',
      'active',
      'grace_period',
      'last_send',
    ])
  })
})

describe('problems in the dialect of older systems', () => {
  it('are the data of status with the health level, and notifications are a list of checks', async (test) => {
    const fed = await start(test, { TERRANE_DIALECT: 'geoserver' })
    await watch(fed, 'Few', 'error', { [count]: 10 })
    const { data } = await get(fed, 'status')
    const { problems, ...rest } = data as unknown as { problems: Record<string, unknown>[] }
    assert.deepEqual(rest, { health_level: 'error' })
    assert.match(String(problems[0]?.spotted_at), /^2026-11-21T12:3\d:\d\d\.\d{6}Z$/)
    assert.equal(typeof problems[0]?.description, 'string')
    const list = (await get(fed, 'notifications')).data as unknown as { name: string }[]
    assert.equal(list.at(-1)?.name, 'Few')
  })
})
