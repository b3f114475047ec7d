import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { createTestApp } from '../../support/app.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const points: Points = [
  ['north', 10, 50],
  ['south', -60, -20],
]

describe('WMTS and TMS', () => {
  let client: ImporterClient
  const get = (url: string, headers: Record<string, string> = client.server.admin) =>
    client.server.app.inject({ url, headers })
  const keyed = (more: string): string =>
    `service=WMTS&version=1.0.0&request=GetTile&style=&format=image/png&${more}`
  const closed = 'Layer=default:places'
  before(async () => {
    const env = { TERRANE_LOADS: '1' }
    client = clientOf(await createTestApp({ env }))
    await importPoints(client.server, { name: 'places', points })
  })
  after(() => client.server.close())

  it('give the tiles of /tiles under every name of a matrix set', async () => {
    const expected = await untilTagged(() => get('/tiles/default:places/3/4/2.png'))
    assert.equal(expected.statusCode, 200, expected.body)
    const kvp = (set: string, matrix: string) =>
      keyed(`${closed}&tilematrixset=${set}&tileMatrix=${matrix}&TILEROW=2&TileCol=4`)
    for (const path of [
      `/wmts?${kvp('WebMercatorQuad', '3')}`,
      `/wmts?${kvp('EPSG:900913', 'EPSG:900913:3')}`,
      `/gwc/service/wmts?${kvp('EPSG%3A3857', 'EPSG%3A3857%3A3')}`,
      `/ows?${kvp('EPSG:900913', '3')}`,
      `/default/wmts?${kvp('EPSG:900913', '3').replace('default:', '')}`,
      `/default/gwc/service/wmts?${kvp('EPSG:900913', '3').replace('default:', '')}`,
      '/gwc/service/wmts/rest/default:places/point/EPSG:900913/EPSG:900913:3/2/4?format=image/png',
      '/gwc/service/wmts/rest/default:places/EPSG:900913/EPSG:900913:3/2/4?format=image/png',
      '/wmts/rest/default:places/point/WebMercatorQuad/3/2/4.png',
      '/default/wmts/rest/places/point/WebMercatorQuad/3/2/4.png',
      '/gwc/service/tms/1.0.0/default:places@EPSG:900913@png/3/4/5.png',
      '/gwc/service/tms/1.0.0/default%3Aplaces@EPSG%3A900913@png/3/4/5.png',
      '/gwc/service/tms/1.0.0/default:places/3/4/5.png',
    ]) {
      const found = await untilTagged(() => get(`${path}`))
      assert.equal(found.statusCode, 200, `${path} ${found.body.slice(0, 300)}`)
      assert.ok(found.rawPayload.equals(expected.rawPayload), path)
      assert.equal(found.headers.etag, expected.headers.etag)
      const tagged = { ...client.server.admin, 'if-none-match': String(found.headers.etag) }
      await untilUnchanged(() => get(`${path}`, tagged))
    }
  })

  it('give tiles in degrees, empty ones as pictures, and vectors', async () => {
    const degrees = 'tilematrixset=EPSG:4326&tilematrix=EPSG:4326:2&tilerow=0&tilecol=4'
    const north = await get(`/wmts?${keyed(`${closed}&${degrees}`)}`)
    assert.equal(north.statusCode, 200, north.body)
    const empty = await get(`/wmts?${keyed(`${closed}&${degrees.replace('tilecol=4', 'tilecol=7')}`)}`)
    assert.equal(empty.statusCode, 200)
    assert.equal(empty.headers['content-type'], 'image/png')
    assert.ok(!empty.rawPayload.equals(north.rawPayload))
    const south = await get('/gwc/service/tms/1.0.0/default:places@EPSG:4326@png/2/4/3.png')
    assert.ok(south.rawPayload.equals(north.rawPayload), 'rows from the south')
    const mvt = await get('/tiles/default:places/3/4/2.mvt')
    for (const path of [
      '/gwc/service/tms/1.0.0/default:places@EPSG:900913@pbf/3/4/5.pbf',
      `/wmts?${keyed(`${closed}&tilematrixset=WebMercatorQuad&tilematrix=3&tilerow=2&tilecol=4`).replace('image/png', 'application/vnd.mapbox-vector-tile')}`,
      '/wmts/rest/default:places/point/WebMercatorQuad/3/2/4.mvt',
    ]) {
      const found = await get(`${path}`)
      assert.equal(found.statusCode, 200, found.body)
      assert.ok(found.rawPayload.equals(mvt.rawPayload), path)
    }
  })

  it('give the same tiles on white as JPEG', async () => {
    const cells = (bytes: Buffer): Promise<Buffer> =>
      sharp(bytes).flatten({ background: '#ffffff' }).removeAlpha().raw().toBuffer()
    const png = await untilTagged(() => get('/wmts/rest/default:places/point/WebMercatorQuad/3/2/4.png'))
    const expected = await cells(png.rawPayload)
    const place = `${closed}&tilematrixset=EPSG:900913&tilematrix=EPSG:900913:3&tilerow=2&tilecol=4`
    for (const path of [
      `/gwc/service/wmts?${keyed(place).replace('image/png', 'image/jpeg')}`,
      '/wmts/rest/default:places/point/WebMercatorQuad/3/2/4.jpg',
      '/gwc/service/tms/1.0.0/default:places@EPSG:900913@jpeg/3/4/5.jpeg',
    ]) {
      const found = await untilTagged(() => get(path))
      assert.equal(found.statusCode, 200, found.body)
      assert.equal(found.headers['content-type'], 'image/jpeg')
      assert.equal((await sharp(found.rawPayload).metadata()).format, 'jpeg')
      const shown = await cells(found.rawPayload)
      assert.equal(shown.length, expected.length)
      const apart = shown.reduce((sum, value, at) => sum + Math.abs(value - (expected[at] ?? 0)), 0)
      assert.ok(apart / shown.length < 1, `${path}: ${apart / shown.length}`)
      assert.ok(
        shown.some((value) => value < 200),
        'the mark is there',
      )
      assert.notEqual(found.headers.etag, png.headers.etag)
      const tagged = { ...client.server.admin, 'if-none-match': String(found.headers.etag) }
      await untilUnchanged(() => get(path, tagged))
    }
    const empty = await get('/wmts/rest/default:places/point/WebMercatorQuad/3/0/0.jpg')
    assert.deepEqual([...new Set(await cells(empty.rawPayload))], [255])
  })

  it('tell features at a cell as WMS does', async () => {
    const [i, j] = [56, 182]
    const place = `${closed}&tilematrixset=WebMercatorQuad&tilematrix=3&tilerow=2&tilecol=4`
    const query = keyed(place).replace('GetTile', 'GetFeatureInfo')
    const found = await get(`/wmts?${query}&i=${i}&j=${j}&infoformat=application/json`)
    assert.equal(found.statusCode, 200, found.body)
    const reported = found.json() as { features: { properties: { name: string } }[] }
    assert.deepEqual(
      reported.features.map(({ properties }) => properties.name),
      ['north'],
    )
    const beyond = await get(`/wmts?${query}&i=256&j=1&infoformat=text/plain`)
    assert.equal(beyond.statusCode, 400)
    assert.match(beyond.body, /exceptionCode="PointIJOutOfRange"/)
    const rest = `/wmts/rest/default:places/point/WebMercatorQuad/3/2/4/${j}/${i}?format=text/plain`
    assert.match((await get(rest)).body, /name = north/)
  })

  it('refuse by exception reports', async () => {
    const place = 'tilematrixset=WebMercatorQuad&tilematrix=3&tilerow=2&tilecol=4'
    const cases: [query: string, code: string, locator: string][] = [
      [keyed(`layer=default:none&${place}`), 'InvalidParameterValue', 'Layer'],
      [keyed(`layer=constructor&${place}`), 'InvalidParameterValue', 'Layer'],
      [keyed(`${closed}&${place}`).replace('tilecol=4', 'tilecol=8'), 'TileOutOfRange', 'TileCol'],
      [keyed(`${closed}&${place}`).replace('tilerow=2', 'tilerow=-1'), 'TileOutOfRange', 'TileRow'],
      [keyed(`${closed}&${place}`).replace('tilerow=2', 'tilerow=x'), 'InvalidParameterValue', 'TileRow'],
      [keyed(`${closed}&${place}`).replace('matrix=3', 'matrix=23'), 'InvalidParameterValue', 'TileMatrix'],
      [
        keyed(`${closed}&${place}`).replace('WebMercatorQuad', '__proto__'),
        'InvalidParameterValue',
        'TileMatrixSet',
      ],
      [keyed(`${closed}&${place}`).replace('image/png', 'image/gif'), 'InvalidParameterValue', 'Format'],
      [keyed(`${closed}&${place}`).replace('style=', 'style=none'), 'InvalidParameterValue', 'Style'],
      [keyed(place), 'MissingParameterValue', 'layer'],
      [keyed(`${closed}&${place}`).replace('GetTile', 'toString'), 'OperationNotSupported', 'request'],
      [keyed(`${closed}&${place}`).replace('1.0.0', '2.0.0'), 'InvalidParameterValue', 'version'],
      [
        'service=WMTS&request=GetCapabilities&acceptversions=2.0.0,0.9',
        'VersionNegotiationFailed',
        'acceptversions',
      ],
      [
        `${keyed(`${closed}&${place}`).replace('GetTile', 'GetFeatureInfo')}&i=1&j=1&infoformat=text/none`,
        'InvalidParameterValue',
        'InfoFormat',
      ],
    ]
    for (const [query, code, locator] of cases) {
      const { statusCode, body } = await get(`/wmts?${query}`)
      assert.equal(statusCode, 400, `${query} ${body}`)
      assert.ok(body.includes(`exceptionCode="${code}" locator="${locator}"`), `${query} ${body}`)
    }
    for (const path of [
      'default:none/0/0/0.png',
      'default:places@EPSG:1@png/0/0/0.png',
      'default:places/0/1/0.png',
    ]) {
      const { statusCode, body } = await get(`/gwc/service/tms/1.0.0/${path}`)
      assert.deepEqual([statusCode, body.includes('<TileMapServerError>')], [404, true], path)
    }
  })

  it('list what the caller may read', async () => {
    for (const path of [
      '/wmts?request=GetCapabilities',
      '/gwc/service/wmts?REQUEST=getcapabilities',
      '/wmts/1.0.0/WMTSCapabilities.xml',
      '/gwc/service/wmts/rest/WMTSCapabilities.xml',
    ]) {
      const { statusCode, body } = await get(`${path}`)
      assert.equal(statusCode, 200, body)
      assert.match(body, /<ows:Identifier>default:places<\/ows:Identifier>/)
      assert.match(
        body,
        /\/wmts\/rest\/default:places\/\{style\}\/\{TileMatrixSet\}\/\{TileMatrix\}\/\{TileRow\}\/\{TileCol\}\.png"/,
      )
      assert.match(body, /<Format>image\/jpeg<\/Format>.*\{TileCol\}\.jpg"/s)
      assert.ok(!(await get(`${path}`, {})).body.includes('places'))
    }
    const list = await get('/gwc/service/tms/1.0.0')
    const [, href = ''] = /href="([^"]*places@EPSG:900913@png)"/.exec(list.body) ?? []
    const map = await get(new URL(href).pathname)
    assert.match(map.body, /<Origin x="-20037508.342789244" y="-20037508.342789244"\/>/)
    assert.match(map.body, /units-per-pixel="156543.03392804097" order="0"/)
    assert.ok(!(await get('/gwc/service/tms/1.0.0', {})).body.includes('places'))
    const place = 'tilematrixset=WebMercatorQuad&tilematrix=3&tilerow=2&tilecol=4'
    const hidden = await get(`/wmts?${keyed(`${closed}&${place}`)}`, {})
    const absent = await get(`/wmts?${keyed(`layer=default:absent&${place}`)}`, {})
    assert.equal(hidden.body.replaceAll('places', 'absent'), absent.body)
  })

  it('stand below the base path with all links', async (test) => {
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
    for (const path of [
      '/wmts/1.0.0/WMTSCapabilities.xml',
      '/gwc/service/tms/1.0.0',
      '/gwc/service/tms/1.0.0/default:countries@EPSG:900913@png',
    ]) {
      const { statusCode, body } = await server.app.inject({
        url: `/geoserver${path}`,
        headers: server.admin,
      })
      assert.equal(statusCode, 200, body)
      const links = [...body.matchAll(/ (?:xlink:href|href|template|services|tilemapservice)="([^"]*)"/g)]
      assert.ok(links.length > 0, body)
      for (const [, link = ''] of links) assert.match(link, /^http:\/\/[^/]+\/geoserver\//)
    }
    for (const url of [
      '/geoserver/gwc/service/tms/1.0.0/default:countries@EPSG:900913@png/0/0/0.png',
      '/geoserver/gwc/service/wmts?service=WMTS&version=1.0.0&request=GetTile&layer=default:countries&tilematrixset=EPSG:900913&tilematrix=EPSG:900913:0&tilerow=0&tilecol=0&format=image/png',
    ])
      assert.equal((await server.app.inject({ url, headers: server.admin })).statusCode, 200, url)
  })
})
