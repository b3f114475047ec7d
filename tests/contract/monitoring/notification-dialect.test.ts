import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { NotificationClient } from '../../support/notification-client.ts'
import { createCheck, readConfig, startNotifications, threshold } from '../../support/notification-client.ts'

const env = { TERRANE_DIALECT: 'geoserver' }
const timeout = 'request.count.max_timeout'
const count = 'request.count.min_value'

async function start(t: Parameters<typeof startNotifications>[0]): Promise<NotificationClient> {
  return startNotifications(t, { env, clock: fixedClock('2026-11-21T12:00:10Z') })
}

describe('checks in the dialect of older systems', () => {
  it('status has problems, with times of six digits and when they were spotted, and the health level', async (t) => {
    const client = await start(t)
    await client.call('POST', '/api/notifications/config/1/', {
      active: true,
      [timeout]: 120,
      severity: 'fatal',
    })
    const { json } = await client.call('GET', '/api/status/')
    assert.deepEqual(Object.keys(json.data), ['problems', 'health_level'])
    assert.equal(json.data.health_level, 'fatal')
    const [problem] = json.data.problems
    assert.equal(problem?.name, 'request.count')
    assert.match(problem?.spotted_at ?? '', /^2026-11-21T12:00:00\.000000Z$/)
    assert.match(problem?.description ?? '', /nothing was ever measured/)
  })

  it('notifications are the list of checks', async (t) => {
    const client = await start(t)
    const { json } = await client.call('GET', '/api/notifications/')
    const checks = json.data as unknown as Record<string, unknown>[]
    assert.equal(checks.length, 5)
    assert.deepEqual(
      ['id', 'url', 'name', 'active', 'severity', 'description'].filter((key) => !(key in (checks[0] ?? {}))),
      [],
    )
  })

  it('a configuration has current values with their class, and the addresses beside', async (t) => {
    const client = await start(t)
    const id = await createCheck(client, 'x', threshold({}), threshold({ option: 'max_timeout', max: null }))
    const changed = { [count]: 4.5, [timeout]: 60, emails: ['a@example.org', 'b@example.org'] }
    assert.equal((await client.call('POST', `/api/notifications/config/${id}/`, changed)).status, 200)
    const { fields, emails } = await readConfig(client, id)
    assert.deepEqual(
      fields.map(({ current_value }) => current_value),
      [
        { class: 'decimal.Decimal', value: '4.5000' },
        { class: 'datetime.timedelta', value: 60 },
      ],
    )
    assert.deepEqual(emails, ['a@example.org', 'b@example.org'])
  })

  it('what a configuration leaves out keeps its value, in JSON and in a form', async (t) => {
    const client = await start(t)
    const id = await createCheck(client, 'x', threshold({}), threshold({ option: 'max_timeout', max: null }))
    const path = `/api/notifications/config/${id}/`
    await client.call('POST', path, { [count]: 4, [timeout]: 60 })
    const changed = await client.call('POST', path, { severity: 'fatal' })
    assert.equal(changed.json.data.severity, 'fatal')
    const inForm = await client.call('POST', path, `${timeout}=70&active=on`)
    assert.equal(inForm.status, 200)
    const { fields } = await readConfig(client, id)
    assert.deepEqual(
      fields.map(({ current_value }) => current_value),
      [
        { class: 'decimal.Decimal', value: '4.0000' },
        { class: 'datetime.timedelta', value: 70 },
      ],
    )
  })

  it('a null switches a field off, as pages of older systems send it', async (t) => {
    const client = await start(t)
    const id = await createCheck(client, 'x', threshold({}), threshold({ option: 'max_timeout', max: null }))
    const path = `/api/notifications/config/${id}/`
    await client.call('POST', path, { [count]: 4, [timeout]: 60 })
    await client.call('POST', path, { active: true, emails: [], [count]: null, [timeout]: 90 })
    const { fields } = await readConfig(client, id)
    assert.deepEqual(
      fields.map(({ is_enabled }) => is_enabled),
      [false, true],
    )
  })
})
