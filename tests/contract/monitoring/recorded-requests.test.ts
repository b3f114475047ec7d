import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { readDemand, readUsage } from '../../../src/monitoring/query/usage-reads.ts'
import { openSeriesDatabase } from '../../../src/monitoring/series/open-series-database.ts'
import { basicAuth } from '../../support/app.ts'
import { placeOf } from '../../support/fed-monitoring.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { serveRaster } from '../../support/rasters.ts'
import { brief, importTown, recorded, serviceNames, startApp } from '../../support/recorded-app.ts'
import type { LoggedRequest } from '../../support/request-log.ts'
import { until } from '../../support/until.ts'

describe('what is recorded of own requests', () => {
  it('counts the usage of a layer by class, area and visitor', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const app = await startApp(test, { clock, env: { TERRANE_OWN_NETWORKS: '127.0.0.1' } })
    await importTown(app)
    clock.advance(120_000)
    const caller = { ...app.admin, 'user-agent': 'QGIS/3.22' }
    const send = async (url: string, more: object = {}, status = 200) => {
      const reply = await app.app.inject({ url, headers: caller, ...more })
      assert.equal(reply.statusCode, status, url)
    }
    const cell = 'tiles/WebMercatorQuad/8/126/128'
    await send(`/ogc/collections/default:town/${cell}`)
    await send('/tiles/default:town/9/257/253.mvt')
    await send('/tiles/default:town/2/2/1.mvt')
    const wms =
      '/wms?service=WMS&version=1.3.0&request=GetMap&layers=town&styles=&width=9&height=9&format=image/png'
    await send(`${wms}&crs=EPSG:4326&bbox=1.5,0.5,2.5,1.3`)
    await send('/ogc/collections/default:town/items?bbox=0.5,1.5,1.3,2.5')
    await send('/ogc/collections/default:town/items', { method: 'HEAD' })
    await send('/ogc/collections/default:town')
    const getFeature =
      '<GetFeature service="WFS" version="2.0.0"><Query typeNames="default:town"/></GetFeature>'
    const headers = { ...caller, 'content-type': 'text/xml' }
    await send('/wfs', { method: 'POST', headers, payload: getFeature })
    clock.advance(120_000)
    await app.monitoring?.catchUp()
    const series = await openSeriesDatabase(placeOf(app), { isReader: true })
    test.after(() => series.close())
    const days = { from: 0, to: 4e9 }
    const { rows } = await readUsage(series, { ...days, scope: 'resource' })
    const names = await serviceNames(app)
    const ofTown = rows.find((row) => names.get(row.serviceId) === 'localhost-mapserver') ?? assert.fail()
    assert.equal(ofTown.resource?.name, 'default:town')
    const { classes, named, cells } = ofTown.row
    assert.deepEqual(Object.fromEntries(classes), {
      tiles: { requests: 3, delivered: 3 },
      maps: { requests: 1, delivered: 1 },
      features: { requests: 3, delivered: 2 },
      metadata: { requests: 1, delivered: 1 },
    })
    const [own, outside] = cells
    assert.deepEqual([named, outside, own?.requests, own?.visitors.count], [8, undefined, 8, 1])
    assert.deepEqual([own?.times.total.count, own?.times.firstByte.count], [8, 8])
    const [demand] = await readDemand(series, days)
    assert.deepEqual([demand?.resource.name, demand?.row.wide], ['default:town', 1])
    const requested = [...(demand?.row.cells ?? [])].map(([at, { requests }]) => [
      at % 256,
      Math.floor(at / 256),
      requests,
    ])
    assert.deepEqual(requested, [[128, 126, 4]])
  })

  it('counts the usage of layers by their owner', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const app = await startApp(test, { clock })
    await importTown(app)
    const send = async (url: string, more: object = {}) => {
      const reply = await app.app.inject({ url, headers: app.admin, ...more })
      assert.equal(reply.statusCode, 200, reply.body)
    }
    const layer = '/rest/layers/default:town'
    for (const owner of ['Town hall', '', 'Surveying office'])
      await send(layer, { method: 'PUT', payload: { layer: { owner } } })
    for (let at = 0; at < 3; at += 1) await send('/ogc/collections/default:town/items')
    clock.advance(120_000)
    await app.monitoring?.catchUp()
    const series = await openSeriesDatabase(placeOf(app), { isReader: true })
    test.after(() => series.close())
    const { rows } = await readUsage(series, { from: 0, to: 4e9, scope: 'owner' })
    const owners = new Set(rows.map(({ label }) => label))
    assert.ok(!owners.has(''))
    const features = rows
      .filter(({ label }) => label === 'Surveying office')
      .reduce((sum, { row }) => sum + (row.classes.get('features')?.requests ?? 0), 0)
    assert.equal(features, 3)
  })

  it('counts requests of own pages like others, and once more apart from them', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const app = await startApp(test, { clock, env: { TERRANE_BASE_PATH: '/maps' } })
    const host = 'maps.example'
    const send = (url: string, referer?: string) =>
      app.app.inject({ url, headers: { ...app.admin, host, ...(referer && { referer }) } })
    await send('/maps/rest/layers', `https://${host}/maps/app/usage?span=7d`)
    await send('/maps/ogc/collections', `http://${host}/maps/`)
    await send('/maps/ogc/collections/a:b', `http://${host}/maps/assets/worker-abc.js`)
    await send('/maps/ogc/collections')
    await send('/maps/ogc/collections', `http://${host}/maps/ogc`)
    await send('/maps/ogc/collections', `http://${host}/maps/embed/map`)
    await send('/maps/ogc/collections', 'https://elsewhere.example/maps/app/usage')
    await send('/maps/ogc/collections', 'not an address')
    clock.advance(120_000)
    await app.monitoring?.catchUp()
    const window = 'valid_from=2026-11-21T12:00:00Z&valid_to=2026-11-21T12:01:00Z'
    const rowsOf = async (query: string) => {
      const url = `/maps/monitoring/api/metric_data/${query}${query.includes('?') ? '&' : '?'}${window}`
      const reply = await app.app.inject({ url, headers: app.admin })
      assert.equal(reply.statusCode, 200, reply.body)
      const [period] = reply.json().data.data as { data: { label: string; val: string }[] }[]
      return period?.data.map(({ label, val }) => `${label} ${Number(val)}`)
    }
    assert.deepEqual(await rowsOf('request.count/'), ['count 8'])
    assert.deepEqual(await rowsOf('request.count/?service_type=app'), ['count 1'])
    assert.deepEqual(await rowsOf('request.count/?traffic=pages'), ['count 3'])
    assert.deepEqual(await rowsOf('request.count/?traffic=all'), ['count 8'])
    assert.deepEqual(await rowsOf('response.status/?traffic=pages'), ['200 2', '404 1'])
    assert.deepEqual(await rowsOf('request.count/?traffic=pages&service=localhost-mapserver'), ['count 2'])
    assert.deepEqual(await rowsOf('request.count/?traffic=pages&event_type=OWS:WFS'), ['count 2'])
    const stateOf = async (query: string) => {
      const reply = await app.app.inject({ url: `/maps/rest/state${query}`, headers: app.admin })
      const { requests, failed } = reply.json().state.requests.today
      return { requests, failed }
    }
    assert.deepEqual(await stateOf(''), { requests: 5, failed: 0 })
    assert.deepEqual(await stateOf('?traffic=all'), { requests: 8, failed: 1 })
    const service = (await app.services.find('localhost-mapserver')) ?? assert.fail()
    await app.services.remove(service.id)
    await app.monitoring?.catchUp()
    assert.deepEqual(await rowsOf('request.count/?traffic=pages'), ['count 1'])
  })

  it('keeps address, user and program of clients that leave before they are answered', async (test) => {
    const app = await startApp(test, { env: { TERRANE_PRIVACY: 'full' } })
    const { port } = new URL(await app.app.listen({ host: '127.0.0.1', port: 0 }))
    const heads = ['', `Authorization: ${app.admin.authorization}\r\n`]
    const requests = ['GET /rest/layers', 'GET /nowhere', 'POST /rest/imports', 'GET /rest/%zz']
    const rounds = [1, 2, 3]
    for (const _round of rounds)
      for (const line of requests)
        for (const head of heads) {
          const client = connect(Number(port), '127.0.0.1')
          client.on('error', () => undefined)
          await once(client, 'connect')
          const body = 'User-Agent: QGIS/3.22\r\nContent-Length: 0\r\n\r\n'
          client.write(`${line} HTTP/1.1\r\nHost: x\r\n${head}${body}`, () => client.resetAndDestroy())
          await once(client, 'close')
        }
    const expected = rounds.length * requests.length
    await until(async () => (await recorded(app)).length === 2 * expected)
    const facts = (await recorded(app)).map(({ texts }) => texts)
    const count = (holds: (texts: LoggedRequest['texts']) => boolean) => facts.filter(holds).length
    assert.equal(
      count(({ clientIp }) => clientIp === '127.0.0.1'),
      2 * expected,
    )
    assert.equal(
      count(({ userAgent, visitor }) => userAgent === 'QGIS/3.22' && visitor !== null),
      2 * expected,
    )
    assert.equal(
      count(({ userName }) => userName === 'admin'),
      expected,
    )
    assert.equal(
      count(({ errorType }) => errorType !== null),
      0,
    )
  })

  it('names the signed-in user of requests that no route takes, and of refused ones', async (test) => {
    const app = await startApp(test)
    const send = (method: 'GET' | 'DELETE', url: string, headers: Record<string, string>) =>
      app.app.inject({ method, url, headers })
    await send('GET', '/nowhere', app.admin)
    await send('DELETE', '/rest/layers', app.admin)
    await send('GET', '/rest/%zz', app.admin)
    await send('DELETE', '/rest/layers/a:b', { ...app.admin, origin: 'https://elsewhere.example' })
    await send('GET', '/wrong', basicAuth('admin', 'wrong password'))
    await send('GET', '/anonymous', {})
    const found = (await recorded(app)).map(
      ({ status, texts }) => `${texts.path} ${status} ${texts.userName}`,
    )
    assert.deepEqual(found.sort(), [
      '/anonymous 404 AnonymousUser',
      '/nowhere 404 admin',
      '/rest/%zz 400 admin',
      '/rest/layers 405 admin',
      '/rest/layers/a:b 403 admin',
      '/wrong 404 AnonymousUser',
    ])
  })

  it('does not record what browsers ask before requests of other pages', async (test) => {
    const app = await startApp(test, { env: { TERRANE_CORS_ORIGINS: 'https://maps.example' } })
    const preflight = (url: string, origin: string, method = 'GET') =>
      app.app.inject({ method: 'OPTIONS', url, headers: { origin, 'access-control-request-method': method } })
    await preflight('/ogc/collections', 'https://elsewhere.example')
    await preflight('/rest/imports', 'https://maps.example', 'POST')
    await preflight('/rest/imports', 'https://elsewhere.example', 'POST')
    await preflight('/rest/uploads', 'https://elsewhere.example', 'PATCH')
    await app.app.inject({ method: 'OPTIONS', url: '/rest/uploads' })
    assert.deepEqual((await recorded(app)).map(brief), ['OPTIONS /rest/uploads 204 view'])
  })

  it('counts the delivered file of a whole layer as one download of it, and nothing else', async (test) => {
    const app = await startApp(test)
    await importTown(app)
    const download = '/ogc/collections/default:town/download?f=csv'
    const call = (method: 'GET' | 'HEAD', url: string, headers: Record<string, string> = {}) =>
      app.app.inject({ method, url, headers: { ...app.admin, ...headers } })
    const first = await call('GET', download)
    assert.equal(first.statusCode, 200)
    const file = new URL(String(first.headers['content-location'])).pathname
    const etag = String((await call('GET', file)).headers.etag)
    await call('HEAD', file)
    await call('GET', file, { 'if-none-match': etag })
    await call('GET', file, { range: 'bytes=0-' })
    await call('GET', file, { range: 'bytes=0-1' })
    await call('GET', file, { range: 'bytes=2-' })
    await call('GET', file, { range: 'bytes=999999-' })
    await call('HEAD', download)
    await call('GET', download, { prefer: 'respond-async' })
    await call('GET', '/ogc/collections/default:town/download?f=odd')
    await call('GET', '/rest/downloads/0000/file')
    const names = await serviceNames(app)
    const found = (await recorded(app))
      .filter(({ texts }) => /download/.test(String(texts.path)))
      .map(({ serviceId, status, eventType, texts, resources }) =>
        [
          names.get(serviceId)?.replace('localhost-', ''),
          `${texts.method} ${status} ${eventType} ${resources.map(({ name }) => name).join()}`,
        ].join(': '),
      )
    assert.deepEqual(found.sort(), [
      'app: GET 200 download default:town',
      'app: GET 206 download default:town',
      'app: GET 206 view default:town',
      'app: GET 206 view default:town',
      'app: GET 304 view default:town',
      'app: GET 404 view ',
      'app: GET 416 view default:town',
      'app: HEAD 200 view default:town',
      'mapserver: GET 200 download default:town',
      'mapserver: GET 202 OWS:WFS default:town',
      'mapserver: GET 400 OWS:WFS default:town',
      'mapserver: HEAD 200 OWS:WFS default:town',
    ])
  })

  it('counts the file of a coverage as a download, and its parts and sidecars as reading', async (test) => {
    const client = await serveRaster(test, { env: { TERRANE_MONITORING: 'on' } })
    const file = '/ogc/collections/default%3ARGB_byte/file/RGB.byte.tif'
    for (const [url, range] of [[file], [file, 'bytes=0-16383'], [`${file}.aux.xml`]] as const)
      await client.server.app.inject({ url, headers: { ...client.server.admin, ...(range && { range }) } })
    const found = (await recorded(client.server)).filter(({ texts }) => /file/.test(String(texts.path)))
    assert.deepEqual(
      found.map(({ status, eventType, resources }) => `${status} ${eventType} ${resources[0]?.name}`),
      ['200 download default:RGB_byte', '206 OWS:WCS default:RGB_byte', '404 OWS:WCS default:RGB_byte'],
    )
  })
})
