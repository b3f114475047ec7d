import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { takesProcessorSeconds } from '../../tests/support/processor-time.ts'
import { GeometryBuilder } from './geometry-builder.ts'
import { GeometryError } from './wkb.ts'
import { writeGeometryJson } from './wkb-to-geojson.ts'
import { writeGeometryText } from './wkb-to-wkt.ts'
import { looksLikeWkt, WktReader } from './wkt.ts'

const plain = { isMulti: false, hasZ: false, hasM: false }

function read(text: string, shape = plain): { wkb: Uint8Array; reader: WktReader } {
  const builder = new GeometryBuilder(1)
  const reader = new WktReader(shape)
  const bytes = Buffer.from(`<${text}>`)
  reader.read(bytes, 1, bytes.length - 1, builder)
  return { wkb: builder.finish().bytes, reader }
}

function shapeOf(text: string): typeof plain {
  const { reader } = read(text)
  return { isMulti: false, hasZ: reader.hasZ, hasM: reader.hasM }
}

/** Reads a text with its own dimensions and writes it again. */
function again(text: string): string {
  return writeGeometryText(read(text, shapeOf(text)).wkb)
}

describe('WktReader', () => {
  const texts = [
    'POINT (1 2)',
    'POINT Z (1 2 3)',
    'POINT M (1 2 3)',
    'POINT ZM (1 2 3 4)',
    'POINT EMPTY',
    'LINESTRING (0.1 -0.2,1e+21 1e-7)',
    'LINESTRING EMPTY',
    'POLYGON ((0 0,4 0,4 4,0 0),(1 1,2 1,2 2,1 1))',
    'POLYGON EMPTY',
    'MULTIPOINT (1 2,3 4)',
    'MULTILINESTRING ((0 0,1 1),(2 2,3 3))',
    'MULTIPOLYGON (((0 0,4 0,4 4,0 0)),((9 9,8 9,8 8,9 9)))',
    'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1),GEOMETRYCOLLECTION EMPTY)',
    'GEOMETRYCOLLECTION Z (POINT Z (1 2 3))',
  ]
  for (const text of texts) {
    it(`reads and writes ${text} unchanged`, () => {
      const expected = text.startsWith('MULTIPOINT') ? 'MULTIPOINT ((1 2),(3 4))' : text
      assert.equal(again(text), expected)
    })
  }

  it('takes any letter case, blanks, joined dimensions and both forms of MULTIPOINT', () => {
    assert.equal(again(' point( 1\t2 ) '), 'POINT (1 2)')
    assert.equal(again('PointZ(1 2 3)'), 'POINT Z (1 2 3)')
    assert.equal(again('POINT(1 2 3)'), 'POINT Z (1 2 3)')
    assert.equal(again('POINT(1 2 3 4)'), 'POINT ZM (1 2 3 4)')
    assert.equal(again('multipoint((1 2),(3 4))'), again('MULTIPOINT(1 2,3 4)'))
    assert.equal(again('POINT(+1. .5)'), 'POINT (1 0.5)')
  })

  it('reads the SRID of EWKT', () => {
    assert.equal(read('SRID=25832;POINT(1 2)').reader.srid, 25832)
    assert.equal(read('POINT(1 2)').reader.srid, 0)
  })

  it('writes the shape that the column has', () => {
    const shape = { isMulti: true, hasZ: true, hasM: false }
    assert.equal(writeGeometryText(read('POINT(1 2)', shape).wkb), 'MULTIPOINT Z ((1 2 0))')
    assert.equal(writeGeometryText(read('POINT EMPTY', shape).wkb), 'MULTIPOINT Z EMPTY')
  })

  const bad = [
    '',
    'POINT',
    'POINT (1)',
    'POINT (1 2',
    'POINT (1 2) x',
    'POINT (1 2,3 4)',
    'POINT (1 2 3 4 5)',
    'POINT (1.5.2 3)',
    'POINT (NaN 2)',
    'POINT (1e999 2)',
    'POINT (1e 2)',
    'LINESTRING (1 2)',
    'LINESTRING (1 2,3 4 5)',
    'POLYGON ((0 0,1 0,1 1,0 1))',
    'POLYGON ((0 0,1 0,0 0))',
    'CIRCULARSTRING (0 0,1 1)',
    'SRID=x;POINT(1 2)',
    'Point of interest',
    `${'GEOMETRYCOLLECTION('.repeat(40)}POINT(1 2)${')'.repeat(40)}`,
  ]
  for (const text of bad) {
    it(`refuses "${text.slice(0, 40)}" and leaves the builder as it was`, () => {
      const builder = new GeometryBuilder(2)
      const bytes = Buffer.from(text)
      assert.throws(() => new WktReader(plain).read(bytes, 0, bytes.length, builder), GeometryError)
      assert.equal(builder.byteLength, 0)
    })
  }

  it('reads back every double exactly', () => {
    const double = fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value) => (value === 0 ? 0 : value))
    fc.assert(
      fc.property(double, double, (x, y) => {
        const { wkb } = read(`POINT(${x} ${y})`)
        const view = new DataView(wkb.buffer, wkb.byteOffset)
        assert.equal(view.getFloat64(5, true), x)
        assert.equal(view.getFloat64(13, true), y)
      }),
      { numRuns: 2000 },
    )
  })

  it('throws nothing but GeometryError, whatever the bytes', () => {
    const piece = fc.constantFrom(
      'POINT',
      'MULTI',
      'POLYGON',
      'GEOMETRYCOLLECTION',
      '(',
      ')',
      ',',
      ' 1',
      ' -2.5',
      'Z',
      ' EMPTY',
      '\0',
      'SRID=1;',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          read(pieces.join(''))
        } catch (error) {
          assert.ok(error instanceof GeometryError, String(error))
        }
      }),
      { numRuns: 3000 },
    )
  })
})

