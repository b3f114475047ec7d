import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { clientOf } from '../../support/importer-client.ts'
import { makeRoles, startMonitoring } from '../../support/monitoring-client.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const features = 'service=WFS&version=2.0.0&request=GetFeature'
/** All requests for the features of a layer and for information about them. */
const ways = [
  `/wfs?${features}&typeNames=default:closed`,
  `/wfs?${features}&typeNames=closed`,
  `/ows?${features}&typeNames=default:closed&resultType=hits`,
  `/default/wfs?${features}&typeNames=closed&outputFormat=json`,
  `/default/ows?${features}&typeNames=default:closed&outputFormat=csv`,
  `/wfs?${features}&typeNames=default:closed&outputFormat=SHAPE-ZIP`,
  `/wfs?${features}&resourceId=closed.1`,
  `/wfs?${features}&storedquery_id=urn:ogc:def:query:OGC-WFS::GetFeatureById&id=closed.1`,
  '/wfs?service=WFS&version=1.1.0&request=GetFeature&typeName=closed&maxFeatures=1',
  '/wfs?service=WFS&version=2.0.0&request=DescribeFeatureType&typeNames=default:closed',
]
const lists = [
  '/wfs?service=WFS&request=GetCapabilities',
  '/default/ows?service=WFS&version=1.1.0&request=GetCapabilities',
  '/wfs?service=WFS&version=2.0.0&request=DescribeFeatureType',
]

interface Row {
  val: string
  resource?: { name: string }
}

describe('WFS', () => {
  it('is read by those who may read the layer, by every way', async (test) => {
    const { server } = await startMonitoring(test)
    for (const name of ['open', 'closed']) await importPoints(server, { name })
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
        assert.equal(statusCode === 200, mayRead, `${who} ${url} ${statusCode} ${body.slice(0, 300)}`)
        const open = await ask(url.replace('closed', 'open'), headers)
        assert.equal(open.statusCode, 200, `${who} ${url}`)
      }
      for (const url of lists) {
        const { body } = await ask(url, headers)
        assert.equal(body.includes('closed'), mayRead, `${who} ${url}`)
        assert.ok(body.includes('open'), `${who} ${url}`)
      }
    }
    const hidden = await ask(ways[0] ?? '', {})
    const missing = await ask((ways[0] ?? '').replace('closed', 'closer'), {})
    assert.equal(hidden.body.replaceAll('closed', 'closer'), missing.body)
  })

  it('is counted as OWS:WFS with its layer, exceptions too', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const { server, call } = await startMonitoring(test, { clock })
    for (const name of ['roads', 'trees']) await importPoints(server, { name })
    const get = async (url: string): Promise<number> =>
      (await server.app.inject({ url, headers: server.admin })).statusCode
    clock.advance(60_000)
    assert.equal(await get(`/wfs?${features}&typeNames=default:roads`), 200)
    assert.equal(await get(`/default/ows?${features}&typeNames=roads`), 200)
    assert.equal(await get(`/ows?${features}&resourceId=trees.1`), 200)
    assert.equal(await get(`/wfs?${features}&typeNames=default:none`), 400)
    assert.equal(await get('/ows?service=wfs&request=GetCapabilities'), 200)
    clock.advance(60_000)
    await server.app.inject({ url: '/rest/layers', headers: server.admin })
    await server.monitoring?.catchUp()
    const rowsOf = async (query: string): Promise<Row[]> => {
      const requested = `/api/metric_data/request.count/?event_type=OWS:WFS&${query}valid_from=2026-11-21T12:01:00Z&valid_to=2026-11-21T12:02:00Z&interval=60`
      const { json, text } = await call('GET', requested)
      const [period] = (json as unknown as { data: { data: { data: Row[] }[] } }).data?.data ?? []
      assert.ok(period, text)
      return period.data
    }
    assert.equal(Number((await rowsOf(''))[0]?.val), 5)
    const counted = await rowsOf('group_by=resource&')
    assert.deepEqual(Object.fromEntries(counted.map(({ resource, val }) => [resource?.name, Number(val)])), {
      'default:roads': 2,
      'default:trees': 1,
    })
    const { json, text } = await call('GET', '/api/exceptions/')
    assert.match(JSON.stringify(json), /ServiceException/, text)
  })

  it('refuses what it has not, by exceptions of the version that say so', async (test) => {
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
    const ask = (query: string) =>
      server.app.inject({ url: `/geoserver/wfs?SERVICE=WFS&${query}`, headers: server.admin })
    const page = await ask('version=2.0.0&REQUEST=getfeature&TYPENAMES=countries&COUNT=1&nonsense=1')
    assert.match(page.body, /next="http:\/\/[^/]*\/geoserver\/wfs\?/)
    const get = 'version=2.0.0&request=GetFeature&typeNames=countries'
    for (const [query, status, code, says] of [
      ['version=0.9.0&request=GetCapabilities', 400, 'VersionNegotiationFailed', '1\\.1\\.0'],
      ['AcceptVersions=0.9.0&request=GetCapabilities', 400, 'VersionNegotiationFailed', '1\\.1\\.0'],
      ['version=0.9.0&request=GetFeature&typeName=countries', 400, 'InvalidParameterValue', '1\\.1\\.0'],
      ['version=2.0.0&request=Transaction', 400, 'OperationNotSupported', 'POST'],
      ['version=2.0.0&request=LockFeature', 400, 'OperationNotSupported', 'POST'],
      ['version=2.0.0&request=constructor', 400, 'OperationNotSupported', 'constructor'],
      ['version=2.0.0', 400, 'MissingParameterValue', 'REQUEST'],
      ['version=2.0.0&request=GetFeature', 400, 'MissingParameterValue', 'TYPENAMES'],
      [`${get}&outputFormat=gml2`, 400, 'InvalidParameterValue', 'GML3'],
      [`${get}&count=-1`, 400, 'InvalidParameterValue', 'COUNT'],
      [`${get}&startIndex=1e3`, 400, 'InvalidParameterValue', 'STARTINDEX'],
      [`${get}&bbox=1,2,3`, 400, 'InvalidParameterValue', 'BBOX'],
      [`${get}&bbox=1,2,3,4,EPSG:0`, 400, 'InvalidParameterValue', 'CRS'],
      [`${get}&srsName=nonsense`, 400, 'InvalidParameterValue', 'CRS'],
      [`${get}&sortBy=nonsense`, 400, 'InvalidParameterValue', 'nonsense'],
      [`${get}&cql_filter=nonsense(`, 400, 'OperationNotSupported', 'nonsense'],
      [`${get},states`, 400, 'OperationNotSupported', 'Joins'],
      [`${get.replace('countries', '(countries)(states)')}`, 400, 'InvalidParameterValue', 'states'],
      [`${get}&startIndex=1&position=AAAA`, 400, 'InvalidParameterValue', 'position'],
      [`${get}&resultType=maybe`, 400, 'InvalidParameterValue', 'RESULTTYPE'],
      ['version=1.1.0&request=GetFeature&typeName=%00%ff<>', 400, 'InvalidParameterValue', ''],
    ] as const) {
      const { statusCode, body } = await ask(query)
      assert.equal(statusCode, status, `${query} ${body}`)
      const version = query.includes('1.1.0') ? '1.0.0' : '2.0.0'
      assert.match(body, new RegExp(`<ows:ExceptionReport version="${version}"`), query)
      assert.match(body, new RegExp(`exceptionCode="${code}"`), `${query} ${body}`)
      assert.match(body, new RegExp(says), query)
    }
  })
})
