import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { clientOf } from '../../support/importer-client.ts'
import { makeRoles, startMonitoring } from '../../support/monitoring-client.ts'
import { gdal, rasterFixtures } from '../../support/rasters.ts'

const describeOf = 'service=WCS&version=2.0.1&request=DescribeCoverage&coverageId'
const get = 'service=WCS&version=2.0.1&request=GetCoverage'
/** All requests for the cells of a coverage and for information about them. */
const ways = [
  `/wcs?${get}&coverageId=default__closed&scaleSize=i(9),j(9)`,
  `/ows?${get}&coverageId=default__closed&scaleSize=i(9),j(9)`,
  `/default/wcs?${get}&coverageId=default__closed&scaleSize=i(9),j(9)`,
  `/default/ows?${get}&coverageId=closed&format=image/png&scaleSize=i(9),j(9)`,
  '/wcs?service=WCS&version=1.0.0&request=GetCoverage&coverage=default:closed&bbox=102000,2612000,339000,2826000&crs=EPSG:32618&width=9&height=9&format=GeoTIFF',
  '/default/wcs?service=WCS&version=1.0.0&request=DescribeCoverage&coverage=closed',
  `/wcs?${describeOf}=default__closed`,
]
const lists = [
  '/wcs?service=WCS&request=GetCapabilities',
  '/default/ows?service=WCS&version=1.0.0&request=GetCapabilities',
]

interface Row {
  val: string
  resource?: { name: string }
}

async function importCoverages(server: TestApp, names: readonly string[]): Promise<void> {
  const client = clientOf(server)
  for (const name of names) {
    const file = `${name}.tif`
    gdal('gdal_translate', '-q', join(rasterFixtures, 'RGB.byte.tif'), join(server.dataDir, 'incoming', file))
    const created = await client.call('POST', '?exec=true', { import: { data: { type: 'file', file } } })
    assert.equal(created.status, 201, created.text)
  }
}

describe('WCS', () => {
  it('is read by those who may read the layer, by every way', async (test) => {
    const { server } = await startMonitoring(test)
    await importCoverages(server, ['open', 'closed'])
    const put = await server.app.inject({
      method: 'PUT',
      url: '/rest/layers/default:open',
      headers: server.admin,
      payload: { layer: { public: true } },
    })
    assert.equal(put.statusCode, 200, put.body)
    const callers = { ...(await makeRoles(server)), admin: server.admin, anonymous: {} }
    const ask = (url: string, headers: object) => server.app.inject({ url, headers: { ...headers } })
    for (const [who, headers] of Object.entries(callers)) {
      const mayRead = who !== 'anonymous'
      for (const url of ways) {
        const { statusCode, body } = await ask(url, headers)
        assert.equal(statusCode, mayRead ? 200 : 404, `${who} ${url} ${body.slice(0, 300)}`)
        const open = await ask(url.replace('closed', 'open'), headers)
        assert.equal(open.statusCode, 200, `${who} ${url} ${open.body.slice(0, 300)}`)
      }
      for (const url of lists) {
        const { body } = await ask(url, headers)
        assert.equal(body.includes('closed'), mayRead, `${who} ${url}`)
        assert.ok(body.includes('open'), `${who} ${url}`)
      }
    }
    for (const url of ways) {
      const hidden = await ask(url, {})
      const missing = await ask(url.replace('closed', 'closer'), {})
      assert.equal(hidden.body.replaceAll('closed', 'closer'), missing.body)
    }
  })

  it('is counted as OWS:WCS with its layer, exceptions too, by GET and POST', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const { server, call } = await startMonitoring(test, { clock })
    await importCoverages(server, ['relief', 'slope'])
    const ask = async (url: string): Promise<number> =>
      (await server.app.inject({ url, headers: server.admin })).statusCode
    clock.advance(60_000)
    assert.equal(await ask(`/wcs?${get}&coverageId=default__relief&scaleSize=i(9),j(9)`), 200)
    assert.equal(await ask(`/default/ows?${get}&coverageId=relief&scaleSize=i(9),j(9)`), 200)
    assert.equal(await ask(`/ows?${describeOf}=default__slope`), 200)
    assert.equal(await ask(`/wcs?${get}&coverageId=default__slope&subset=Height(1)`), 404)
    assert.equal(await ask(`/wcs?${get}&coverageId=default__none`), 404)
    assert.equal(await ask('/ows?service=wcs&request=GetCapabilities'), 200)
    const posted = await server.app.inject({
      method: 'POST',
      url: '/ows',
      headers: { ...server.admin, 'content-type': 'text/xml' },
      payload: '<GetCapabilities xmlns="http://www.opengis.net/wcs/2.0" service="WCS"/>',
    })
    assert.equal(posted.statusCode, 200, posted.body)
    clock.advance(60_000)
    await server.app.inject({ url: '/rest/layers', headers: server.admin })
    await server.monitoring?.catchUp()
    const rowsOf = async (query: string): Promise<Row[]> => {
      const requested = `/api/metric_data/request.count/?event_type=OWS:WCS&${query}valid_from=2026-11-21T12:01:00Z&valid_to=2026-11-21T12:02:00Z&interval=60`
      const { json, text } = await call('GET', requested)
      const [period] = (json as unknown as { data: { data: { data: Row[] }[] } }).data?.data ?? []
      assert.ok(period, text)
      return period.data
    }
    assert.equal(Number((await rowsOf(''))[0]?.val), 7)
    const counted = await rowsOf('group_by=resource&')
    assert.deepEqual(Object.fromEntries(counted.map(({ resource, val }) => [resource?.name, Number(val)])), {
      'default:relief': 2,
      'default:slope': 2,
    })
  })
})
