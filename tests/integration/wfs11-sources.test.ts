import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { writeGeometryText } from '../../src/geo/wkb-to-wkt.ts'
import { type GdalTable, needsGdal } from '../support/gdal-files.ts'
import { readLocalService, readServiceTable } from '../support/services/service-tables.ts'
import { type Wfs11Settings, wfs11 } from '../support/services/wfs11-server.ts'
import { startWebServer } from '../support/web-server.ts'

const urn = 'urn:ogc:def:crs:EPSG::4326'
/** Berlin. */
const bounds = ['13', '52', '14', '53']
const latLon = (n: number, srs: string) =>
  `<gml:Point ${srs}><gml:pos>52.5 ${13 + n / 8192}</gml:pos></gml:Point>`
const lonLat = (n: number, srs: string) =>
  `<gml:Point ${srs}><gml:pos>${13 + n / 8192} 52.5</gml:pos></gml:Point>`
const usual: Wfs11Settings = { rows: 2, srsName: urn, defaultCrs: urn, bounds, geometry: latLon }

async function open(test: TestContext, settings: Partial<Wfs11Settings>) {
  const server = wfs11({ ...usual, ...settings })
  const location = `${await startWebServer(test, server.listener)}/wfs`
  return { ...server, data: { kind: 'wfs' as const, location, layer: 'app:trees' } }
}

async function readTable(test: TestContext, settings: Partial<Wfs11Settings>): Promise<GdalTable> {
  return readServiceTable(test, (await open(test, settings)).data)
}

function geometries({ batches }: GdalTable): string[] {
  return batches.flatMap(({ geometry, rowCount }) =>
    Array.from({ length: rowCount }, (_, row) =>
      geometry === undefined
        ? ''
        : writeGeometryText(geometry.bytes.slice(geometry.offsets[row], geometry.offsets[row + 1])),
    ),
  )
}

const forms = [
  [
    'gml:coordinates',
    '<gml:LineString SRS><gml:coordinates>52,13 53,14</gml:coordinates></gml:LineString>',
    'LINESTRING (13 52,14 53)',
  ],
  [
    'gml:posList',
    '<gml:LineString SRS><gml:posList>52 13 53 14</gml:posList></gml:LineString>',
    'LINESTRING (13 52,14 53)',
  ],
  [
    'several gml:pos',
    '<gml:LineString SRS><gml:pos>52 13</gml:pos><gml:pos>53 14</gml:pos></gml:LineString>',
    'LINESTRING (13 52,14 53)',
  ],
  [
    'gml:MultiPoint',
    '<gml:MultiPoint SRS><gml:pointMember><gml:Point><gml:pos>52 13</gml:pos></gml:Point></gml:pointMember><gml:pointMember><gml:Point><gml:pos>53 14</gml:pos></gml:Point></gml:pointMember></gml:MultiPoint>',
    'MULTIPOINT ((13 52),(14 53))',
  ],
  [
    'gml:MultiCurve',
    '<gml:MultiCurve SRS><gml:curveMember><gml:LineString><gml:posList>52 13 53 14</gml:posList></gml:LineString></gml:curveMember></gml:MultiCurve>',
    'MULTILINESTRING ((13 52,14 53))',
  ],
  [
    'gml:MultiLineString',
    '<gml:MultiLineString SRS><gml:lineStringMember><gml:LineString><gml:posList>52 13 53 14</gml:posList></gml:LineString></gml:lineStringMember></gml:MultiLineString>',
    'MULTILINESTRING ((13 52,14 53))',
  ],
  [
    'gml:MultiSurface with a hole',
    '<gml:MultiSurface SRS><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>52 13 52 14 53 14 53 13 52 13</gml:posList></gml:LinearRing></gml:exterior><gml:interior><gml:LinearRing><gml:posList>52.2 13.2 52.4 13.2 52.4 13.4 52.2 13.2</gml:posList></gml:LinearRing></gml:interior></gml:Polygon></gml:surfaceMember></gml:MultiSurface>',
    'MULTIPOLYGON (((13 52,14 52,14 53,13 53,13 52),(13.2 52.2,13.2 52.4,13.4 52.4,13.2 52.2)))',
  ],
  [
    'gml:MultiPolygon',
    '<gml:MultiPolygon SRS><gml:polygonMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>52 13 52 14 53 14 52 13</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:polygonMember></gml:MultiPolygon>',
    'MULTIPOLYGON (((13 52,14 52,14 53,13 52)))',
  ],
] as const

