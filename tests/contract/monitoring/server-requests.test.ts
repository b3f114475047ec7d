import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { adminPassword, createTestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { brief, importTown, recorded, serviceNames, startApp } from '../../support/recorded-app.ts'
import { requestLogOf } from '../../support/request-log.ts'
import { temporaryData } from '../../support/terrane-process.ts'

describe('recording of own requests', () => {
  it('takes every fact of a request, without its query', async (test) => {
    const app = await startApp(test, { env: { TERRANE_TRUSTED_PROXIES: '127.0.0.1' } })
    const reply = await app.app.inject({
      url: '/rest/layers?token=abc',
      headers: {
        ...app.admin,
        host: 'maps.example:8080',
        'user-agent': 'QGIS/3.22',
        'x-forwarded-for': '203.0.113.77',
      },
    })
    const [request] = await recorded(app)
    assert.ok(request !== undefined && request.milliseconds > 0)
    assert.match(String(request.texts.visitor), /^[0-9a-f]{64}$/)
    assert.deepEqual(request, {
      serviceId: request.serviceId,
      eventType: 'view',
      status: 200,
      sizeBytes: Buffer.byteLength(reply.body),
      milliseconds: request.milliseconds,
      resources: [],
      texts: {
        method: 'GET',
        path: '/rest/layers',
        userAgent: 'QGIS/3.22',
        userAgentFamily: 'Other / Other / QGIS 3.22',
        clientIp: '203.0.113.0',
        country: null,
        region: null,
        city: null,
        visitor: request.texts.visitor ?? null,
        userName: 'admin',
        errorType: null,
        host: 'maps.example:8080',
        contentType: 'application/json; charset=utf-8',
      },
    })
  })

  it('counts requests that fail, unknown paths, methods and addresses too, as views without a resource', async (test) => {
    const app = await startApp(test)
    const send = (method: string, url: string) => app.app.inject({ method: method as 'GET', url })
    await send('GET', '/rest/layers')
    await send('GET', '/nowhere')
    await send('DELETE', '/rest/layers')
    await send('HEAD', '/ogc')
    await send('GET', '/rest/%zz')
    assert.deepEqual((await recorded(app)).map(brief).sort(), [
      'DELETE /rest/layers 405 view',
      'GET /nowhere 404 view',
      'GET /rest/%zz 400 view',
      'GET /rest/layers 401 view',
      'HEAD /ogc 200 OWS:WFS',
    ])
  })

  it('leaves out the operation of the server and files of pages, below a base path too', async (test) => {
    for (const base of ['', '/geoserver']) {
      const app = await startApp(test, { env: { TERRANE_BASE_PATH: base } })
      const paths = ['/health', '/health/', '/metrics', '/monitoring/api/hosts/', '/monitoring/x']
      for (const path of [...paths, '/docs/static/index.html', '/docs', '/rest/styles/']) {
        await app.app.inject({ url: `${base}${path}`, headers: app.admin })
      }
      const requests = await recorded(app)
      assert.deepEqual(requests.map(brief), [
        `GET ${base}/docs 200 view`,
        `GET ${base}/rest/styles/ 200 view`,
      ])
      assert.deepEqual(requests[0]?.resources, [{ type: 'url', name: '/docs' }])
    }
  })

  it('counts a request for one service: those of OGC endpoints for the map server', async (test) => {
    const app = await startApp(test)
    await app.app.inject('/ogc/collections')
    await app.app.inject({ url: '/rest/layers', headers: app.admin })
    const names = await serviceNames(app)
    const found = (await recorded(app)).map(({ serviceId, texts }) => `${names.get(serviceId)} ${texts.path}`)
    assert.deepEqual(found.sort(), ['localhost-app /rest/layers', 'localhost-mapserver /ogc/collections'])
  })

  it('knows layers and styles, and how they are used', async (test) => {
    const app = await startApp(test)
    await importTown(app)
    const get = (url: string) => app.app.inject({ url, headers: app.admin })
    await get('/ogc/collections/default:town/items?limit=1')
    await get('/ogc/collections/default%3Atown')
    await get('/ogc/collections/default:other/items')
    await get('/rest/layers/town')
    await get('/rest/styles/point')
    await get('/rest/styles/unknown')
    // One minute or two: the log has a batch for each service and minute.
    const byService = (await recorded(app)).toSorted((one, other) => one.serviceId - other.serviceId)
    const found = byService.map((one) =>
      `${brief(one)} ${one.resources.map(({ type, name }) => `${type}=${name}`).join(' ')}`.trim(),
    )
    assert.deepEqual(found, [
      'POST /rest/imports 201 create',
      'POST /rest/imports/0/tasks 201 upload',
      'POST /rest/imports/0 204 publish',
      'GET /rest/layers/town 200 view_metadata layer=default:town',
      'GET /rest/styles/point 200 view style=point',
      'GET /rest/styles/unknown 404 view',
      'GET /ogc/collections/default:town/items 200 OWS:WFS layer=default:town',
      'GET /ogc/collections/default%3Atown 200 OWS:WFS layer=default:town',
      'GET /ogc/collections/default:other/items 404 OWS:WFS',
    ])
  })

  it('counts what a client breaks off once, with 499 where there was no answer yet', async (test) => {
    const app = await startApp(test)
    const { port } = new URL(await app.app.listen({ host: '127.0.0.1', port: 0 }))
    const head = `POST /rest/imports/1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: ${app.admin.authorization}\r\n`
    const type = 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\n'
    const client = connect(Number(port), '127.0.0.1')
    client.write(head + type)
    client.on('error', () => undefined)
    const received = new Promise((resolve) => app.app.server.once('request', resolve))
    await received
    client.destroy()
    while (app.monitoring?.load().waiting === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    const requests = await recorded(app)
    assert.equal(requests.length, 1)
    assert.equal(requests[0]?.texts.path, '/rest/imports/1/tasks')
    assert.ok([499, 400, 404].includes(requests[0]?.status ?? 0), String(requests[0]?.status))
  })

  it('records nothing for a service that is not active, and goes on when it is again', async (test) => {
    const app = await startApp(test)
    const service = (await app.services.find('localhost-app')) ?? assert.fail()
    await app.services.update(service.id, { isActive: false })
    await app.app.inject('/one')
    assert.deepEqual(await recorded(app), [])
    await app.services.update(service.id, { isActive: true })
    await app.app.inject('/two')
    assert.deepEqual((await recorded(app)).map(brief), ['GET /two 404 view'])
  })

  it('loses nothing when the server stops', async (test) => {
    const dataDir = temporaryData(test)
    const first = await createTestApp({ dataDir, env: { TERRANE_MONITORING: 'on' } })
    await first.app.inject('/one')
    await first.app.inject('/two')
    await first.close()
    const second = await startApp(test, { dataDir })
    assert.deepEqual((await requestLogOf(second)).map(brief), ['GET /one 404 view', 'GET /two 404 view'])
  })

  it('notes when own services were collected, once a minute', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const app = await startApp(test, { clock })
    clock.advance(60_000)
    await app.monitoring?.catchUp()
    const [service] = await app.services.list()
    assert.equal(service?.lastCheck, '2026-11-21T12:01:10.000Z')
  })

  it('does nothing where monitoring is off', async (test) => {
    const app = await startApp(test, { env: { TERRANE_MONITORING: 'off' } })
    assert.equal(app.monitoring, undefined)
    await app.app.inject('/one')
    assert.equal(
      (await app.app.inject({ url: '/monitoring/api/hosts/', headers: app.admin })).statusCode,
      404,
    )
    assert.equal(existsSync(join(app.dataDir, 'monitoring.sqlite')), false)
    const health = await app.app.inject('/health')
    assert.deepEqual(health.json().monitoring, { status: 'off', problems: [] })
  })
})

describe('visitors', () => {
  async function visitorsOf(app: TestApp): Promise<string[]> {
    return (await recorded(app)).map(({ texts }) => `${texts.visitor} ${texts.userName}`)
  }

  it('are told apart by address, program and name, and are others on the next day', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const app = await startApp(test, { clock })
    const send = (remoteAddress: string, agent: string, headers = {}) =>
      app.app.inject({ url: '/x', remoteAddress, headers: { 'user-agent': agent, ...headers } })
    await send('203.0.113.1', 'a')
    await send('203.0.113.1', 'a')
    await send('203.0.113.2', 'a')
    await send('203.0.113.1', 'b')
    clock.advance(86_400_000)
    await send('203.0.113.1', 'a')
    const [first, again, other, program, nextDay] = await visitorsOf(app)
    assert.equal(first, again)
    assert.equal(new Set([first, other, program, nextDay]).size, 4)
    assert.match(String(first), /^[0-9a-f]{64} AnonymousUser$/)
  })

  it('are one for one session, wherever it comes from', async (test) => {
    const app = await startApp(test)
    const session = { name: 'admin', password: adminPassword }
    const login = await app.app.inject({
      method: 'POST',
      url: '/rest/security/session',
      payload: { session },
    })
    assert.equal(login.statusCode, 200, login.body)
    const [cookie = ''] = String(login.headers['set-cookie']).split(';')
    for (const remoteAddress of ['203.0.113.1', '198.51.100.2']) {
      await app.app.inject({ url: '/rest/layers', remoteAddress, headers: { cookie } })
    }
    const [, first, second] = await visitorsOf(app)
    assert.equal(first, second)
    assert.match(String(first), /^[0-9a-f]{64} admin$/)
  })

  it('keep their label when the server starts anew on the same day', async (test) => {
    const dataDir = temporaryData(test)
    for (let count = 0; count < 2; count += 1) {
      const app = await createTestApp({
        dataDir,
        env: { TERRANE_MONITORING: 'on' },
        clock: fixedClock('2026-11-21T12:00:10Z'),
      })
      await app.app.inject({ url: '/x', remoteAddress: '203.0.113.1' })
      await app.close()
    }
    const app = await startApp(test, { dataDir, clock: fixedClock('2026-11-21T12:00:20Z') })
    assert.equal(new Set(await visitorsOf(app)).size, 1)
  })
})
