import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../../bench/random.ts'
import type { RequestEventType } from '../../model/event-types.ts'
import type { RawRequest } from './raw-request.ts'
import { areaOfDegrees, areaOfTile } from './requested-area.ts'
import { usageFacts } from './usage-facts.ts'

const layer = { type: 'layer', name: 'ws:roads' } as const

function request(
  eventType: RequestEventType | null,
  target: string,
  more: Partial<RawRequest> = {},
): RawRequest {
  return {
    serviceId: 1,
    created: 0,
    eventType,
    method: 'GET',
    host: 'maps.example.org',
    status: 200,
    path: target.split('?')[0] ?? '',
    target,
    sizeBytes: 1,
    milliseconds: 1,
    resources: [layer],
    ...more,
  }
}

/** Cells as `column/row`. */
async function cells(eventType: RequestEventType, target: string): Promise<string> {
  const { area } = await usageFacts(request(eventType, target))
  if (area === null || area === '*') return String(area)
  return area
    .split(',')
    .map((cell) => `${Number(cell) % 256}/${Math.floor(Number(cell) / 256)}`)
    .join(' ')
}

describe('classes of usage', () => {
  const cases: [
    usageClass: string,
    eventType: RequestEventType | null,
    target: string,
    more?: Partial<RawRequest>,
  ][] = [
    ['tiles', 'OWS:TMS', '/tiles/ws:roads/10/540/330.mvt'],
    ['metadata', 'OWS:TMS', '/tiles/ws:roads'],
    ['metadata', 'OWS:TMS', '/gwc/service/tms/1.0.0/ws:roads@EPSG:900913@png'],
    ['tiles', 'OWS:WMTS', '/wmts?request=GetTile&TileMatrixSet=NZTM&TileMatrix=3&TileRow=1&TileCol=1'],
    ['tiles', 'OWS:WMTS', '/wmts/rest/ws:roads/EPSG:900913/EPSG:900913:3/2/1'],
    [
      'features',
      'OWS:WMTS',
      '/wmts?request=GetFeatureInfo&TileMatrixSet=EPSG:4326&TileMatrix=3&TileRow=1&TileCol=1',
    ],
    ['metadata', 'OWS:WMTS', '/wmts?SERVICE=WMTS&REQUEST=GetCapabilities'],
    ['tiles', 'OWS:WMS-C', '/gwc/service/wms?REQUEST=GetMap&LAYERS=a&BBOX=0,0,1,1'],
    ['maps', 'OWS:WMS', '/wms?service=WMS&request=getmap&layers=ws:roads'],
    ['features', 'OWS:WMS', '/wms?request=GetFeatureInfo'],
    ['metadata', 'OWS:WMS', '/wms?request=GetLegendGraphic'],
    ['maps', 'OWS:WMS', '/ogc/collections/ws:roads/map?width=100'],
    ['maps', 'OWS:WMS', '/ogc/collections/ws:roads/styles/red/map'],
    ['features', 'OWS:WFS', '/wfs?request=GetFeature&typeNames=ws:roads'],
    ['metadata', 'OWS:WFS', '/wfs?request=DescribeFeatureType'],
    ['features', 'OWS:WFS', '/wfs', { method: 'POST', operation: 'GetFeature' }],
    ['imports', 'OWS:WFS', '/wfs', { method: 'POST', operation: 'Transaction' }],
    ['features', 'OWS:WFS', '/ogc/collections/ws:roads/items?limit=5'],
    ['features', 'OWS:WFS', '/ogc/collections/ws:roads/items/7'],
    ['imports', 'OWS:WFS', '/ogc/collections/ws:roads/items', { method: 'POST' }],
    ['imports', 'OWS:WFS', '/ogc/collections/ws:roads/items/7', { method: 'DELETE' }],
    ['metadata', 'OWS:WFS', '/ogc/collections/ws:roads'],
    ['metadata', 'OWS:WFS', '/ogc/catalogue/collections/layers/items'],
    ['metadata', 'OWS:WCS', '/stac/collections/ws:dem/items?limit=5'],
    ['metadata', 'OWS:WCS', '/stac/search?collections=ws:dem'],
    ['other', 'OWS:WFS', '/ogc/collections/ws:roads/download?f=gpkg'],
    ['features', 'OWS:WCS', '/wcs?request=GetCoverage&coverageId=a__b'],
    ['features', 'OWS:WCS', '/ogc/collections/ws:dem/coverage'],
    ['downloads', 'download', '/ogc/collections/ws:roads/download?f=gpkg'],
    ['downloads', 'download', '/rest/downloads/0123/file'],
    ['imports', 'upload', '/rest/imports/1/tasks'],
    ['metadata', 'view_metadata', '/rest/layers/ws:roads'],
    ['metadata', 'view', '/rest/layers/ws:roads'],
    ['other', 'view', '/app/layers', { resources: [] }],
    ['other', 'mapserver', '/index.html', { resources: [] }],
    ['metadata', null, '/csw?service=CSW&request=GetRecords', { resources: [] }],
  ]
  for (const [usageClass, eventType, target, more] of cases)
    it(`has ${more?.method ?? ''} ${target} as ${eventType} among ${usageClass}`, async () => {
      assert.equal((await usageFacts(request(eventType, target, more))).usageClass, usageClass)
    })
})

