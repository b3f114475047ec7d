import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { databases } from '../../support/monitoring-client.ts'
import type { NotificationClient } from '../../support/notification-client.ts'
import {
  createCheck,
  readConfig,
  startNotifications,
  threshold,
  toForm,
} from '../../support/notification-client.ts'
import { testCluster } from '../../support/postgres.ts'

before(async () => {
  await testCluster()
})

const count = 'request.count.min_value'
const timeout = 'request.count.max_timeout'
const time = 'response.time.max_value'

function thresholds(): unknown[][] {
  return [
    threshold({ steps: 3 }),
    threshold({ option: 'max_timeout', min: 60, max: null, description: 'No response for at least' }),
    threshold({
      metric: 'response.time',
      option: 'max_value',
      min: 500,
      max: null,
      flags: [true, true, true, true],
      description: 'Response time is higher than',
    }),
  ]
}

for (const [database, envOf] of Object.entries(databases)) {
  describe(`configuration of a check (${database})`, () => {
    let client: NotificationClient
    before(async () => {
      client = await startNotifications({ after: () => undefined }, { env: await envOf() })
    })
    after(() => client.server.close())

    it('has a field for each definition, with all that a form needs', async () => {
      const id = await createCheck(client, 'all', ...thresholds())
      const { json } = await client.call('GET', `/api/notifications/config/${id}/`)
      assert.deepEqual([json.status, json.success, json.errors], ['ok', true, {}])
      const { fields, notification } = await readConfig(client, id)
      const { id: fieldId, ...field } = fields[0] ?? { id: undefined }
      assert.equal(typeof fieldId, 'number')
      assert.deepEqual(field, {
        field_name: count,
        field_option: 'min_value',
        description: 'Number of requests is lower than',
        metric: { class: 'Metric', name: 'request.count', id: 2 },
        notification_check: { class: 'NotificationCheck', name: 'all', id },
        min_value: '0.0000',
        max_value: '10.0000',
        steps: 3,
        steps_calculated: ['0.00', '3.33', '6.67', '10.00'],
        current_value: null,
        unit: '',
        is_enabled: false,
        use_service: true,
        use_resource: false,
        use_label: false,
        use_ows_service: false,
        scope: { service: null, resource: null, label: null, ows_service: null },
      })
      assert.deepEqual([fields[1]?.unit, fields[2]?.unit], ['s', 'ms'])
      assert.deepEqual([fields[1]?.max_value, fields[1]?.steps_calculated], [null, null])
      assert.equal(notification.id, id)
      assert.deepEqual(Object.keys(notification.user_threshold), [count, timeout, time])
    })

    it('is changed by a form: absent fields stay, empty ones are switched off, an absent box is unchecked', async () => {
      const id = await createCheck(client, 'form', ...thresholds())
      const path = `/api/notifications/config/${id}/`
      const first = await client.call(
        'POST',
        path,
        toForm({
          emails: 'a@example.org\r\nb@example.org\r\n',
          severity: 'fatal',
          active: 'on',
          grace_period: '01:30:00',
          [count]: '3.33',
          [timeout]: '120',
          [time]: '500',
        }),
      )
      assert.equal(first.status, 200, first.text)
      assert.deepEqual([first.json.status, first.json.success, first.json.errors], ['ok', true, {}])
      assert.deepEqual(
        [first.json.data.id, first.json.data.severity, first.json.data.active, first.json.data.grace_period],
        [id, 'fatal', true, { seconds: 5400, class: 'datetime.timedelta' }],
      )
      const { fields, emails } = await readConfig(client, id)
      assert.deepEqual(
        fields.map((one) => [one.current_value, one.is_enabled]),
        [
          ['3.3300', true],
          [{ seconds: 120, class: 'datetime.timedelta' }, true],
          ['500.0000', true],
        ],
      )
      assert.deepEqual(emails, ['a@example.org', 'b@example.org'])

      const second = await client.call('POST', path, toForm({ [count]: '' }))
      assert.equal(second.json.data.active, false)
      assert.equal(second.json.data.severity, 'fatal')
      const left = await readConfig(client, id)
      assert.deepEqual(
        left.fields.map((one) => one.is_enabled),
        [false, true, true],
      )
      assert.deepEqual(left.emails, ['a@example.org', 'b@example.org'])
      await client.call('POST', path, toForm({ emails: '' }))
      assert.deepEqual((await readConfig(client, id)).emails, [])
    })

    it('is changed by JSON alike, where an absent "active" stays', async () => {
      const id = await createCheck(client, 'json', ...thresholds())
      const path = `/api/notifications/config/${id}/`
      const { status, json } = await client.call('POST', path, { [count]: 10, emails: ['a@example.org'] })
      assert.equal(status, 200)
      assert.equal(json.data.active, true)
      assert.equal((await client.call('POST', path, { active: false })).json.data.active, false)
      const { fields, emails } = await readConfig(client, id)
      assert.equal(fields[0]?.current_value, '10.0000')
      assert.deepEqual(emails, ['a@example.org'])
    })

    it('is changed by JSON where a null switches a field off, and what is left out stays', async () => {
      const id = await createCheck(client, 'nulls', ...thresholds())
      const path = `/api/notifications/config/${id}/`
      const services = (await client.call('GET', '/api/services/')).json.services
      const app = services.find(({ type }) => type === 'app')?.name
      const values = { [count]: 10, [timeout]: 120, [time]: 500, [`${count}.service`]: app }
      assert.equal((await client.call('POST', path, values)).status, 200)
      await client.call('POST', path, { severity: 'fatal' })
      const isEnabled = async () => (await readConfig(client, id)).fields.map((one) => one.is_enabled)
      assert.deepEqual(await isEnabled(), [true, true, true])
      const nulls = { severity: null, emails: null, grace_period: null, active: null, webhooks: null }
      const changed = await client.call('POST', path, { ...nulls, [timeout]: null, [time]: ' ' })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual([changed.json.data.severity, changed.json.data.active], ['fatal', true])
      assert.deepEqual(await isEnabled(), [true, false, false])
      await client.call('POST', path, { [`${count}.service`]: null })
      const { fields } = await readConfig(client, id)
      assert.deepEqual(
        [fields[0]?.current_value, fields[0]?.scope],
        ['10.0000', { service: null, resource: null, label: null, ows_service: null }],
      )
    })

    it('takes the address of a user as that user, whatever its case', async () => {
      for (const name of ['ann', 'bob'])
        await client.server.app.inject({
          method: 'POST',
          url: '/rest/security/users',
          headers: client.server.admin,
          payload: { user: { name, password: 'long-enough', email: 'Team@example.org', role: 'user' } },
        })
      const id = await createCheck(client, 'users', ...thresholds())
      await client.call('POST', `/api/notifications/config/${id}/`, {
        emails: 'team@EXAMPLE.org\nother@example.org\nOTHER@example.org',
      })
      assert.deepEqual((await readConfig(client, id)).emails, ['Team@example.org', 'other@example.org'])
      const rows = await client.server.database.kysely
        .selectFrom('notification_receivers')
        .selectAll()
        .where('check_id', '=', id)
        .orderBy('id')
        .execute()
      assert.deepEqual(
        rows.map(({ kind, target }) => [kind, target]),
        [
          ['user', 'ann'],
          ['address', 'other@example.org'],
        ],
      )
    })

    it('refuses what does not fit, each at its field, and changes nothing then', async () => {
      const id = await createCheck(client, 'wrong', ...thresholds())
      const path = `/api/notifications/config/${id}/`
      const { status, json } = await client.call(
        'POST',
        path,
        toForm({
          severity: 'deadly',
          emails: 'a@example.org\nBcc: b@example.org',
          grace_period: 'soon',
          [count]: '4',
          [timeout]: '59',
          [time]: 'NaN',
          active: 'maybe',
        }),
      )
      assert.equal(status, 400)
      assert.deepEqual(json.errors, {
        severity: ['Select a valid choice. deadly is not one of the available choices.'],
        active: ['Select a valid choice. maybe is not one of the available choices.'],
        grace_period: ['Enter a valid duration: HH:MM:SS.'],
        emails: ['Enter valid email addresses.'],
        [count]: ['Select a valid choice. 4 is not one of the available choices.'],
        [timeout]: ['Ensure this value is greater than or equal to 60.'],
        [time]: ['Enter a number.'],
      })
      assert.deepEqual(json.data, [])
      const { fields, emails, notification } = await readConfig(client, id)
      assert.equal(notification.severity, 'error')
      assert.deepEqual([fields[2]?.current_value, emails], [null, []])
    })

    it('narrows a threshold to what its flags allow, and says which service or resource is unknown', async () => {
      const id = await createCheck(client, 'scopes', ...thresholds())
      const path = `/api/notifications/config/${id}/`
      const services = (await client.call('GET', '/api/services/')).json.services as {
        name: string
        type: string
      }[]
      const app = services.find(({ type }) => type === 'app')?.name ?? ''
      const host = services.find(({ type }) => type === 'hostapp')?.name ?? ''
      const set = await client.call(
        'POST',
        path,
        toForm({
          [time]: '600',
          [`${time}.service`]: app,
          [`${time}.label`]: 'x',
          [`${time}.ows_service`]: 'OWS:WMS',
        }),
      )
      assert.equal(set.status, 200, set.text)
      const scope = { service: app, resource: null, label: 'x', ows_service: 'OWS:WMS' }
      assert.deepEqual((await readConfig(client, id)).fields[2]?.scope, scope)
      await client.call('POST', path, toForm({ [`${time}.label`]: '' }))
      assert.deepEqual((await readConfig(client, id)).fields[2]?.scope, { ...scope, label: null })

      const wrong = await client.call(
        'POST',
        path,
        toForm({
          [time]: '600',
          [`${time}.service`]: 'nowhere',
          [`${time}.resource`]: '987654',

          [`${time}.ows_service`]: 'download',
          [count]: '0',
          [`${count}.label`]: 'x',
          [`${count}.service`]: host,
        }),
      )
      assert.equal(wrong.status, 400)
      assert.deepEqual(wrong.json.errors, {
        [`${time}.service`]: ['Service nowhere does not exist.'],
        [`${time}.resource`]: ['Resource 987654 does not exist.'],
        [`${time}.ows_service`]: ['Select a valid choice. download is not one of the available choices.'],
        [`${count}.service`]: [`Service ${host} does not measure request.count.`],
        [`${count}.label`]: ['This field has no such scope.'],
      })
    })

    it('gives a webhook a secret that it shows once', async () => {
      const id = await createCheck(client, 'hooks', ...thresholds())
      const path = `/api/notifications/config/${id}/`
      const given = 'https://hooks.example.org/given'
      const made = 'https://hooks.example.org/made'
      const first = await client.call('POST', path, { webhooks: `${given} my-own-secret\n${made}` })
      const secrets = first.json.data.webhook_secrets ?? {}
      assert.deepEqual(Object.keys(secrets), [made])
      assert.match(secrets[made] ?? '', /^[\da-f]{64}$/)
      const config = await client.call('GET', path)
      assert.deepEqual(config.json.data.webhooks, [given, made])
      for (const secret of ['my-own-secret', secrets[made] ?? '']) assert.ok(!config.text.includes(secret))
      const second = await client.call('POST', path, { webhooks: `${given}\n${made}` })
      assert.deepEqual(second.json.data.webhook_secrets, {})
      for (const webhooks of [
        'ftp://x.org',
        'https://me:pw@x.org',
        'x',
        `${given} short`,
        `${given} a-good-secret more`,
      ])
        assert.equal((await client.call('POST', path, { webhooks })).status, 400, webhooks)
    })

    it('is guarded by an ETag', async () => {
      const id = await createCheck(client, 'etag', ...thresholds())
      const path = `/api/notifications/config/${id}/`
      const etag = String((await client.call('GET', path)).headers.etag)
      const change = await client.call('POST', path, { severity: 'warning' }, { 'if-match': etag })
      assert.equal(change.status, 200)
      assert.equal((await client.call('POST', path, { severity: 'fatal' }, { 'if-match': etag })).status, 412)
      assert.equal((await client.call('DELETE', path, undefined, { 'if-match': etag })).status, 412)
      assert.equal((await client.call('DELETE', path)).status, 200)
      assert.equal((await client.call('GET', path)).status, 404)
    })
  })
}

