import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basicAuth, type TestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { startClient } from '../../support/importer-client.ts'
import { importRaster } from '../../support/rasters.ts'
import { ask } from '../../support/version-client.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const password = 'long-enough-password'
const map =
  'service=WMS&version=1.3.0&request=GetMap&layers=default:trees&styles=&crs=CRS:84&bbox=0,0,10,10&width=20&height=20&format=image/png'
const coverage = 'service=WCS&version=2.0.1&request=GetCoverage&coverageId=default__raster'

// A download of a raster counts as 10 s when it is requested, so that one uses up the budget of 5 s.
describe('heavy work of one client', () => {
  let server: TestApp
  const clock = fixedClock(new Date().toISOString())
  before(async () => {
    const client = await startClient({
      clock,
      env: {
        TERRANE_MAX_ADDRESS_WORK: '5',
        TERRANE_MAX_USER_WORK: '1000',
        TERRANE_TRUSTED_PROXIES: '127.0.0.1',
      },
    })
    server = client.server
    await importPoints(server, { name: 'trees' })
    client.provide('raster/RGB.byte.tif')
    await importRaster(client, 'RGB.byte.tif')
    for (const layer of ['trees', 'RGB_byte'])
      await ask(server, 'PUT', `/rest/layers/default:${layer}`, { layer: { public: true } })
    await ask(server, 'POST', '/rest/security/users', { user: { name: 'anna', password, role: 'user' } })
  })
  after(() => server.close())

  const get = (url: string, address: string, headers: Record<string, string> = {}) =>
    server.app.inject({ url, headers: { 'x-forwarded-for': address, ...headers } })
  const spend = async (address: string): Promise<void> => {
    const reply = await get('/ogc/collections/default:RGB_byte/download', address, {
      prefer: 'respond-async',
    })
    assert.equal(reply.statusCode, 202, reply.body)
  }

  it('is refused with 429 and Retry-After once the budget is used up, and goes on when it has come back', async () => {
    const items = '/ogc/collections/default:trees/items'
    assert.equal((await get(items, '192.0.2.1')).statusCode, 200)
    await spend('192.0.2.1')
    const refused = await get(items, '192.0.2.1')
    assert.equal(refused.statusCode, 429, refused.body)
    assert.equal(refused.json<{ code: string }>().code, 'too-much-work')
    assert.equal(refused.headers['retry-after'], '3600')
    // Tiles without a filter and documents go on.
    for (const url of ['/ogc/collections/default:trees', '/tiles/default:trees/0/0/0.mvt', '/rest/layers'])
      assert.equal((await get(url, '192.0.2.1')).statusCode, 200, url)
    assert.equal((await get('/tiles/default:trees/0/0/0.mvt?filter=1=1', '192.0.2.1')).statusCode, 429)
    assert.equal((await get(items, '192.0.2.2')).statusCode, 200, 'another address behind the proxy')
    const anna = await get(items, '192.0.2.1', basicAuth('anna', password))
    assert.equal(anna.statusCode, 200, 'a user has a budget of their own')
    clock.advance(3_600_000)
    assert.equal((await get(items, '192.0.2.1')).statusCode, 200)
  })

  it('is refused by OGC services in their own format, and their other operations go on', async () => {
    await spend('192.0.2.3')
    for (const [url, expected] of [
      [`/wms?${map}`, /<ServiceExceptionReport .*TERRANE_MAX_ADDRESS_WORK/s],
      ['/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=default:trees', /<ows:ExceptionReport /],
      [`/wcs?${coverage}`, /<ows:ExceptionReport /],
    ] as const) {
      const reply = await get(url, '192.0.2.3')
      assert.equal(reply.statusCode, 429, url)
      assert.ok(Number(reply.headers['retry-after']) > 0)
      assert.match(reply.body, expected)
    }
    for (const service of ['WMS', 'WFS', 'WCS'])
      assert.equal(
        (await get(`/ows?service=${service}&request=GetCapabilities`, '192.0.2.3')).statusCode,
        200,
        service,
      )
  })

  it('is measured while it runs, and counted in /metrics', async () => {
    const secondsOf = async (client: string): Promise<number> => {
      const { body } = await server.app.inject({ url: '/metrics', headers: server.admin })
      const pattern = new RegExp(`^terrane_heavy_work_seconds_total\\{client="${client}"\\} (.+)$`, 'm')
      return Number(pattern.exec(body)?.[1])
    }
    assert.equal(await secondsOf('user'), 0)
    const reply = await get(
      `/wcs?${coverage.replace('raster', 'RGB_byte')}`,
      '192.0.2.4',
      basicAuth('anna', password),
    )
    assert.equal(reply.statusCode, 200, reply.body)
    assert.ok((await secondsOf('user')) > 0)
    assert.ok((await secondsOf('address')) >= 20)
    const { body } = await server.app.inject({ url: '/metrics', headers: server.admin })
    assert.match(body, /^terrane_heavy_work_refused_total\{client="address"\} 5$/m)
  })
})