describe('a source of WFS 1.1', needsGdal, () => {
  it('has the attributes and types that the service declares', async (test) => {
    const table = await readTable(test, {})
    const types =
      'number int32, code text, height decimal, planted date, seen timestamp, is_old boolean, remark text'
    assert.deepEqual(
      table.columns.filter((one) => !one.startsWith('gml_id')),
      types.split(', '),
    )
    const [row = []] = table.rows
    const days = Date.UTC(2012, 4, 1) / 86_400_000
    const moment = BigInt(Date.UTC(2024, 1, 29, 17, 41, 12)) * 1000n
    assert.deepEqual(row.slice(1), [1, '10115', '12.345678901234567890', days, moment, true, null])
  })

  for (const [what, settings] of Object.entries<Partial<Wfs11Settings>>({
    'a URN has latitude first': {},
    'an HTTP URI has latitude first': { srsName: 'http://www.opengis.net/def/crs/EPSG/0/4326' },
    'a short identifier has latitude first where the bounds say so': { srsName: 'EPSG:4326' },
    'a short identifier has latitude first where the default is a URN': {
      srsName: 'EPSG:4326',
      bounds: undefined,
    },
    'a short identifier has longitude first where the bounds say so': {
      srsName: 'EPSG:4326',
      geometry: lonLat,
    },
    'a short identifier has longitude first where it is the default': {
      srsName: 'EPSG:4326',
      defaultCrs: 'EPSG:4326',
      bounds: undefined,
      geometry: lonLat,
    },
    'an identifier of GML 2 has longitude first': {
      srsName: 'http://www.opengis.net/gml/srs/epsg.xml#4326',
      geometry: lonLat,
    },
  }))
    it(`reads the order of the axes: ${what}`, async (test) => {
      const table = await readTable(test, { rows: 1, ...settings })
      assert.deepEqual(geometries(table), ['POINT (13 52.5)'])
      assert.equal(table.layer.schema.geometry?.crs?.srs, 'EPSG:4326')
    })

  it('swaps the axes of a projected CRS whose northing is first', async (test) => {
    const [srsName, defaultCrs] = ['EPSG:31468', 'urn:ogc:def:crs:EPSG::31468']
    const geometry = (_: number, srs: string) =>
      `<gml:Point ${srs}><gml:pos>5820000 4590000</gml:pos></gml:Point>`
    const table = await readTable(test, { rows: 1, srsName, defaultCrs, geometry })
    assert.deepEqual(geometries(table), ['POINT (4590000 5820000)'])
  })

  it('reads the geometries of GML 3.1 and 2', async (test) => {
    const table = await readTable(test, {
      rows: forms.length,
      geometry: (n, srs) => forms[n]?.[1].replace('SRS', srs) ?? '',
    })
    assert.deepEqual(
      geometries(table).map((geometry, n) => `${forms[n]?.[0]}: ${geometry}`),
      forms.map(([form, , expected]) => `${form}: ${expected}`),
    )
  })

  it('reads heights', async (test) => {
    const geometry = (_: number, srs: string) =>
      `<gml:Point ${srs} srsDimension="3"><gml:pos>52 13 7</gml:pos></gml:Point>`
    assert.deepEqual(geometries(await readTable(test, { rows: 1, geometry })), ['POINT Z (13 52 7)'])
  })

  it('reads all features at once from a service without pages', async (test) => {
    const { data, requests } = await open(test, { rows: 1001 })
    const read = await readLocalService(test, data)
    assert.equal(read.rows, 1001)
    assert.equal(requests.findLast((one) => one.get('request') === 'GetFeature')?.has('maxFeatures'), false)
  })

  it('reads pages by startIndex where the service has them', async (test) => {
    const { data, requests } = await open(test, { rows: 2001, hasPages: true, isMemberEach: true })
    assert.equal((await readLocalService(test, data)).rows, 2001)
    const starts = requests
      .filter((one) => one.get('maxFeatures') === '1000')
      .map((one) => one.get('startIndex'))
    assert.deepEqual(starts, [null, '1000', '2000'])
  })

  for (const hits of [null, 1990])
    it(`reads all pages where the service counts ${hits ?? 'no'} features`, async (test) => {
      const { data } = await open(test, { rows: 2000, hasPages: true, hits })
      const read = await readLocalService(test, data)
      assert.equal(read.rows, 2000)
      assert.deepEqual(
        read.messages,
        hits === null ? [] : ['The service states 1990 features and sends 2000'],
      )
    })

  it('reads features without ids, and says that it cannot compare them', async (test) => {
    const { data } = await open(test, { rows: 1001, hasIds: false })
    const read = await readLocalService(test, data)
    assert.equal(read.rows, 1001)
    assert.match(read.messages.join(), /no ids/)
  })

  it('fails if features are missing, or the service answers an exception', async (test) => {
    const short = await open(test, { rows: 3, hits: 5 })
    await assert.rejects(readLocalService(test, short.data), { code: 'wrong-count' })
    const refused = await open(test, { exception: 'The database is away' })
    await assert.rejects(readLocalService(test, refused.data), /The database is away/)
  })
})
