import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { TestApp, TestAppOptions } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { failQueries } from '../../support/failed-request.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { databases } from '../../support/monitoring-client.ts'

const start = '2026-11-21T12:00:10.000Z'

class BrokenPump extends Error {}

async function startApp(
  test: TestContext,
  env: Record<string, string> = {},
): Promise<TestApp & { clock: ReturnType<typeof fixedClock> }> {
  const clock = fixedClock(start)
  const options: TestAppOptions = { env: { TERRANE_MONITORING: 'on', ...env }, clock }
  const app = await createTestApp(options)
  test.after(() => app.close())
  return { ...app, clock }
}

/** Makes reading the workspaces fail once, as a defect in the code would. */
async function failOnce(test: TestContext, app: TestApp, url = '/ogc/collections'): Promise<void> {
  const headers = url.startsWith('/rest/') ? app.admin : {}
  const failure = (): Error =>
    new BrokenPump('no water for 203.0.113.77', { cause: new TypeError('no pump') })
  const reply = await failQueries(test, app, failure, () =>
    app.app.inject({
      url,
      remoteAddress: '203.0.113.77',
      headers: { 'user-agent': 'QGIS/3.22', host: 'maps.example', ...headers },
    }),
  )
  assert.equal(reply.statusCode, 500)
}

async function get(app: TestApp, path: string, status = 200) {
  const reply = await app.app.inject({ url: `/monitoring/api/exceptions/${path}`, headers: app.admin })
  assert.equal(reply.statusCode, status, reply.body)
  return reply.json()
}

for (const [name, environment] of Object.entries(databases))
  describe(`exceptions on ${name}`, () => {
    it('lists 5xx answers, newest first, each with the path to its details', async (test) => {
      const app = await startApp(test, await environment())
      await failOnce(test, app)
      app.clock.advance(1000)
      await failOnce(test, app, '/rest/workspaces')
      await app.monitoring?.catchUp()
      assert.deepEqual(await get(app, ''), {
        exceptions: [
          {
            id: 2,
            url: '/monitoring/api/exceptions/2/',
            error_type: 'BrokenPump',
            service: { type: 'app', name: 'localhost-app' },
            created: '2026-11-21T12:00:11.000Z',
          },
          {
            id: 1,
            url: '/monitoring/api/exceptions/1/',
            error_type: 'BrokenPump',
            service: { type: 'mapserver', name: 'localhost-mapserver' },
            created: start,
          },
        ],
      })
    })

    it('filters by time, service, type, class, resource and number', async (test) => {
      const app = await startApp(test, await environment())
      await failOnce(test, app)
      app.clock.advance(3_600_000)
      await failOnce(test, app, '/rest/workspaces')
      await app.monitoring?.catchUp()
      const ids = async (query: string): Promise<number[]> => {
        const { exceptions } = await get(app, `?${query}`)
        return exceptions.map(({ id }: { id: number }) => id)
      }
      assert.deepEqual(await ids('last=600'), [2])
      assert.deepEqual(await ids('last=7200&interval=7200'), [2, 1])
      assert.deepEqual(await ids('valid_to=2026-11-21 12:30:00'), [1])
      assert.deepEqual(await ids('valid_from=2026-11-21T12:30:00Z'), [2])
      assert.deepEqual(await ids('service_name=localhost-app'), [2])
      assert.deepEqual(await ids('service_type=mapserver'), [1])
      assert.deepEqual(await ids('service_type=mapserver&service_name=localhost-app'), [])
      assert.deepEqual(await ids('error_type=BrokenPump'), [2, 1])
      assert.deepEqual(await ids('error_type=Other'), [])
      assert.deepEqual(await ids('limit=1'), [2])
    })

    it('tells the exception, its request and what was answered', async (test) => {
      const app = await startApp(test, await environment())
      await failOnce(test, app)
      await app.monitoring?.catchUp()
      const { error_data, ...detail } = await get(app, '1/')
      assert.match(error_data, /no water for 203\.0\.113\.0\n[\s\S]*Caused by: TypeError: no pump\n {4}at /)
      assert.ok(detail.request.response.size > 0)
      assert.deepEqual(detail, {
        error_type: 'BrokenPump',
        error_message: 'no water for 203.0.113.0\nno pump',
        service: { type: 'mapserver', name: 'localhost-mapserver' },
        created: start,
        request: {
          event_type: 'OWS:WFS',
          client: {
            ip: '203.0.113.0',
            position: { lat: null, lon: null, country: null, city: null },
            user_agent: 'QGIS/3.22',
            user_agent_family: 'Other / Other / QGIS 3.22',
          },
          request: { path: '/ogc/collections', host: 'maps.example', method: 'GET', created: start },
          response: {
            status: 500,
            time: detail.request.response.time,
            type: 'application/problem+json; charset=utf-8',
            size: detail.request.response.size,
          },
          resources: [],
        },
      })
      assert.ok(Number.isInteger(detail.request.response.time))
    })

    it('names the resources that were affected, by which it is found, and the place of the client', async (test) => {
      const fed = await startFed(test, await environment())
      const roads = { type: 'layer', name: 'ws:roads' } as const
      const created = '2026-11-21T12:33:00.000Z'
      const common = { serviceId: fed.services.mapserver, errorType: 'Broken', status: 500 }
      const place = { latitude: 41.9, longitude: 12.5, country: 'ITA', city: 'Roma', milliseconds: 12.6 }
      const requests = [[roads], []].map((resources) =>
        requestAt(created, { ...common, ...place, resources }),
      )
      const exceptions = requests.map((request) => ({
        serviceId: common.serviceId,
        created: request.created,
        errorType: 'Broken',
        message: 'It broke',
        stack: 'at somewhere',
        request,
      }))
      await fed.feed({ events: requests, exceptions })
      const { resources } = (await fed.call('GET', '/api/resources/')).json as unknown as {
        resources: { id: number }[]
      }
      assert.equal(resources.length, 1)
      const found = await get(fed.server, `?resource=${resources[0]?.id}`)
      assert.equal(found.exceptions.length, 1)
      const { request } = await get(fed.server, `${found.exceptions[0].id}/`)
      assert.deepEqual(request.resources, resources)
      assert.deepEqual(request.client.position, { lat: 41.9, lon: 12.5, country: 'ITA', city: 'Roma' })
      assert.deepEqual(request.response, { status: 500, time: 13, type: null, size: 100 })
    })
  })

