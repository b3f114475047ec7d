import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { openSeriesDatabase } from '../../../src/monitoring/series/open-series-database.ts'
import type { ServicesChange } from '../../../src/monitoring/services/services.ts'
import { createTestApp } from '../../support/app.ts'
import { placeOf, requestAt, startFed } from '../../support/fed-monitoring.ts'
import type { Answer } from '../../support/importer-client.ts'
import { databases, makeRoles, monitoringClient, startMonitoring } from '../../support/monitoring-client.ts'

const remote = {
  name: 'maps',
  type: 'mapserver',
  host: 'localhost',
  url: 'http://maps.example.org',
  notes: 'runs elsewhere',
  check_interval: 120,
  source: {
    kind: 'geoserver-monitor',
    url: 'http://10.0.0.5/geoserver',
    user: 'reader',
    password: 'very-secret',
  },
}
const shown = {
  ...remote,
  id: 4,
  active: true,
  last_check: null,
  problem: null,
  source: { ...remote.source, password: '********' },
}

function errorsOf(answer: Answer, status = 400) {
  assert.equal(answer.status, status, answer.text)
  return answer.json.errors
}

for (const [kind, environment] of Object.entries(databases)) {
  const start = async (test: TestContext) => startMonitoring(test, { env: await environment() })

  describe(`services on ${kind}`, () => {
    it('are created by administrators, bare or wrapped, and read back', async (test) => {
      const { call } = await start(test)
      const created = await call('POST', '/api/services/', { service: remote })
      assert.equal(created.status, 200)
      assert.deepEqual(created.json, { status: 'ok', success: true, errors: {}, data: shown })
      assert.match(String(created.headers.location), /^http.*\/monitoring\/api\/services\/4$/)
      assert.deepEqual((await call('GET', '/api/services/4/')).json.data, shown)
      const bare = await call('POST', '/api/services/', { ...remote, name: 'bare' })
      assert.equal(bare.json.data?.name, 'bare')
    })

    it('never show or store their password in clear, and keep it where the stars are written back', async (test) => {
      const { call, server } = await start(test)
      const created = await call('POST', '/api/services/', remote)
      assert.doesNotMatch(created.text, /very-secret/)
      const row = await server.database.kysely
        .selectFrom('services')
        .selectAll()
        .where('id', '=', 4)
        .executeTakeFirstOrThrow()
      assert.doesNotMatch(JSON.stringify(row), /very-secret/)
      await call('PUT', '/api/services/4/', { source: { ...shown.source, user: 'other' } })
      const passwordOf = async (id: number) => {
        const { source } = await server.services.get(id)
        return 'password' in source ? source.password?.reveal() : undefined
      }
      assert.equal(await passwordOf(4), 'very-secret')
      await call('PUT', '/api/services/4/', { source: { password: '' } })
      assert.equal(await passwordOf(4), undefined)
      assert.deepEqual(
        errorsOf(await call('PUT', '/api/services/4/', { source: { password: '********' } })),
        { 'source.password': ['"********" keeps a stored password, and there is none: send the password.'] },
      )
    })

    it('are changed in part, and keep the rest', async (test) => {
      const { call } = await start(test)
      await call('POST', '/api/services/', remote)
      const changed = await call('PUT', '/api/services/4/', {
        active: false,
        notes: '',
        check_interval: '60',
      })
      assert.deepEqual(changed.json.data, { ...shown, active: false, notes: '', check_interval: 60 })
      const moved = await call('PUT', '/api/services/4/', {
        service: { name: 'moved', source: { kind: 'log', path: '/var/log/access.log' } },
      })
      assert.equal(moved.json.data?.name, 'moved')
      assert.deepEqual(moved.json.data?.source, { kind: 'log', path: '/var/log/access.log' })
    })

    it('honour If-Match, which a collection does not disturb', async (test) => {
      const { call, server } = await start(test)
      const before = await call('GET', '/api/services/1/')
      await server.services.markChecked(1, new Date('2026-11-21T12:04:00Z'))
      const tag = { 'if-match': String(before.headers.etag) }
      const changed = await call('PUT', '/api/services/1/', { notes: 'first' }, tag)
      assert.equal(changed.status, 200)
      assert.equal(changed.json.data?.last_check, '2026-11-21T12:04:00.000Z')
      assert.equal((await call('PUT', '/api/services/1/', { notes: 'second' }, tag)).status, 412)
      assert.equal((await call('DELETE', '/api/services/1/', undefined, tag)).status, 412)
      const now = { 'if-match': String(changed.headers.etag) }
      assert.equal((await call('DELETE', '/api/services/1/', undefined, now)).status, 200)
    })

    it('are removed, and their ids are not given again', async (test) => {
      const { call } = await start(test)
      await call('POST', '/api/services/', remote)
      const removed = await call('DELETE', '/api/services/4/')
      assert.deepEqual(removed.json, { status: 'ok', success: true, errors: {} })
      assert.equal((await call('GET', '/api/services/4/')).status, 404)
      assert.equal((await call('DELETE', '/api/services/4/')).status, 404)
      assert.equal((await call('POST', '/api/services/', remote)).json.data?.id, 5)
    })

    it('are removed with what was collected of them', async (test) => {
      const fed = await startFed(test, await environment())
      const { app, mapserver } = fed.services
      const events = [app, mapserver].map((serviceId) =>
        requestAt('2026-11-21T12:33:00Z', { serviceId, path: `/of-${serviceId}`, status: 500 }),
      )
      await fed.feed({ events })
      const sums = async (query: string) => {
        const { text } = await fed.call('GET', `/api/metric_data/request.path/?last=600&interval=600${query}`)
        return JSON.parse(text).data.data[0].data.map((row: { label: string }) => row.label)
      }
      assert.deepEqual(await sums(''), [`/of-${app}`, `/of-${mapserver}`])
      assert.equal((await fed.call('DELETE', `/api/services/${app}/`)).status, 200)
      assert.deepEqual(await sums(''), [`/of-${mapserver}`])
      const database = await openSeriesDatabase(placeOf(fed.server), { isReader: true })
      for (const table of ['monitoring_series', 'monitoring_requests'])
        assert.deepEqual(await database.all(`select id from ${table} where service_id = ?`, [app]), [], table)
      await database.close()
    })

    it('have unique names', async (test) => {
      const { call } = await start(test)
      const taken = { name: ['Service with this name already exists.'] }
      const body = { ...remote, name: 'localhost-app' }
      assert.deepEqual(errorsOf(await call('POST', '/api/services/', body)), taken)
      assert.deepEqual(errorsOf(await call('PUT', '/api/services/2/', { name: 'localhost-app' })), taken)
      assert.equal((await call('PUT', '/api/services/1/', { name: 'localhost-app' })).status, 200)
    })

    it('have unique names when two are made at once', async (test) => {
      const { call } = await start(test)
      const answers = await Promise.all([1, 2, 3].map(() => call('POST', '/api/services/', remote)))
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400])
    })

    it('tell who listens of every change, and not of a collection', async (test) => {
      const { call, server } = await start(test)
      const heard: ServicesChange[] = []
      const stop = server.services.onChange((change) => {
        heard.push(change)
      })
      await call('POST', '/api/services/', remote)
      await call('PUT', '/api/services/4/', { notes: 'x' })
      await server.services.markChecked(4, new Date())
      await call('DELETE', '/api/services/4/')
      stop()
      await call('PUT', '/api/services/1/', { notes: 'x' })
      assert.deepEqual(heard, [{}, {}, { removedId: 4 }])
    })
  })

  describe(`hosts on ${kind}`, () => {
    it('are created, changed and removed by administrators', async (test) => {
      const { call } = await start(test)
      const created = await call('POST', '/api/hosts/', { host: { name: 'maps', ip: '10.0.0.5' } })
      const data = { id: 2, name: 'maps', ip: '10.0.0.5' }
      assert.deepEqual(created.json, { status: 'ok', success: true, errors: {}, data })
      assert.match(String(created.headers.location), /\/monitoring\/api\/hosts\/2$/)
      const read = await call('GET', '/api/hosts/2/')
      assert.deepEqual(read.json.data, data)
      const tag = { 'if-match': String(read.headers.etag) }
      const changed = await call('PUT', '/api/hosts/2/', { ip: 'fd00::5' }, tag)
      assert.deepEqual(changed.json.data, { ...data, ip: 'fd00::5' })
      assert.equal((await call('PUT', '/api/hosts/2/', { ip: '::1' }, tag)).status, 412)
      assert.equal((await call('DELETE', '/api/hosts/2/')).status, 200)
      assert.equal((await call('GET', '/api/hosts/2/')).status, 404)
    })

    it('have unique names, which their services show', async (test) => {
      const { call } = await start(test)
      const taken = { name: ['Host with this name already exists.'] }
      const body = { name: 'localhost', ip: '127.0.0.1' }
      assert.deepEqual(errorsOf(await call('POST', '/api/hosts/', body)), taken)
      await call('PUT', '/api/hosts/1/', { name: 'here' })
      assert.equal((await call('GET', '/api/services/1/')).json.data?.host, 'here')
    })

    it('are not removed while services run on them', async (test) => {
      const { call } = await start(test)
      assert.deepEqual(errorsOf(await call('DELETE', '/api/hosts/1/'), 409), {
        __all__: ['Host 1 has services: remove localhost-app, localhost-hostapp, localhost-mapserver first'],
      })
    })
  })
}

