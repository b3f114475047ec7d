import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { clientOf } from '../../support/importer-client.ts'
import { mapServers } from '../../support/map-server-processes.ts'
import { startMonitoring } from '../../support/monitoring-client.ts'
import { until } from '../../support/until.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const map =
  'service=WMS&version=1.3.0&request=GetMap&styles=&crs=CRS:84&bbox=0,0,5,5&width=64&height=64&format=image/png'

interface Row {
  val: string
  resource?: { name: string }
}

describe('WMS as a service', () => {
  it('is counted as OWS:WMS with each of its layers, exceptions too', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const { server, call } = await startMonitoring(test, { clock })
    for (const name of ['roads', 'trees']) await importPoints(server, { name })
    const get = async (query: string, path = '/wms'): Promise<number> =>
      (await server.app.inject({ url: `${path}?${query}`, headers: server.admin })).statusCode
    clock.advance(60_000)
    assert.equal(await get(`${map}&layers=default:roads,default:trees`), 200)
    assert.equal(await get(`${map}&layers=roads`, '/default/wms'), 200)
    assert.equal(await get(`${map}&layers=default:roads`, '/ows'), 200)
    assert.equal(await get(`${map}&layers=trees`, '/default/ows'), 200)
    assert.equal(await get(`${map}&layers=default:none`), 404)
    const post = async (payload: string, path: string): Promise<number> => {
      const headers = { ...server.admin, 'content-type': 'application/x-www-form-urlencoded' }
      return (await server.app.inject({ method: 'POST', url: path, payload, headers })).statusCode
    }
    assert.equal(await get(`${map}&layers=trees`, '/gwc/service/wms'), 200)
    assert.equal(await post(`${map}&layers=roads`, '/wms'), 200)
    assert.equal(await post('', `/default/wms?${map}&layers=trees`), 200)
    assert.equal(await post(`service=WMS&${map}&layers=none`, '/ows'), 404)
    assert.equal(await get('service=WMS&request=GetCapabilities'), 200)
    assert.equal(await get('service=WPS&request=GetCapabilities', '/ows'), 400)
    clock.advance(60_000)
    await server.app.inject({ url: '/rest/layers', headers: server.admin })
    await server.monitoring?.catchUp()
    const rowsOf = async (query: string): Promise<Row[]> => {
      const requested = `/api/metric_data/request.count/?event_type=OWS:WMS&${query}valid_from=2026-11-21T12:01:00Z&valid_to=2026-11-21T12:02:00Z&interval=60`
      const { json, text } = await call('GET', requested)
      const [period] = (json as unknown as { data: { data: { data: Row[] }[] } }).data?.data ?? []
      assert.ok(period, text)
      return period.data
    }
    assert.equal(Number((await rowsOf(''))[0]?.val), 11)
    const counted = await rowsOf('group_by=resource&')
    assert.deepEqual(Object.fromEntries(counted.map(({ resource, val }) => [resource?.name, Number(val)])), {
      'default:roads': 4,
      'default:trees': 4,
    })
    const { json, text } = await call('GET', '/api/exceptions/')
    assert.match(JSON.stringify(json), /ServiceException/, text)
  })

  it('takes a name without its workspace for the only layer of it that the caller may read', async (test) => {
    const server = await createTestApp()
    test.after(() => server.close())
    const send = (method: 'POST' | 'PUT', url: string, payload: object) =>
      server.app.inject({ method, url, payload, headers: server.admin })
    for (const name of ['a', 'b'])
      assert.equal((await send('POST', '/rest/workspaces', { workspace: { name } })).statusCode, 201)
    await importPoints(server, { workspace: 'a', name: 'roads' })
    const ask = async (query: string, headers: object = server.admin, path = '/wms') => {
      const { statusCode, body } = await server.app.inject({
        url: `${path}?${query}`,
        headers: { ...headers },
      })
      return { statusCode, body }
    }
    assert.equal((await ask(`${map}&layers=roads`)).statusCode, 200)
    const tile =
      'service=WMTS&request=GetTile&version=1.0.0&layer=roads&style=&tilematrixset=EPSG:900913&tilematrix=0&tilerow=0&tilecol=0'
    assert.equal((await ask(tile, server.admin, '/wmts')).statusCode, 200)
    const hidden = await ask(`${map}&layers=roads`, {})
    assert.equal(hidden.statusCode, 404)
    assert.equal(hidden.body, (await ask(`${map}&layers=rails`, {})).body.replace('rails', 'roads'))
    await importPoints(server, { workspace: 'b', name: 'roads' })
    const several = await ask(`${map}&layers=roads`)
    assert.equal(several.statusCode, 404)
    assert.match(
      several.body,
      /code="LayerNotDefined".*Several layers are called &quot;roads&quot;: ask for one of a:roads, b:roads/,
    )
    assert.equal((await ask(`${map}&layers=roads`, server.admin, '/b/wms')).statusCode, 200)
    await send('PUT', '/rest/layers/b:roads', { layer: { public: true } })
    const open = await ask(`${map}&layers=roads`, {})
    assert.equal(open.statusCode, 200, open.body)
    assert.equal((await ask(`${map}&layers=a:roads`, {})).statusCode, 404)
  })

  it('stands below the base path, as the addresses of GeoServer do', async (test) => {
    const server = await createTestApp({ env: { TERRANE_BASE_PATH: '/geoserver' } })
    test.after(() => server.close())
    const file = clientOf(server).provide('geojson/countries.geojson')
    const made = await server.app.inject({
      method: 'POST',
      url: '/geoserver/rest/imports?exec=true',
      headers: server.admin,
      payload: { import: { data: { type: 'file', file } } },
    })
    assert.equal(made.json<{ import: { state: string } }>().import.state, 'COMPLETE', made.body)
    for (const [path, layer] of [
      ['/geoserver/wms', 'default:countries'],
      ['/geoserver/ows', 'default:countries'],
      ['/geoserver/default/wms', 'countries'],
      ['/geoserver/default/ows', 'default:countries'],
    ] as const) {
      const url = `${path}?${map}&layers=${layer}`
      const reply = await server.app.inject({ url, headers: server.admin })
      assert.equal(reply.statusCode, 200, `${url} ${reply.body}`)
    }
    const { body } = await server.app.inject({
      url: '/geoserver/default/wms?request=GetCapabilities&service=WMS',
      headers: server.admin,
    })
    assert.match(body, /xlink:href="http:\/\/[^"]+\/geoserver\/default\/wms\?"/)
  })

  it('is the service that SERVICE names, at whatever address it is asked', async (test) => {
    const server = await createTestApp()
    test.after(() => server.close())
    const roots = {
      WMS: '<WMS_Capabilities ',
      WFS: '<WFS_Capabilities ',
      WCS: '<wcs:Capabilities ',
      WMTS: '<Capabilities xmlns="http://www.opengis.net/wmts/1.0"',
    }
    const usual = { wms: 'WMS', wfs: 'WFS', wcs: 'WCS', wmts: 'WMTS', 'gwc/service/wmts': 'WMTS' } as const
    const ask = async (path: string, more: string) => {
      const url = `/${path}?request=GetCapabilities${more}`
      const { statusCode, body } = await server.app.inject({ url, headers: server.admin })
      return { statusCode, body }
    }
    const home = Object.entries(usual).flatMap(([path, service]) => [
      [path, service] as const,
      [`default/${path}`, service] as const,
    ])
    for (const [path, service] of home) {
      assert.ok((await ask(path, '')).body.includes(roots[service]), path)
      assert.ok((await ask(path, '&service=')).body.includes(roots[service]), path)
      for (const [name, root] of Object.entries(roots))
        assert.ok((await ask(path, `&service=${name.toLowerCase()}`)).body.includes(root), `${path} ${name}`)
      const { statusCode, body } = await ask(path, '&service=WPS')
      assert.equal(statusCode, 400, body)
      const isOws = service !== 'WMS'
      assert.match(body, isOws ? /<ows:ExceptionReport / : /<ServiceExceptionReport /)
      assert.match(body, /[cC]ode="InvalidParameterValue" locator="service"/)
    }
    assert.match((await ask('ows', '')).body, /code="MissingParameterValue" locator="service"/)
    for (const [payload, reported] of [
      ['service=WCS&request=GetCapabilities', /<wcs:Capabilities /],
      ['service=WMS&request=GetCapabilities', /<WMS_Capabilities /],
      ['service=WMTS&request=GetCapabilities', /<Capabilities xmlns="http:\/\/www.opengis.net\/wmts\/1.0"/],
      ['service=WPS&request=GetCapabilities', /exceptionCode="InvalidParameterValue" locator="service"/],
    ] as const) {
      const headers = { ...server.admin, 'content-type': 'application/x-www-form-urlencoded' }
      const { body } = await server.app.inject({ method: 'POST', url: '/wfs', payload, headers })
      assert.match(body, reported)
    }
  })

  it('loses one drawing at most when a process dies, and leaves none behind', async (test) => {
    const server = await createTestApp()
    test.after(() => server.close())
    await importPoints(server, { name: 'roads' })
    const draw = async (): Promise<string> => {
      const { statusCode, body } = await server.app.inject({
        url: `/wms?${map}&layers=default:roads`,
        headers: server.admin,
      })
      return statusCode === 200 ? 'drawn' : body
    }
    assert.equal(await draw(), 'drawn')
    const [first] = mapServers()
    assert.ok(first !== undefined)
    process.kill(first, 'SIGKILL')
    await until(async () => !mapServers().includes(first))
    assert.equal(await draw(), 'drawn')
    const many = await Promise.all(Array.from({ length: 30 }, draw))
    assert.deepEqual(new Set(many), new Set(['drawn']))
    assert.ok(mapServers().length <= 4)
    await server.close()
    await until(async () => mapServers().length === 0)
  })

  it('loses one drawing when a process hangs, and no other waits for it', async (test) => {
    const server = await createTestApp()
    test.after(() => server.close())
    await importPoints(server, { name: 'roads' })
    const draw = async (): Promise<{ status: number; code?: string }> => {
      const reply = await server.app.inject({
        url: `/wms?${map}&layers=default:roads`,
        headers: server.admin,
      })
      const code = /code="([^"]+)"/.exec(reply.statusCode === 200 ? '' : reply.body)?.[1]
      return { status: reply.statusCode, ...(code === undefined ? {} : { code }) }
    }
    // All processes of the pool.
    await Promise.all(Array.from({ length: 12 }, draw))
    const [hung] = mapServers()
    assert.ok(hung !== undefined)
    process.kill(hung, 'SIGSTOP')
    const begun = performance.now()
    const endings = Array.from({ length: 16 }, async () => ({
      ...(await draw()),
      tookMs: performance.now() - begun,
    }))
    const drawn = await Promise.all(endings)
    const lost = drawn.filter(({ status }) => status !== 200)
    assert.equal(lost.length, 1, JSON.stringify(lost))
    assert.equal(lost[0]?.status, 503)
    const last = Math.max(...drawn.filter(({ status }) => status === 200).map(({ tookMs }) => tookMs))
    assert.ok(last < (lost[0]?.tookMs ?? 0), `${last} ms, where the one that hung took ${lost[0]?.tookMs}`)
    await until(async () => !mapServers().includes(hung))
    const after = await Promise.all(Array.from({ length: 12 }, draw))
    assert.deepEqual(new Set(after.map(({ status }) => status)), new Set([200]))
    assert.ok(mapServers().length <= 4)
  })
})
