import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { updateThreshold } from '../../../src/monitoring/notify/records/check-repository.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { Json } from '../../support/importer-client.ts'
import { listOf } from '../../support/importer-client.ts'
import { startMonitoring } from '../../support/monitoring-client.ts'
import type { NotificationClient } from '../../support/notification-client.ts'
import {
  createCheck,
  creation,
  readConfig,
  startNotifications,
  threshold,
  toForm,
} from '../../support/notification-client.ts'

import { temporaryData } from '../../support/terrane-process.ts'

const password = 'long-enough'

/** Logs in as staff, as a page does: headers that carry the cookie and no password. */
async function logIn({ server }: NotificationClient): Promise<Record<string, string>> {
  const user = { user: { name: 'sam', password, role: 'staff' } }
  await server.app.inject({
    method: 'POST',
    url: '/rest/security/users',
    headers: server.admin,
    payload: user,
  })
  const session = { session: { name: 'sam', password } }
  const reply = await server.app.inject({ method: 'POST', url: '/rest/security/session', payload: session })
  assert.equal(reply.statusCode, 200, reply.body)
  return { authorization: '', cookie: String(reply.headers['set-cookie']).split(';', 1)[0] ?? '' }
}

/** Returns the values of the hidden inputs of a form. */
function hiddenFields(form: string): Record<string, string> {
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  return Object.fromEntries([...inputs].map(([, name, value]) => [name, value]))
}

function toMultipart(fields: Record<string, string>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--part\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return `${parts.join('')}--part--\r\n`
}

describe('a form that a page embeds', () => {
  it('is sent by the browser of somebody who is logged in, without any header', async (t) => {
    const client = await startNotifications(t)
    const id = await createCheck(client, 'Requests')
    const page = await logIn(client)
    const path = `/api/notifications/config/${id}/`
    const hidden = hiddenFields((await client.call('GET', path, undefined, page)).json.data.form)
    assert.deepEqual(Object.keys(hidden), ['csrf_token'])
    const fields = { severity: 'fatal', active: 'on', 'request.count.min_value': '3' }

    const changed = await client.call('POST', path, toForm({ ...fields, ...hidden }), page)
    assert.equal(changed.status, 200, changed.text)
    assert.equal(changed.json.data.severity, 'fatal')
    assert.equal(changed.headers['terrane-ignored'], undefined)

    const parts = toMultipart({ ...fields, severity: 'warning', ...hidden })
    const header = { 'content-type': 'multipart/form-data; boundary=part' }
    const again = await client.call('POST', path, parts, { ...page, ...header })
    assert.equal(again.status, 200, again.text)
    assert.equal((await readConfig(client, id)).notification.severity, 'warning')

    const made = await client.call(
      'POST',
      '/api/notifications/',
      toForm({ ...creation('New'), ...hidden }),
      page,
    )
    assert.equal(made.status, 200, made.text)
    assert.equal(made.headers['terrane-ignored'], undefined)
  })

  it('is refused from a session without its token', async (t) => {
    const client = await startNotifications(t)
    const id = await createCheck(client, 'Requests')
    const page = await logIn(client)
    const path = `/api/notifications/config/${id}/`
    const hidden = hiddenFields((await client.call('GET', path, undefined, page)).json.data.form)

    for (const [body, headers] of [
      [toForm({ severity: 'fatal' }), {}],
      [toForm({ severity: 'fatal', csrf_token: 'guess' }), {}],
      [`${toForm(hidden)}&${toForm(hidden)}`, {}],
      [toForm({ severity: 'fatal', ...hidden }), { 'x-csrf-token': 'guess' }],
      [{ severity: 'fatal', ...hidden }, {}],
    ] as const) {
      const reply = await client.call('POST', path, body, { ...page, ...headers })
      assert.equal(reply.status, 403, reply.text)
    }
    assert.equal((await readConfig(client, id)).notification.severity, 'error')
  })

  it('has no token for somebody who gives a password or an API token', async (t) => {
    const client = await startNotifications(t)
    const id = await createCheck(client, 'Requests')

    assert.deepEqual(hiddenFields((await readConfig(client, id)).form), {})
  })
})

describe('two services that are this server', () => {
  it('count what it does and what its machine has once, and the second says so', async (test) => {
    const clock = fixedClock('2026-03-01T12:00:30Z')
    const { call, server } = await startMonitoring(test, { clock })
    for (const type of ['app', 'hostapp']) {
      const made = await call('POST', '/api/services/', { name: `second-${type}`, type, host: 'localhost' })
      assert.equal(made.status, 200, made.text)
    }
    for (let reading = 0; reading < 2; reading += 1) {
      await server.app.inject({ url: '/ogc', headers: server.admin })
      await server.monitoring?.catchUp()
      clock.advance(60_000)
    }
    await server.monitoring?.catchUp()
    const rowsOf = async (query: string): Promise<Json[]> => {
      const { json, text } = await call('GET', `/api/metric_data/${query}`)
      return listOf(listOf(json.data?.data)[0]?.data ?? assert.fail(text))
    }
    const window = 'valid_from=2026-03-01T12:00:00Z&valid_to=2026-03-01T12:02:00Z&interval=120'

    assert.equal((await rowsOf(`uptime/?${window}`))[0]?.samples_count, 2)
    assert.deepEqual(await rowsOf(`uptime/?${window}&service=second-hostapp`), [])
    assert.equal((await rowsOf(`request.count/?${window}`))[0]?.val, '2.0000')
    const services = listOf((await call('GET', '/api/services/')).json.services)
    for (const type of ['app', 'hostapp']) {
      const { id } = services.find(({ name }) => String(name) === `second-${type}`) ?? assert.fail()
      const { json } = await call('GET', `/api/services/${String(id)}/`)
      assert.match(String(json.data?.problem), new RegExp(`^Not read: the service [\\w.-]+-${type} counts`))
      assert.equal(json.data?.last_check, null)
    }
  })
})