describe('looksLikeWkt', () => {
  it('knows WKT by its beginning', () => {
    assert.ok(looksLikeWkt('SRID=4326; MultiPolygon ((('))
    assert.ok(looksLikeWkt('POINT EMPTY'))
    assert.ok(!looksLikeWkt('Point of interest'))
  })

  it('is quick about many blanks', () =>
    takesProcessorSeconds(5, () => {
      assert.ok(!looksLikeWkt(`POINT${' '.repeat(1_000_000)}x`))
      assert.ok(looksLikeWkt(`POINT${' '.repeat(1_000_000)}Z (1 2 3)`))
    }))
})

describe('writeGeometryJson', () => {
  const cases: [string, string][] = [
    ['POINT (1.5 -2)', '{"type":"Point","coordinates":[1.5,-2]}'],
    ['POINT ZM (1 2 3 4)', '{"type":"Point","coordinates":[1,2,3]}'],
    ['POINT M (1 2 3)', '{"type":"Point","coordinates":[1,2]}'],
    ['POINT EMPTY', '{"type":"Point","coordinates":[]}'],
    ['LINESTRING (0 0,1e-7 1e21)', '{"type":"LineString","coordinates":[[0,0],[1e-7,1e+21]]}'],
    ['POLYGON ((0 0,4 0,4 4,0 0))', '{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]]]}'],
    ['MULTIPOINT (1 2,3 4)', '{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}'],
    ['MULTILINESTRING ((0 0,1 1))', '{"type":"MultiLineString","coordinates":[[[0,0],[1,1]]]}'],
    [
      'MULTIPOLYGON (((0 0,4 0,4 4,0 0)))',
      '{"type":"MultiPolygon","coordinates":[[[[0,0],[4,0],[4,4],[0,0]]]]}',
    ],
    [
      'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1))',
      '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"LineString","coordinates":[[0,0],[1,1]]}]}',
    ],
  ]
  for (const [text, json] of cases) {
    it(`writes ${text}`, () => {
      assert.equal(writeGeometryJson(read(text, shapeOf(text)).wkb), json)
    })
  }

  it('writes y first where it is asked to', () => {
    assert.equal(
      writeGeometryJson(read('POINT(1 2)').wkb, { isYx: true }),
      '{"type":"Point","coordinates":[2,1]}',
    )
  })
})
