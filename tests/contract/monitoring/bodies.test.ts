import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defined } from '../../../src/core/values/defined.ts'
import { multipart, multipartType } from '../../support/importer-client.ts'
import type { NotificationClient } from '../../support/notification-client.ts'
import {
  creation,
  readConfig,
  startNotifications,
  threshold,
  toForm,
} from '../../support/notification-client.ts'

const count = 'request.count.min_value'
const formType = 'application/x-www-form-urlencoded'
const required = ['This field is required.']

interface Sent {
  status: number
  json: { status: string; success: boolean; errors: object; data: Record<string, unknown> }
}

/** Sends exactly these bytes with exactly this content type. */
async function send(
  { server }: NotificationClient,
  path: string,
  body: string | Buffer | undefined,
  type: string | undefined,
): Promise<Sent> {
  const reply = await server.app.inject({
    method: 'POST',
    url: `/monitoring/api/${path}/`,
    headers: { ...server.admin, ...defined({ 'content-type': type }) },
    ...defined({ payload: body }),
  })
  return { status: reply.statusCode, json: reply.json() }
}

/** The same fields in every form that bodies may have. */
function everyForm(fields: Record<string, string>): [what: string, body: string | Buffer, type?: string][] {
  return [
    ['a form', toForm(fields), formType],
    ['a form with a charset', toForm(fields), `${formType}; charset=UTF-8`],
    ['a multipart form', multipart([], fields), multipartType],
    ['JSON', JSON.stringify(fields), 'application/json'],
    ['JSON with a charset', JSON.stringify(fields), 'application/json;charset=utf-8'],
    ['JSON as text', JSON.stringify(fields), 'text/plain'],
    ['JSON without a type', JSON.stringify(fields)],
  ]
}

describe('bodies of checks', () => {
  it('create the same check in every form, and configure it alike', async (t) => {
    const client = await startNotifications(t)
    const names = everyForm({}).map(([what]) => what)
    for (const [index, name] of names.entries()) {
      const fields = { ...creation(name), emails: 'a@example.org\nb@example.org', severity: 'warning' }
      const [, body, type] = everyForm(fields)[index] ?? assert.fail()
      const created = await send(client, 'notifications', body, type)
      assert.equal(created.status, 200, `${name}: ${JSON.stringify(created.json)}`)
      const { id, ...check } = created.json.data
      const { failing_since, window, ...shown } = check
      assert.deepEqual(
        shown,
        {
          name,
          description: 'What it is for',
          severity: 'warning',
          active: true,
          last_send: null,
          grace_period: { seconds: 600, class: 'datetime.timedelta' },
          user_threshold: {
            [count]: {
              metric: 'request.count',
              description: 'Number of requests is lower than',
              min: 0,
              max: 10,
              steps: null,
            },
          },
        },
        name,
      )
      const changes = { active: 'true', severity: 'fatal', grace_period: '00:05:00', [count]: '3.5' }
      const [, change, changeType] =
        everyForm({ ...changes, emails: 'c@example.org' })[index] ?? assert.fail()
      const changed = await send(client, `notifications/config/${id}`, change, changeType)
      assert.equal(changed.status, 200, name)
      const { severity, active, grace_period } = changed.json.data
      assert.deepEqual(
        [severity, active, grace_period],
        ['fatal', true, { seconds: 300, class: 'datetime.timedelta' }],
      )
      const { fields: read, emails } = await readConfig(client, Number(id))
      assert.deepEqual(
        [read[0]?.current_value, read[0]?.is_enabled, emails],
        ['3.5000', true, ['c@example.org']],
      )
    }
  })

  it('create one check for one Idempotency-Key', async (t) => {
    const client = await startNotifications(t)
    const key = { 'idempotency-key': 'once' }
    const send = (name: string) => client.call('POST', '/api/notifications/', toForm(creation(name)), key)
    const [first, again, other] = [await send('once'), await send('once'), await send('another')]
    assert.deepEqual([first.status, again.status, other.status], [200, 200, 409])
    assert.equal(again.text, first.text)
    assert.equal((await client.call('GET', '/api/notifications/')).json.data.notifications.length, 6)
  })

  it('that are absent or empty have no fields', async (t) => {
    const client = await startNotifications(t)
    for (const [body, type] of [
      [undefined, undefined],
      ['', formType],
      ['', 'application/json'],
      ['{}', 'application/json'],
      ['null', 'application/json'],
    ] as const) {
      const created = await send(client, 'notifications', body, type)
      const errors = { name: required, description: required, user_threshold: required }
      assert.equal(created.status, 400)
      assert.deepEqual(created.json, { status: 'error', success: false, errors, data: [] })
      const changed = await send(client, 'notifications/config/3', body, type)
      assert.equal(changed.status, 200)
      assert.equal(changed.json.data.active, type !== formType, 'an absent box of a form is unchecked')
      await send(client, 'notifications/config/3', '{"active":true}', 'application/json')
      const made = await send(client, 'autoconfigure', body, type)
      assert.deepEqual(made.json, { status: 'ok', success: true, errors: {} })
    }
  })

  it('of another type are 415, of other JSON than an object 400', async (t) => {
    const client = await startNotifications(t)
    for (const path of ['notifications', 'notifications/config/3']) {
      for (const [body, type, expected] of [
        ['<check/>', 'application/xml', 415],
        ['name: x', 'application/x-yaml', 415],
        ['[]', 'application/json', 400],
        ['"x"', 'application/json', 400],
        ['{', 'application/json', 400],
      ] as const) {
        const { status, json } = await send(client, path, body, type)
        const { errors, ...rest } = json
        assert.equal(status, expected, `${path} ${body}`)
        assert.deepEqual(rest, { status: 'error', success: false, data: [] })
        assert.deepEqual(Object.keys(errors), ['__all__'])
      }
    }
  })

  it('that leave out what has a default take it, and say how many steps a list has', async (t) => {
    const client = await startNotifications(t)
    const { name, description } = creation('defaults')
    const thresholds = [
      threshold({ steps: [0, 5, 10] }),
      threshold({ option: 'max_value', steps: 4, max: null }),
      threshold({ option: 'max_timeout', min: null, max: null }),
    ]
    const body = toForm({
      name: name ?? '',
      description: description ?? '',
      user_thresholds: JSON.stringify(thresholds),
    })
    const { data } = (await send(client, 'notifications', body, formType)).json
    assert.deepEqual(
      [data.severity, data.active, data.grace_period, data.last_send],
      ['error', true, { seconds: 600, class: 'datetime.timedelta' }, null],
    )
    const entries = Object.values(data.user_threshold as Record<string, Record<string, unknown>>)
    assert.deepEqual(
      entries.map(({ min, max, steps }) => [min, max, steps]),
      [
        [0, 10, 3],
        [0, null, 4],
        [null, null, null],
      ],
    )
    const { fields, emails } = await readConfig(client, Number(data.id))
    assert.deepEqual(
      fields.map((one) => one.steps_calculated),
      [['0.00', '5.00', '10.00'], null, null],
    )
    assert.deepEqual(emails, [])
  })
})
