import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { CoverageServer } from '../../support/coverages.ts'
import { serveCoverages } from '../../support/coverages.ts'
import { seededNumbers } from '../../support/seeded-numbers.ts'

const seed = Number(process.env.TERRANE_TEST_SEED ?? 25)
/** Requests of each kind. */
const rounds = Number(process.env.TERRANE_TEST_ROUNDS ?? 40)

const shapes = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Polygon',
      coordinates: [
        [
          [-180, -90],
          [180, -90],
          [180, 90],
          [-180, 90],
          [-180, -90],
        ],
      ],
    },
    {
      type: 'LineString',
      coordinates: [
        [-179, -89],
        [0, 0],
        [179, 89],
      ],
    },
    { type: 'Point', coordinates: [10, 50] },
  ].map((geometry, n) => ({ type: 'Feature', properties: { n, name: `shape ${n}` }, geometry })),
})

/** Most are valid: a request that is refused early tries little. */
const validSides = ['1', '2', '3', '7', '256', '300', '512', '4096']
const sides = [...validSides, ...validSides, ...validSides, '0', '-1', '4097', '1e3', 'x', '']
const boxes = [
  '-90,-180,90,180',
  '-180,-90,180,90',
  '0,0,1,1',
  '0,0,0,0',
  '10,10,5,5',
  '0,0,1e-12,1e-12',
  '0,0,1e-300,1e-300',
  '-1e11,-1e11,1e11,1e11',
  '-1e308,-1e308,1e308,1e308',
  'NaN,0,1,1',
  '-Infinity,0,1,1',
  '1,2,3',
  '179.999999,0,180.000001,1',
  '170,-10,-170,10',
  '-20037508,-20037508,20037508,20037508',
  '0,0,1,1e-9',
  '-1e11,0,1e11,1e-3',
  '89.9999,0,90,1',
  '500000,5000000,500001,5000001',
  '1e9,1e9,2e9,2e9',
  '-400,-400,400,400',
  '0,1e11,1,999999999999',
]
const codes = [
  4326, 3857, 4258, 900913, 25832, 32633, 32718, 3035, 2154, 3413, 3031, 27700, 2056, 5514, 2193, 3995, 6933,
  4979, 1, 999999,
]
const layers = [
  'default:shapes',
  'default:rgb',
  'default:rgb,default:shapes',
  'default:geo',
  'default:rotated',
]
const numbers = ['-1', '0', '1', '5', '22', '30', '31', '999', '2147483648', '1e3', 'x']