describe('the form of a configuration', () => {
  it('has rows in the order of the contract, filled with what is set', async (t) => {
    const client = await startNotifications(t)
    const id = await createCheck(client, 'rows', ...thresholds())
    await client.call('POST', `/api/notifications/config/${id}/`, {
      emails: 'a@example.org\nb@example.org',
      [count]: 3.33,
      [time]: 700.5,
      [`${time}.label`]: 'x',
    })
    const { form } = await readConfig(client, id)
    const names = [...form.matchAll(/name="([^"]+)"/g)].map(([, name]) => name)
    assert.deepEqual(names, [
      'emails',
      'severity',
      'active',
      'grace_period',
      count,
      `${count}.service`,
      timeout,
      `${timeout}.service`,
      time,
      `${time}.service`,
      `${time}.resource`,
      `${time}.label`,
      `${time}.ows_service`,
      'window',
      'webhooks',
    ])
    assert.match(form, /<textarea name="emails"[^>]*>\na@example\.org\nb@example\.org<\/textarea>/)
    assert.match(form, /<option value="error" selected>/)
    assert.match(form, /<input type="checkbox" name="active" id="id_active" checked>/)
    assert.match(form, /name="grace_period"[^>]*value="00:10:00"/)
    assert.match(form, /<option value="3.33" selected>3.33<\/option>/)
    assert.match(
      form,
      /<input type="number" name="response.time.max_value"[^>]*step="0.01" min="500" value="700.5">/,
    )
    assert.match(form, /name="response.time.max_value.label"[^>]*value="x"/)
    assert.match(form, /Response time is higher than \(ms\):/)
  })

  it('has no markup of what people typed', async (t) => {
    const client = await startNotifications(t)
    const evil = '"><script>alert(1)</script>'
    const id = await createCheck(
      client,
      evil,
      threshold({
        metric: 'response.time',
        option: 'max_value',
        flags: [false, false, true, false],
        description: evil,
      }),
    )
    await client.call('POST', `/api/notifications/config/${id}/`, { [time]: 5, [`${time}.label`]: evil })
    const { form } = await readConfig(client, id)
    assert.doesNotMatch(form, /<script/)
    assert.match(form, /&quot;&gt;&lt;script&gt;/)
    assert.match(
      form,
      /type="number" name="response.time.max_value"[^>]*step="0.01" min="0" max="10" value="5">/,
    )
  })
})
