import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ReadLayer, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { kmlPoint, kmlText, placemark } from '../../../tests/support/xml-text.ts'
import { kml } from './kml.ts'

const write = temporaryFiles()

function read(...geometries: string[]): Promise<ReadLayer> {
  const placemarks = geometries.map((geometry) => placemark(geometry))
  return readLayer(kml, write('geometry.kml', kmlText(...placemarks)))
}

/** Returns the geometry read from an element, or why its row was rejected. */
async function geometryOf(geometry: string): Promise<string | null | undefined> {
  const { rows, rejects } = await read(geometry)
  return rows.length === 1 ? rows[0]?.geometry : `rejected: ${rejects[0]?.reason}`
}

const line = (coordinates: string): string =>
  `<LineString><coordinates>${coordinates}</coordinates></LineString>`
const ring = (coordinates: string): string =>
  `<LinearRing><coordinates>${coordinates}</coordinates></LinearRing>`
const outer = (coordinates: string): string => `<outerBoundaryIs>${ring(coordinates)}</outerBoundaryIs>`
const inner = (...coordinates: string[]): string =>
  `<innerBoundaryIs>${coordinates.map(ring).join('')}</innerBoundaryIs>`
const polygon = (...boundaries: string[]): string => `<Polygon>${boundaries.join('')}</Polygon>`
const multi = (...parts: string[]): string => `<MultiGeometry>${parts.join('')}</MultiGeometry>`
const square = '0,0 4,0 4,4 0,4 0,0'

describe('KML geometries', () => {
  it('are points, lines and rings', async () => {
    assert.equal(await geometryOf(kmlPoint('1,2')), 'POINT (1 2)')
    assert.equal(await geometryOf(line('1,2 3,4 5,6')), 'LINESTRING (1 2,3 4,5 6)')
    assert.equal(await geometryOf(ring('0,0 1,0 1,1 0,0')), 'LINESTRING (0 0,1 0,1 1,0 0)')
  })

  it('are polygons with holes, in one boundary or several', async () => {
    const hole = '1,1 2,1 2,2 1,1'
    const expected = 'POLYGON ((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 1),(1 1,2 1,2 2,1 1))'
    assert.equal(await geometryOf(polygon(outer(square), inner(hole), inner(hole))), expected)
    assert.equal(await geometryOf(polygon(outer(square), inner(hole, hole))), expected)
  })

  it('are collections of one type where all parts have it, nested ones among them', async () => {
    assert.equal(await geometryOf(multi(kmlPoint('1,2'), kmlPoint('3,4'))), 'MULTIPOINT ((1 2),(3 4))')
    assert.equal(
      await geometryOf(multi(line('1,2 3,4'), multi(line('5,6 7,8'), multi(ring('0,0 1,0 1,1 0,0'))))),
      'MULTILINESTRING ((1 2,3 4),(5 6,7 8),(0 0,1 0,1 1,0 0))',
    )
    assert.equal(
      await geometryOf(multi(polygon(outer('0,0 1,0 1,1 0,0')))),
      'MULTIPOLYGON (((0 0,1 0,1 1,0 0)))',
    )
    assert.equal(
      await geometryOf(multi(kmlPoint('1,2'), multi(line('1,2 3,4')))),
      'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (1 2,3 4))',
    )
  })

  it('are tracks, as lines of their positions', async () => {
    const track = (...coords: string[]): string =>
      `<gx:Track>${coords.map((coord) => `<gx:coord>${coord}</gx:coord>`).join('')}</gx:Track>`
    assert.equal(await geometryOf(track('1 2 3', '4 5 6')), 'LINESTRING Z (1 2 3,4 5 6)')
    assert.equal(
      await geometryOf(`<gx:MultiTrack>${track('1 2', '3 4')}${track('5 6', '', '7 8')}</gx:MultiTrack>`),
      'MULTILINESTRING ((1 2,3 4),(5 6,7 8))',
    )
  })

  it('are those with positions where a placemark has an empty one beside it', async () => {
    const track = '<gx:Track><gx:coord>1 2</gx:coord><gx:coord>3 4</gx:coord></gx:Track>'
    const none = '<gx:Track><altitudeMode>clampToGround</altitudeMode></gx:Track>'
    assert.equal(await geometryOf(kmlPoint('') + track), 'LINESTRING (1 2,3 4)')
    assert.equal(await geometryOf(kmlPoint('1,2') + none), 'POINT (1 2)')
    const { rows, rejects } = await read(kmlPoint('') + track, kmlPoint('1,2') + none, kmlPoint('') + none)
    assert.deepEqual(
      rows.map(({ geometry }) => geometry),
      ['LINESTRING (1 2,3 4)', 'POINT (1 2)', 'LINESTRING EMPTY'],
    )
    assert.deepEqual(rejects, [])
  })

  it('are null without one, for a model, and for a collection of nothing', async () => {
    const model = '<Model><Location><longitude>1</longitude><latitude>2</latitude></Location></Model>'
    for (const nothing of ['', model, multi(), multi(multi(model))]) {
      assert.equal(await geometryOf(nothing), null, nothing)
    }
    assert.equal(await geometryOf(kmlPoint(' ')), 'POINT EMPTY')
    assert.equal(await geometryOf('<LineString/>'), 'LINESTRING EMPTY')
  })

  it('have a Z throughout where one position has an altitude', async () => {
    const { layer, rows } = await read(kmlPoint('1,2'), line('1,2,7 3,4'), kmlPoint('5,6,0'))
    assert.deepEqual(
      rows.map(({ geometry }) => geometry),
      ['POINT Z (1 2 0)', 'LINESTRING Z (1 2 7,3 4 0)', 'POINT Z (5 6 0)'],
    )
    assert.deepEqual(
      layer.messages.map(({ code }) => code),
      ['mixed-dimensions'],
    )
  })

  it('become multi where single and multi are mixed', async () => {
    const { layer, rows } = await read(kmlPoint('1,2'), multi(kmlPoint('3,4'), kmlPoint('5,6')))
    assert.equal(layer.schema.geometry?.type, 'MultiPoint')
    assert.deepEqual(
      rows.map(({ geometry }) => geometry),
      ['MULTIPOINT ((1 2))', 'MULTIPOINT ((3 4),(5 6))'],
    )
  })

  it('have their rings closed, and the layer says so', async () => {
    const { layer, rows } = await read(polygon(outer('0,0,5 4,0,5 4,4,5')))
    assert.equal(rows[0]?.geometry, 'POLYGON Z ((0 0 5,4 0 5,4 4 5,0 0 5))')
    assert.deepEqual(
      layer.messages.map(({ code }) => code),
      ['closed-rings'],
    )
  })

  it('take numbers as programs and people write them', async () => {
    assert.equal(await geometryOf(kmlPoint('+1.50,-.5,1e2')), 'POINT Z (1.5 -0.5 100)')
    assert.equal(await geometryOf(kmlPoint('007.,0')), 'POINT (7 0)')
    assert.equal(
      await geometryOf(kmlPoint('0.1234567890123456789,12345678901234567.5')),
      'POINT (0.12345678901234568 12345678901234568)',
    )
    assert.equal(await geometryOf(line('\n 1, 2 ,3\t4 ,5,6\r\n')), 'LINESTRING Z (1 2 3,4 5 6)')
    assert.equal(await geometryOf(line('1,2<!-- c --> <![CDATA[3,4]]>&#32;5,6')), 'LINESTRING (1 2,3 4,5 6)')
  })
})