/** Generates requests that clients send only by mistake, if at all. */
function requestsOf(seed: number): Record<string, () => string> {
  const random = seededNumbers(seed)
  const pick = <One>(list: readonly One[]): One => list[Math.floor(random() * list.length)] as One
  const address = (path: string, values: Record<string, string | undefined>): string =>
    `${path}?${new URLSearchParams(Object.entries(values).filter((one): one is [string, string] => one[1] !== undefined))}`
  const map = (): Record<string, string | undefined> => {
    const version = pick(['1.1.1', '1.3.0'])
    return {
      service: 'WMS',
      version,
      styles: '',
      layers: pick(layers),
      bbox: pick(boxes),
      [version === '1.3.0' ? 'crs' : 'srs']: random() < 0.2 ? 'CRS:84' : `EPSG:${pick(codes)}`,
      width: pick(sides),
      height: pick(sides),
      format: pick([
        'image/png',
        'image/png; mode=8bit',
        'image/jpeg',
        'image/webp',
        'image/gif',
        'image/tiff',
      ]),
      dpi: pick([undefined, undefined, '1', '5', '10', '90', '1000', '1001', '1800', '1e9', '0', 'nan']),
      exceptions: pick([undefined, 'INIMAGE', 'BLANK']),
    }
  }
  return {
    GetMap: () => address('/wms', { ...map(), request: 'GetMap' }),
    GetFeatureInfo: () => {
      const requested = map()
      const [i, j] = [pick(sides), pick(['0', '1', '5', '255'])]
      return address('/wms', {
        ...requested,
        request: 'GetFeatureInfo',
        query_layers: requested['layers'],
        i,
        j,
        x: i,
        y: j,
        info_format: pick(['application/json', 'text/plain', 'text/html', 'application/vnd.ogc.gml']),
        feature_count: pick([undefined, '0', '1', '1000000000', '-1']),
      })
    },
    GetLegendGraphic: () =>
      address('/wms', {
        service: 'WMS',
        request: 'GetLegendGraphic',
        version: '1.3.0',
        format: 'image/png',
        layer: pick(layers),
        width: pick(sides),
        height: pick(sides),
        scale: pick(numbers),
        style: pick([undefined, '', 'none', 'point']),
      }),
    GetCoverage: () =>
      `${address('/wcs', {
        service: 'WCS',
        version: '2.0.1',
        request: 'GetCoverage',
        coverageId: `default__${pick(['rgb', 'geo', 'rotated', 't_Byte', 'many'])}`,
        scaleSize: pick([undefined, `i(${pick(sides)}),j(${pick(sides)})`, 'i(100000),j(1)']),
        scaleFactor: pick([undefined, undefined, '0', '-1', '1e9', '1e-9', 'NaN', '0.5']),
        outputCrs: pick([undefined, `http://www.opengis.net/def/crs/EPSG/0/${pick(codes)}`]),
        subsettingCrs: pick([undefined, `http://www.opengis.net/def/crs/EPSG/0/${pick(codes)}`]),
        format: pick([undefined, 'image/png', 'image/jpeg', 'image/tiff']),
      })}&subset=${pick(['E', 'Long', 'x'])}(${pick(boxes).split(',').slice(0, 2).join(',')})`,
    'GetCoverage 1.0.0': () =>
      address('/wcs', {
        service: 'WCS',
        version: '1.0.0',
        request: 'GetCoverage',
        format: 'GeoTIFF',
        coverage: pick(['default:rgb', 'default:geo']),
        crs: `EPSG:${pick(codes)}`,
        bbox: pick(boxes),
        width: pick(sides),
        height: pick(sides),
      }),
    GetFeature: () =>
      address('/wfs', {
        service: 'WFS',
        version: pick(['1.1.0', '2.0.0']),
        request: 'GetFeature',

        typenames: 'default:shapes',
        bbox: `${pick(boxes)}${pick(['', ',EPSG:4326', ',urn:ogc:def:crs:EPSG::3857'])}`,
        srsname: pick([undefined, `EPSG:${pick(codes)}`]),
        count: pick([undefined, ...numbers]),
        startindex: pick([undefined, ...numbers]),
      }),
    tiles: () => {
      const [z, x, y] = [pick(numbers), pick(numbers), pick(numbers)]
      const layer = pick(['default:shapes', 'default:rgb', 'default:geo'])
      return pick([
        `/tiles/${layer}/${z}/${x}/${y}.${pick(['mvt', 'png', 'webp'])}`,
        `/gwc/service/tms/1.0.0/${layer}/${z}/${x}/${y}.png`,
        `/ogc/collections/${layer}/tiles/WebMercatorQuad/${z}/${x}/${y}`,
        address('/wmts', {
          service: 'WMTS',
          version: '1.0.0',
          request: pick(['GetTile', 'GetFeatureInfo']),
          layer,
          style: '',
          tilematrixset: pick(['WebMercatorQuad', 'EPSG:4326']),
          tilematrix: z,
          tilecol: x,
          tilerow: y,
          i: pick(numbers),
          j: pick(numbers),
          format: 'image/png',
          infoformat: 'application/json',
        }),
      ])
    },
    'OGC API': () => {
      const crs = pick([undefined, `http://www.opengis.net/def/crs/EPSG/0/${pick(codes)}`])
      const [bbox, boxCrs] = [pick(boxes), pick([undefined, crs])]
      return pick([
        address('/ogc/collections/default:shapes/items', {
          bbox,
          crs,
          'bbox-crs': boxCrs,
          limit: pick([undefined, ...numbers]),
        }),
        address(`/ogc/collections/default:${pick(['shapes', 'rgb', 'geo'])}/map`, {
          bbox,
          crs,
          'bbox-crs': boxCrs,
          width: pick(sides),
          height: pick(sides),
        }),
      ])
    },
  }
}

describe('requests with extreme parameters', { timeout: 600_000 }, () => {
  let coverages: CoverageServer
  const ending: (() => void)[] = []
  before(async () => {
    coverages = await serveCoverages({ after: (work: () => void) => ending.push(work) })
    const { client } = coverages
    const created = await client.call('POST', '', {
      import: { targetStore: { dataStore: { name: 'default' } } },
    })
    const id = Number(created.json.import?.id)
    await client.upload(id, [{ name: 'shapes.geojson', content: shapes }])
    await client.call('POST', `/${id}`)
  })
  after(async () => {
    for (const end of ending.reverse()) await end()
  })

  for (const [kind, next] of Object.entries(requestsOf(seed)))
    it(`${kind} is answered or refused, and never fails`, async () => {
      const { app, admin } = coverages.client.server
      const failed: string[] = []
      for (let round = 0; round < rounds; round += 1) {
        const url = next()
        const { statusCode, body } = await app.inject({ url, headers: admin })
        if (statusCode >= 500) failed.push(`${statusCode} ${url}\n${body.slice(0, 600)}`)
      }
      assert.deepEqual(failed, [], `seed ${seed}`)
    })

  it('a map of features has two cells along each side at least, and a resolution that can be drawn', async () => {
    const { app, admin } = coverages.client.server
    const usual =
      'service=WMS&version=1.3.0&request=GetMap&layers=default:shapes&styles=&crs=CRS:84&bbox=-10,-10,10,10&format=image/png'
    for (const [more, reported] of [
      ['width=4096&height=1', />HEIGHT is 1: /],
      ['width=1&height=4096', />WIDTH is 1: /],
      ['width=9&height=9&dpi=1001', /from 10 to 1000/],
      ['width=9&height=9&dpi=9', /from 10 to 1000/],
    ] as const) {
      const { statusCode, body } = await app.inject({ url: `/wms?${usual}&${more}`, headers: admin })
      assert.equal(statusCode, 400, body)
      assert.match(body, /<ServiceExceptionReport/)
      assert.match(body, reported)
    }
    for (const more of ['width=4096&height=2', 'width=2&height=2&dpi=1000', 'width=9&height=9&dpi=10']) {
      const { statusCode, body } = await app.inject({ url: `/wms?${usual}&${more}`, headers: admin })
      assert.equal(statusCode, 200, body.slice(0, 500))
    }
  })
})