describe('areas of requests', () => {
  it('are the cells of zoom 8 that a tile lies in or covers, in every way to name tiles', async () => {
    const inBerlin = '137/83'
    const named: [RequestEventType, string][] = [
      ['OWS:TMS', '/tiles/ws:roads/8/137/83.mvt'],
      ['OWS:TMS', '/tiles/ws:roads/10/550/335@2x.png'],
      ['OWS:TMS', '/gwc/service/tms/1.0.0/ws:roads@EPSG%3A900913@png/8/137/172.png'],
      ['OWS:TMS', '/ogc/collections/ws:roads/tiles/WebMercatorQuad/10/335/550'],
      ['OWS:WMTS', '/gwc/service/wmts/rest/ws:roads/red/EPSG:900913/EPSG:900913:8/83/137'],
      ['OWS:WMTS', '/wmts/rest/ws:roads/GoogleMapsCompatible/8/83/137.png'],
      [
        'OWS:WMTS',
        '/wmts?REQUEST=GetTile&TILEMATRIXSET=EPSG:900913&TILEMATRIX=EPSG:900913:8&TILEROW=83&TILECOL=137',
      ],
    ]
    for (const [eventType, target] of named) assert.equal(await cells(eventType, target), inBerlin, target)
    assert.equal(await cells('OWS:TMS', '/tiles/ws:roads/7/68/41.mvt'), '136/82 137/82 136/83 137/83')
    assert.equal(await cells('OWS:TMS', '/tiles/ws:roads/5/17/10.mvt'), '*')
    assert.equal(await cells('OWS:WMTS', '/wmts/rest/ws:roads/NZTM/7/5/6.png'), 'null')
    assert.equal(await cells('OWS:TMS', '/tiles/ws:roads/8/256/0.mvt'), 'null')
  })

  it('are the cells that a box touches, with the axes as the service means them', async () => {
    const box = {
      '/wms?version=1.1.1&srs=EPSG:4326': '13,52,13.2,52.2',
      '/wms?version=1.3.0&crs=CRS:84': '13,52,13.2,52.2',
    }
    const expected = '137/84'
    for (const [target, numbers] of Object.entries({
      ...box,
      '/wms?version=1.3.0&crs=EPSG:4326': '52,13,52.2,13.2',
      '/wms?version=1.3.0&CRS=EPSG:3857': '1447153,6800125,1469417,6836477',
      '/wms?version=1.1.1&SRS=EPSG:900913': '1447153,6800125,1469417,6836477',
      '/wms?version=1.3.0&crs=EPSG:25833': '362691,5762600,377000,5784500',
    }))
      assert.equal(await cells('OWS:WMS', `${target}&request=GetMap&bbox=${numbers}`), expected, target)
    for (const query of [
      'bbox=13,52,13.2,52.2',
      'bbox=13,52,0,13.2,52.2,100',
      'bbox=52,13,52.2,13.2&bbox-crs=http%3A%2F%2Fwww.opengis.net%2Fdef%2Fcrs%2FEPSG%2F0%2F4326',
    ])
      assert.equal(await cells('OWS:WFS', `/ogc/collections/ws:roads/items?${query}`), expected, query)
    for (const query of [
      'request=GetFeature&bbox=52,13,52.2,13.2,urn:ogc:def:crs:EPSG::4326',
      'request=GetFeature&bbox=13,52,13.2,52.2,EPSG:4326',
    ])
      assert.equal(await cells('OWS:WFS', `/wfs?${query}`), expected, query)
    for (const query of [
      'request=GetCoverage&subset=Lat(52,52.2)&subset=Long(13,13.2)',
      'request=GetCoverage&bbox=13,52,13.2,52.2&crs=EPSG:4326',
    ])
      assert.equal(await cells('OWS:WCS', `/wcs?${query}`), expected, query)
  })

  it('are unknown, or too wide, for boxes that tell no place', async () => {
    for (const query of [
      'bbox=',
      'bbox=a,b,c,d',
      'bbox=1,2,3',
      'bbox=5,5,1,1',
      'bbox=0,95,1,99',
      'bbox=NaN,0,1,1',
      '',
    ])
      assert.equal(await cells('OWS:WFS', `/ogc/collections/ws:roads/items?${query}`), 'null', query)
    for (const crs of ['EPSG:999999', 'nonsense', `EPSG:${'9'.repeat(5000)}`])
      assert.match(
        await cells('OWS:WMS', `/wms?request=GetMap&version=1.1.1&bbox=1,1,1.1,1.1&srs=${crs}`),
        /null|\d/,
      )
    assert.equal(await cells('OWS:WFS', '/ogc/collections/ws:roads/items?bbox=-180,-90,180,90'), '*')
    assert.equal(
      await cells('OWS:WFS', '/ogc/collections/ws:roads/items?bbox=179.9,0.1,180.1,0.2'),
      '255/127 0/127',
    )
    assert.equal((await usageFacts(request('OWS:WFS', '/x?bbox=1,1,2,2', { resources: [] }))).area, null)
  })

  it('of boxes are those of the tiles of the same envelope, over all zooms', () => {
    const draw = seededRandom(7)
    for (let turn = 0; turn < 2000; turn += 1) {
      const z = Math.floor(draw() * 15)
      const [x, y] = [Math.floor(draw() * 2 ** z), Math.floor(draw() * 2 ** z)]
      const longitude = (column: number): number => (column / 2 ** z) * 360 - 180
      const latitude = (row: number): number =>
        (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / 2 ** z))) * 180) / Math.PI
      const box = { minX: longitude(x), minY: latitude(y + 1), maxX: longitude(x + 1), maxY: latitude(y) }
      assert.equal(areaOfDegrees(box), areaOfTile({ grid: 'mercator', z, x, y }), `${z}/${x}/${y}`)
    }
  })
})