describe('a form that is sent back as it came', () => {
  it('keeps a value that was loaded from elsewhere and is none of the steps, and takes no other', async (test) => {
    const client = await startNotifications(test)
    const id = await createCheck(client, 'Requests', threshold({ steps: 3 }))
    const [field] = (await readConfig(client, id)).fields
    await updateThreshold(client.server.database.kysely, field?.id ?? assert.fail(), { value: 2.5 })
    const form = (await readConfig(client, id)).form
    const [, chosen = ''] = /<option value="([^"]*)" selected>2\.5/.exec(form) ?? assert.fail(form)
    const send = (value: string) =>
      client.call(
        'POST',
        `/api/notifications/config/${id}/`,
        toForm({ active: 'on', 'request.count.min_value': value }),
      )

    assert.equal((await send(chosen)).status, 200)
    assert.equal((await readConfig(client, id)).fields[0]?.current_value, '2.5000')
    assert.equal((await send('2.6')).status, 400)
  })

  it('tells what is wrong with a list of addresses', async (test) => {
    const client = await startNotifications(test)
    const id = await createCheck(client, 'Requests')
    const reply = await client.call('POST', `/api/notifications/config/${id}/`, { emails: [1] })

    assert.equal(reply.status, 400)
    assert.deepEqual(reply.json.errors, { emails: ['Enter a list of texts.'] })
  })
})

describe('a change of the services while they are collected', () => {
  it('holds up no recording', async (test) => {
    const clock = fixedClock('2026-03-01T12:00:30Z')
    const { server } = await startMonitoring(test, { clock })
    await server.monitoring?.catchUp()
    const { services } = server
    const list = services.list.bind(services)
    services.list = async () => {
      const found = await list()
      setImmediate(() => services.remove(99))
      return found
    }
    for (let minute = 1; minute <= 3; minute += 1) {
      clock.advance(60_000)
      await server.monitoring?.catchUp()
      const own = (await list()).find(({ type }) => type === 'app')
      assert.equal(own?.lastCheck, clock.now().toISOString())
    }
  })
})

describe('links of resources in the dialect of older systems', () => {
  it('lead to pages and layers of this server below its base path, and nowhere for layers of others', async (test) => {
    const clock = fixedClock('2026-03-01T12:00:30Z')
    const { call, server } = await startMonitoring(test, {
      clock,
      env: { TERRANE_DIALECT: 'geoserver', TERRANE_PUBLIC_URL: 'https://maps.example.org/geo' },
    })
    const log = join(temporaryData(test), 'access.log')
    const request = 'GET /ows?service=WMS&request=GetMap&layers=towns HTTP/1.1'
    writeFileSync(log, `198.51.100.7 - - [01/Mar/2026:12:00:05 +0000] "${request}" 200 10 "-" "-"\n`)
    const source = { kind: 'log', path: log }
    await call('POST', '/api/services/', {
      name: 'maps',
      type: 'geoserver',
      host: 'maps.example.org',
      source,
    })
    await server.app.inject({ url: '/docs' })
    await server.monitoring?.catchUp()
    clock.advance(60_000)
    await server.monitoring?.catchUp()
    const query = 'group_by=resource&valid_from=2026-03-01T12:00:00Z&valid_to=2026-03-01T12:01:00Z'
    const { json, text } = await call('GET', `/api/metric_data/request.count/?${query}`)
    const rows = listOf(listOf(json.data?.data)[0]?.data ?? assert.fail(text))

    const links = rows.map(({ resource }) => {
      const { name, href } = resource as unknown as { name: string; href: string }
      return [name, href]
    })
    assert.deepEqual(Object.fromEntries(links), { '/docs': 'https://maps.example.org/geo/docs', towns: '' })
  })
})

describe('JSON that is sent as a form, as curl does without a header', () => {
  it('is refused, and switches no check off', async (test) => {
    const client = await startNotifications(test)
    const id = await createCheck(client, 'Requests')
    const reply = await client.call('POST', `/api/notifications/config/${id}/`, '{"severity": "fatal"}')

    assert.equal(reply.status, 400)
    assert.match(String(reply.json.errors.__all__), /application\/json/)
    const { active, severity } = (await readConfig(client, id)).notification
    assert.deepEqual([active, severity], [true, 'error'])
  })
})
