import assert from 'node:assert/strict'
import { get as httpGet } from 'node:http'
import { describe, it } from 'node:test'
import { fixedClock } from '../../support/fixed-clock.ts'
import { startMonitoring } from '../../support/monitoring-client.ts'
import { requestLogOf } from '../../support/request-log.ts'
import { importPoints } from '../../support/versioned-layers.ts'

interface Row {
  val: string
  label?: string
  resource?: { name: string }
  event_type?: string
}

describe('requests for tiles', () => {
  it('are counted by the minute, for each layer once, and not kept one by one', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const { server, call } = await startMonitoring(test, { clock })
    for (const name of ['roads', 'trees']) await importPoints(server, { name })
    const get = (url: string) => server.app.inject({ url, headers: server.admin })
    clock.advance(60_000)
    for (let x = 0; x < 4; x += 1) await get(`/tiles/default:roads/2/${x}/0.mvt?properties=name`)
    await get('/tiles/default:roads,default:trees/0/0/0.mvt')
    await get('/tiles/default:nothing/0/0/0.mvt')
    await get('/tiles/default:roads')
    await get('/ogc/collections/default:trees/tiles/WebMercatorQuad/0/0/0')
    await get('/ogc/tileMatrixSets')
    clock.advance(60_000)
    await get('/rest/layers')
    await server.monitoring?.catchUp()
    const rowsOf = async (query: string): Promise<Row[]> => {
      const requested = `/api/metric_data/${query}&valid_from=2026-11-21T12:01:00Z&valid_to=2026-11-21T12:02:00Z&interval=60`
      const { json, text } = await call('GET', requested)
      const [period] = (json as unknown as { data: { data: { data: Row[] }[] } }).data?.data ?? []
      assert.ok(period, text)
      return period.data
    }
    const [all] = await rowsOf('request.count/?event_type=OWS:TMS')
    assert.equal(Number(all?.val), 9)
    const counted = await rowsOf('request.count/?event_type=OWS:TMS&group_by=resource')
    assert.deepEqual(Object.fromEntries(counted.map(({ resource, val }) => [resource?.name, Number(val)])), {
      'default:roads': 6,
      'default:trees': 2,
    })
    const paths = await rowsOf('request.path/?event_type=OWS:TMS')
    assert.deepEqual(Object.fromEntries(paths.map(({ label, val }) => [label, Number(val)])), {
      '/tiles/default:roads/{z}/{x}/{y}.mvt': 4,
      '/tiles/default:roads,default:trees/{z}/{x}/{y}.mvt': 1,
      '/tiles/{layer}/{z}/{x}/{y}.mvt': 1,
      '/tiles/default:roads': 1,
      '/ogc/collections/default:trees/tiles/{tileMatrixSetId}/{tileMatrix}/{tileRow}/{tileCol}': 1,
      '/ogc/tileMatrixSets': 1,
    })
    const logged = (await requestLogOf(server)).filter(({ eventType }) => eventType === 'OWS:TMS')
    assert.deepEqual(logged.map(({ texts }) => texts.path).sort(), [
      '/ogc/tileMatrixSets',
      '/tiles/default:roads',
    ])
  })

  it('end with their client, and are told as given up', async (test) => {
    const { server } = await startMonitoring(test)
    await importPoints(server, { name: 'roads' })
    const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
    const aborted = new Promise<void>((resolve) => {
      server.maps.tile = (_layer, _query, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            resolve()
            reject(signal.reason as Error)
          })
          client.destroy()
        })
    })
    const failures: unknown[] = []
    server.log.error = (entry: unknown) => failures.push(entry)
    const client = httpGet(`${url}/tiles/default:roads/0/0/0.mvt`, { headers: server.admin })
    client.on('error', () => undefined)
    await aborted
    while (server.monitoring?.load().waiting === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await server.monitoring?.catchUp()
    const found = (await requestLogOf(server)).filter(({ texts }) => String(texts.path).startsWith('/tiles'))
    assert.deepEqual(
      found.map(({ status }) => status),
      [499],
    )
    assert.deepEqual(failures, [])
  })
})