describe('broken KML geometries', () => {
  const broken: Record<string, [string, RegExp]> = {
    'one number': [kmlPoint('1'), /fewer than two numbers/],
    'four numbers': [kmlPoint('1,2,3,4'), /more than three numbers/],
    'commas between positions': [line('1,2, 3,4, 5,6'), /more than three numbers/],
    'no number': [kmlPoint('east,north'), /something else than numbers/],
    'something behind a number': [kmlPoint('1,2x'), /something else than numbers/],
    infinity: [kmlPoint('1e999,2'), /something else than numbers/],
    'not a number': [kmlPoint('nan,nan'), /something else than numbers/],
    'nothing between commas': [kmlPoint('1,,2'), /something else than numbers/],
    'two positions of a point': [kmlPoint('1,2 3,4'), /A point has 2 positions/],
    'one position of a line': [line('1,2'), /only one position/],
    'two positions of a ring': [polygon(outer('0,0 1,1')), /A ring has 3 positions/],
    'an empty ring': [polygon(outer('')), /A ring has 0 positions/],
    'a hole alone': [polygon(inner(square)), /before its outer ring/],
    'two outer rings': [polygon(outer(square), outer(square)), /outer ring of a polygon is not its first/],
    'two geometries': [kmlPoint('1,2') + kmlPoint('1,2'), /two geometries/],
    'a track of one': ['<gx:Track><gx:coord>1 2 3</gx:coord></gx:Track>', /only one position/],
    'a track with commas': ['<gx:Track><gx:coord>1,2,3</gx:coord></gx:Track>', /something else|two or three/],
  }
  for (const [name, [geometry, reason]] of Object.entries(broken)) {
    it(`reject the row for ${name}`, async () => {
      assert.match((await geometryOf(geometry)) ?? '', reason)
    })
  }

  it('name row, field, value, reason and what else the row holds', async () => {
    const data = '<ExtendedData><Data name="code"><value>A&amp;7</value></Data></ExtendedData>'
    const { layer, rows, rejects } = await readLayer(
      kml,
      write(
        'rejects.kml',
        kmlText(
          placemark('<name>first</name>', kmlPoint('1,2')),
          placemark('<name>second</name>', data, kmlPoint('1,two')),
          placemark('<name>third &nbsp;</name>', kmlPoint('3,4')),
          placemark('<name>fourth</name>', kmlPoint('5,6')),
        ),
      ),
    )
    assert.equal(layer.featureCount, 4)
    assert.deepEqual(
      rows.map(({ row, geometry }) => [row, geometry]),
      [
        [1, 'POINT (1 2)'],
        [4, 'POINT (5 6)'],
      ],
    )
    assert.deepEqual(rejects, [
      {
        row: 2,
        field: 'geometry',
        value: 'two',
        reason: 'A position holds something else than numbers',
        properties: { Name: 'second', code: 'A&7' },
      },
      { row: 3, reason: 'The entity "&nbsp;" is not known', properties: {} },
    ])
  })
})
