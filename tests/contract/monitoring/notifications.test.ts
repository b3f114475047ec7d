import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { databases, makeRoles } from '../../support/monitoring-client.ts'
import type { NotificationClient } from '../../support/notification-client.ts'
import {
  createCheck,
  creation,
  startNotifications,
  threshold,
  toForm,
} from '../../support/notification-client.ts'
import { testCluster } from '../../support/postgres.ts'

before(async () => {
  await testCluster()
})

const required = 'This field is required.'

for (const [database, envOf] of Object.entries(databases)) {
  describe(`checks (${database})`, () => {
    let client: NotificationClient
    before(async () => {
      client = await startNotifications({ after: () => undefined }, { env: await envOf() })
    })
    after(() => client.server.close())

    it('are shipped once: five, without receivers, all active but "No requests are handled"', async () => {
      const { status, json } = await client.call('GET', '/api/notifications/')
      assert.equal(status, 200)
      assert.deepEqual(
        json.data.notifications.map((one) => [one.name, one.severity, one.active]),
        [
          ['No requests are handled', 'error', false],
          ['Responses are slow', 'warning', true],
          ['Errors', 'error', true],
          ['Disk is nearly full', 'warning', true],
          ['Memory is nearly full', 'warning', true],
        ],
      )
      const fields: unknown[] = []
      for (const { id } of json.data.notifications) {
        const { data } = (await client.call('GET', `/api/notifications/config/${id}/`)).json
        assert.deepEqual([data.emails, data.webhooks], [[], []])
        fields.push(...data.fields.map((one) => [one.field_name, one.current_value, one.is_enabled]))
      }
      assert.deepEqual(fields, [
        ['request.count.min_value', '1.0000', true],
        ['request.count.max_timeout', { class: 'datetime.timedelta', seconds: 120 }, true],
        ['response.time.max_value', '5000.0000', true],
        ['response.error.count.max_value', '5.0000', true],
        ['storage.usage.percent.max_value', '90.0000', true],
        ['mem.usage.percent.max_value', '90.0000', true],
      ])
    })

    it('are created from a form with all that it says', async () => {
      const body = creation(
        'Few requests',
        threshold({ steps: 3 }),
        threshold({ option: 'max_timeout', max: null }),
      )
      const { status, json } = await client.call(
        'POST',
        '/api/notifications/',
        toForm({ ...body, severity: 'fatal', emails: 'a@example.org\nb@example.org' }),
      )
      assert.equal(status, 200)
      assert.deepEqual([json.status, json.success, json.errors], ['ok', true, {}])
      const { id, ...check } = json.data
      assert.deepEqual(check, {
        name: 'Few requests',
        description: 'What it is for',
        severity: 'fatal',
        active: true,
        grace_period: { seconds: 600, class: 'datetime.timedelta' },
        window: { seconds: 60, class: 'datetime.timedelta' },
        last_send: null,
        failing_since: null,
        user_threshold: {
          'request.count.min_value': {
            metric: 'request.count',
            description: 'Number of requests is lower than',
            min: 0,
            max: 10,
            steps: 3,
          },
          'request.count.max_timeout': {
            metric: 'request.count',
            description: 'Number of requests is lower than',
            min: 0,
            max: null,
            steps: null,
          },
        },
      })
      const config = await client.call('GET', `/api/notifications/config/${id}/`)
      assert.deepEqual(config.json.data.emails, ['a@example.org', 'b@example.org'])
    })

    it('are created from JSON and from multipart forms alike, by either name of the thresholds', async () => {
      const json = await client.call('POST', '/api/notifications/', {
        name: 'json',
        description: 'x',
        emails: ['a@example.org'],
        user_threshold: [threshold({})],
      })
      assert.equal(json.status, 200, json.text)
      const boundary = 'limit'
      const parts = Object.entries(creation('multipart')).map(
        ([name, value]) =>
          `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      const multipart = await client.call(
        'POST',
        '/api/notifications/',
        `${parts.join('')}--${boundary}--\r\n`,
        { 'content-type': `multipart/form-data; boundary=${boundary}` },
      )
      assert.equal(multipart.status, 200, multipart.text)
      assert.deepEqual(Object.keys(multipart.json.data.user_threshold), ['request.count.min_value'])
    })

    it('need a name, a description and thresholds; all that is wrong is told at once', async () => {
      const { status, json } = await client.call('POST', '/api/notifications/', toForm({ severity: 'bad' }))
      assert.equal(status, 400)
      assert.deepEqual(json, {
        status: 'error',
        success: false,
        data: [],
        errors: {
          name: [required],
          description: [required],
          user_threshold: [required],
          severity: ['Select a valid choice. bad is not one of the available choices.'],
        },
      })
    })

    it('have names of their own, also when two are made at once', async () => {
      const replies = await Promise.all(
        [1, 2, 3].map(() => client.call('POST', '/api/notifications/', toForm(creation('twice')))),
      )
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400])
      const refused = replies.find(({ status }) => status === 400)
      assert.deepEqual(refused?.json.errors, { name: ['Notification check with this name already exists.'] })
    })

    it('keep their scope flags', async () => {
      const id = await createCheck(client, 'flags', threshold({ flags: [false, true, false, true] }))
      const { json } = await client.call('GET', `/api/notifications/config/${id}/`)
      const [field] = json.data.fields
      assert.deepEqual(
        [field?.use_service, field?.use_resource, field?.use_label, field?.use_ows_service],
        [false, true, false, true],
      )
    })
  })
}

describe('thresholds of a new check', () => {
  const cases: [what: string, thresholds: unknown, message: RegExp][] = [
    ['text that is not JSON', '{', /JSON list/],
    ['no list', '{"a":1}', /JSON list/],
    ['an empty list', '[]', /required/],
    ['9 elements', [threshold({}).slice(0, 9)], /Element 1: a list of 10 elements/],
    ['an unknown metric', [threshold({ metric: 'no.such' })], /Element 1: there is no metric "no.such"/],
    [
      'an unknown option',
      [threshold({ option: 'avg' })],
      /"avg" is none of min_value, max_value, max_timeout/,
    ],
    ['flags that are none', [threshold({ flags: ['x', 1, 0, true] })], /elements 3 to 6/],
    ['a bound that is not a number', [threshold({ min: 'NaN' })], /elements 7 and 8/],
    ['a huge bound', '[["request.count","min_value",0,0,0,0,-1e999,1,null,"x"]]', /elements 7 and 8/],
    ['bounds the wrong way round', [threshold({ min: 5, max: 1 })], /minimum is above/],
    ['steps without end', [threshold({ steps: 1e9 })], /element 9/],
    ['a step outside', [threshold({ steps: [1, 50] })], /a step is below/],
    ['no description', [threshold({ description: '' })], /element 10/],
    ['a line break in a description', [threshold({ description: 'a\r\nb' })], /control characters/],
    ['a field twice', [threshold({}), threshold({})], /Element 2: request.count.min_value is there already/],
    ['thousands', new Array(3000).fill(threshold({})), /at most 100 elements/],
  ]
  it('are refused where they are not as the contract says', async (t) => {
    const client = await startNotifications(t)
    for (const [what, thresholds, message] of cases) {
      const text = typeof thresholds === 'string' ? thresholds : JSON.stringify(thresholds)
      const body = toForm({ name: 'x', description: 'x', user_thresholds: text })
      const { status, json } = await client.call('POST', '/api/notifications/', body)
      assert.equal(status, text.length > 256 * 1024 ? 413 : 400, what)
      if (status === 400) assert.match(json.errors.user_threshold?.[0] ?? '', message, what)
    }
    const names = (await client.call('GET', '/api/notifications/')).json.data.notifications
    assert.equal(names.length, 5, 'nothing was made')
  })
})

describe('who may', () => {
  it('read problems: everyone with a login; create, configure and delete: staff', async (t) => {
    const client = await startNotifications(t)
    const roles = await makeRoles(client.server)
    const statusOf = async (role: keyof typeof roles, method: string, path: string): Promise<number> =>
      (await client.call(method, path, method === 'GET' ? undefined : '', roles[role])).status
    for (const path of ['/api/status/', '/api/notifications/']) {
      assert.equal(await statusOf('anonymous', 'GET', path), 401)
      assert.equal(await statusOf('user', 'GET', path), 200)
    }
    const config = '/api/notifications/config/1/'
    for (const [method, path] of [
      ['GET', config],
      ['POST', config],
      ['DELETE', config],
      ['GET', `${config}deliveries/`],
      ['POST', '/api/notifications/'],
    ] as const) {
      assert.equal(await statusOf('anonymous', method, path), 401, `${method} ${path}`)
      assert.equal(await statusOf('user', method, path), 403, `${method} ${path}`)
    }
    assert.equal(await statusOf('staff', 'GET', config), 200)
    assert.equal(await statusOf('staff', 'POST', '/api/notifications/'), 400)
    const refused = await client.call('GET', config, undefined, roles.user)
    assert.equal(refused.json.status, 'error')
    assert.deepEqual(refused.json.data, [])
  })
})

describe('shipped checks', () => {
  it('that were deleted are not made again by the next start', async (t) => {
    const env = await databases.PostgreSQL()
    const first = await startNotifications(t, { env })
    const { json } = await first.call('GET', '/api/notifications/')
    const id = json.data.notifications[0]?.id
    assert.equal((await first.call('DELETE', `/api/notifications/config/${id}/`)).status, 200)
    await first.server.close()
    const second = await startNotifications(t, { env })
    const left = (await second.call('GET', '/api/notifications/')).json.data.notifications
    assert.equal(left.length, 4)
  })
})