describe('a service', () => {
  it('shows its address, notes and source to administrators alone', async (test) => {
    const { call, server } = await startMonitoring(test)
    const { user, staff } = await makeRoles(server)
    await call('POST', '/api/services/', remote)
    for (const headers of [user, staff]) {
      const { data } = (await call('GET', '/api/services/4/', undefined, headers)).json
      const keys = ['id', 'name', 'type', 'host', 'check_interval', 'last_check', 'active']
      assert.deepEqual(Object.keys(data ?? {}), keys)
    }
  })

  it('is refused with a message for each wrong field', async (test) => {
    const { call } = await startMonitoring(test)
    const wrong = {
      name: 'x'.repeat(256),
      type: 'webserver',
      host: 'nowhere',
      url: 'ftp://x',
      notes: 7,
      active: 'perhaps',
      check_interval: 59,
      source: { kind: 'node-exporter', url: 'http://u:p@x' },
    }
    assert.deepEqual(errorsOf(await call('POST', '/api/services/', wrong)), {
      name: ['Ensure this value has at most 255 characters (it has 256).'],
      type: ['Select a valid choice. webserver is not one of the available choices.'],
      host: ['Host nowhere does not exist'],
      url: ['Enter an http or https address.'],
      active: ['Select a valid choice. perhaps is not one of the available choices.'],
      check_interval: ['Ensure this value is greater than or equal to 60.'],
      'source.url': ['Enter an address without user and password.'],
    })
    const sources = [
      [{ kind: 'log' }, { 'source.path': ['This field is required.'] }],
      [{ kind: 'log', path: 'access.log' }, { 'source.path': ['Enter an absolute path.'] }],
      [{ kind: 'geoserver-monitor' }, { 'source.url': ['This field is required.'] }],
      [{ path: '/x' }, { 'source.kind': ['This field is required.'] }],
      [undefined, { source: ['This field is required.'] }],
      ['own', { source: ['Enter an object.'] }],
      [
        { kind: 'node-exporter', url: 'http://x' },
        {
          'source.kind': [
            'A service of this type has one of the sources own, log, geoserver-monitor, not node-exporter.',
          ],
        },
      ],
    ]
    for (const [source, errors] of sources)
      assert.deepEqual(errorsOf(await call('POST', '/api/services/', { ...remote, source })), errors)
  })

  it('has its own source where the type has no other to choose', async (test) => {
    const { call } = await startMonitoring(test)
    for (const type of ['app', 'hostapp']) {
      const body = { name: `second-${type}`, type, host: 'localhost' }
      assert.deepEqual((await call('POST', '/api/services/', body)).json.data?.source, { kind: 'own' })
    }
  })

  it('is taken from a form too, and repeated fields are refused', async (test) => {
    const { call } = await startMonitoring(test)
    const form = 'name=logs&type=mapserver&host=localhost&source.kind=log&source.path=/var/log/a.log'
    const created = await call('POST', '/api/services/', form)
    assert.deepEqual(created.json.data?.source, { kind: 'log', path: '/var/log/a.log' })
    assert.deepEqual(errorsOf(await call('POST', '/api/services/', `${form}&name=two`)), {
      name: ['Enter one value: this one was given 2 times.'],
    })
  })

  it('is taken from a multipart form too', async (test) => {
    const { call } = await startMonitoring(test)
    const part = (name: string, value: string) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const body = `${part('name', 'maps')}${part('ip', '10.0.0.5')}--b--\r\n`
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    assert.deepEqual((await call('POST', '/api/hosts/', body, headers)).json.data, {
      id: 2,
      name: 'maps',
      ip: '10.0.0.5',
    })
  })

  it('is made once for one Idempotency-Key', async (test) => {
    const { call } = await startMonitoring(test)
    const key = { 'idempotency-key': 'one' }
    const first = await call('POST', '/api/services/', remote, key)
    const again = await call('POST', '/api/services/', remote, key)
    assert.equal(again.text, first.text)
    assert.equal(again.headers.etag, first.headers.etag)
  })

  it('takes and shows the type names of older systems in their dialect', async (test) => {
    const { call } = await startMonitoring(test, { env: { TERRANE_DIALECT: 'geoserver' } })
    const source = { kind: 'geoserver-status', url: 'http://x' }
    const created = await call('POST', '/api/services/', { ...remote, type: 'hostgeoserver', source })
    assert.equal(created.json.data?.type, 'hostgeoserver')
    assert.deepEqual(errorsOf(await call('POST', '/api/services/', { ...remote, type: 'mapserver' })), {
      type: ['Select a valid choice. mapserver is not one of the available choices.'],
    })
  })

  it('is listed in the dialect of older systems when it is switched off, and says so', async (test) => {
    const { call } = await startMonitoring(test, { env: { TERRANE_DIALECT: 'geoserver' } })
    const source = { kind: 'geoserver-status', url: 'http://x' }
    await call('POST', '/api/services/', { ...remote, type: 'hostgeoserver', source, active: false })
    const { services } = (await call('GET', '/api/services/')).json as unknown as {
      services: { name: string; active: boolean }[]
    }
    assert.deepEqual(
      services.map(({ active }) => active),
      [true, true, true, false],
    )
  })

  it('is there after a restart', async (test) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'terrane-test-'))
    test.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const env = { TERRANE_MONITORING: 'on' }
    const first = await createTestApp({ dataDir, env })
    await monitoringClient(first).call('POST', '/api/services/', remote)
    await monitoringClient(first).call('DELETE', '/api/services/2/')
    await first.close()
    const { call } = await startMonitoring(test, { dataDir })
    const { services } = (await call('GET', '/api/services/')).json as unknown as {
      services: { name: string }[]
    }
    assert.deepEqual(
      services.map(({ name }) => name),
      ['localhost-app', 'localhost-mapserver', 'maps'],
    )
  })
})

describe('a host', () => {
  it('is refused with a message for each wrong field', async (test) => {
    const { call } = await startMonitoring(test)
    assert.deepEqual(errorsOf(await call('POST', '/api/hosts/', { ip: '10.0.0' })), {
      name: ['This field is required.'],
      ip: ['Enter a valid IPv4 or IPv6 address.'],
    })
    assert.deepEqual(errorsOf(await call('PUT', '/api/hosts/1/', { name: 'a\u0000b' })), {
      name: ['Null characters are not allowed.'],
    })
  })
})