describe('GET /monitoring/api/exceptions/', () => {
  it('has none for 4xx answers', async (test) => {
    const app = await startApp(test)
    assert.equal((await app.app.inject('/rest/layers')).statusCode, 401)
    assert.equal((await app.app.inject('/nowhere')).statusCode, 404)
    await app.monitoring?.catchUp()
    assert.deepEqual(await get(app, ''), { exceptions: [] })
  })

  it('has one for a job that failed, without a request', async (test) => {
    const app = await startApp(test)
    app.events.emit('exception.caught', { error: new BrokenPump('dry'), where: 'job load' })
    await app.monitoring?.catchUp()
    const { exceptions } = await get(app, '')
    assert.equal(exceptions.length, 1)
    const detail = await get(app, `${exceptions[0].id}/`)
    assert.equal(detail.error_message, 'job load: dry')
    assert.equal(detail.request.request.path, null)
    assert.equal(detail.request.event_type, null)
  })

  it('refuses parameters that are wrong, each by its name', async (test) => {
    const app = await startApp(test)
    const cases: [query: string, field: string][] = [
      ['last=59', 'last'],
      ['last=600&valid_from=2026-11-21', '__all__'],
      ['valid_from=2026-11-22&valid_to=2026-11-21', '__all__'],
      ['valid_from=yesterday', 'valid_from'],
      ['service_name=nobody', 'service_name'],
      ['service_type=nothing', 'service_type'],
      ['resource=12345', 'resource'],
      ['limit=0', 'limit'],
      ['last=600&last=600', 'last'],
    ]
    for (const [query, field] of cases) {
      const { status, success, errors, data } = await get(app, `?${query}`, 400)
      assert.deepEqual([status, success, data, Object.keys(errors)], ['error', false, [], [field]], query)
    }
  })

  it('is for staff', async (test) => {
    const app = await startApp(test)
    for (const path of ['', '1/']) {
      const url = `/monitoring/api/exceptions/${path}`
      assert.equal((await app.app.inject(url)).statusCode, 401)
    }
  })

  it('carries the envelope and six digits in the dialect of older systems', async (test) => {
    const app = await startApp(test, { TERRANE_DIALECT: 'geoserver' })
    await failOnce(test, app)
    await app.monitoring?.catchUp()
    const { exceptions, ...rest } = await get(app, '')
    assert.deepEqual(rest, { status: 'ok', success: true, errors: {}, data: { key: 'exceptions' } })
    assert.equal(exceptions[0].created, '2026-11-21T12:00:10.000000Z')
    assert.deepEqual(exceptions[0].service, { type: 'geoserver', name: 'localhost-mapserver' })
  })
})

describe('GET /monitoring/api/exceptions/<id>/', () => {
  it('is 404 in the envelope for an id that is unknown or no number', async (test) => {
    const app = await startApp(test)
    for (const id of ['1', 'x', '-1', '1.5', '99999999999999999999']) {
      const { status, success, data } = await get(app, `${id}/`, 404)
      assert.deepEqual([status, success, data], ['error', false, []], id)
    }
  })
})

describe('a flood of exceptions', () => {
  it('is cut to a bounded number a minute, while every failed request still counts', async (test) => {
    const app = await startApp(test)
    for (let count = 0; count < 150; count += 1) await failOnce(test, app)
    app.clock.advance(60_000)
    await app.monitoring?.catchUp()
    const { exceptions } = await get(app, '')
    assert.equal(exceptions.length, 100)
  })
})
