import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { GeometryBuilder } from '../geometry-builder.ts'
import { GeometryError } from '../wkb.ts'
import { writeGeometryText } from '../wkb-to-wkt.ts'
import { WktReader } from '../wkt.ts'
import { linearWkb } from './curve-wkb.ts'

/** The geometry that WKT comes to, as WKT. */
function linear(text: string, shape = { isMulti: false, hasZ: false, hasM: false }): string {
  const builder = new GeometryBuilder(1)
  const bytes = Buffer.from(text)
  new WktReader(shape).read(bytes, 0, bytes.length, builder)
  return writeGeometryText(builder.finish().bytes)
}

function positionsOf(text: string): number[][] {
  return [...text.matchAll(/(-?[\d.e-]+) (-?[\d.e-]+)/g)].map((match) => [Number(match[1]), Number(match[2])])
}

/** ISO WKB of nested numbers: a byte order and a type, then counts (as `{ count }`) and ordinates. */
function wkb(parts: (number | { type: number } | { count: number })[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      const bytes = Buffer.alloc(typeof part === 'number' ? 8 : 'type' in part ? 5 : 4)
      if (typeof part === 'number') bytes.writeDoubleLE(part)
      else if ('type' in part) {
        bytes[0] = 1
        bytes.writeUInt32LE(part.type, 1)
      } else bytes.writeUInt32LE(part.count)
      return bytes
    }),
  )
}

describe('arcs', () => {
  it('become lines of at most four degrees on the circle, through the positions that are given', () => {
    for (const [arc, isLeft] of [
      ['CIRCULARSTRING(0 0,1 1,2 0)', false],
      ['CIRCULARSTRING(0 0,1 -1,2 0)', true],
    ] as const) {
      const positions = positionsOf(linear(arc))
      assert.equal(positions.length, 47)
      for (const [x = 0, y = 0] of positions) assert.ok(Math.abs(Math.hypot(x - 1, y) - 1) < 1e-12)
      assert.deepEqual(
        [positions[0], positions.at(-1)],
        [
          [0, 0],
          [2, 0],
        ],
      )
      assert.deepEqual(positions[23], [1, isLeft ? -1 : 1])
    }
  })

  it('of a whole circle go round it once', () => {
    const positions = positionsOf(linear('CURVEPOLYGON(CIRCULARSTRING(0 0,2 0,0 0))'))
    let area = 0
    for (const [index, [x = 0, y = 0]] of positions.entries()) {
      const [nextX = 0, nextY = 0] = positions[index + 1] ?? [x, y]
      area += (x * nextY - nextX * y) / 2
    }
    assert.ok(Math.abs(Math.abs(area) - Math.PI) < 0.005, String(area))
    assert.deepEqual(positions[0], positions.at(-1))
  })

  it('whose positions stand in a line, or are one position, are straight', () => {
    assert.equal(linear('CIRCULARSTRING(0 0,1 1,2 2)'), 'LINESTRING (0 0,1 1,2 2)')
    assert.equal(linear('CIRCULARSTRING(1 1,1 1,1 1)'), 'LINESTRING (1 1,1 1,1 1)')
  })

  it('keep heights and measures, in between by the angle', () => {
    const text = linear('CIRCULARSTRING Z(0 0 0,1 1 46,2 0 0)', { isMulti: false, hasZ: true, hasM: false })
    assert.match(text, /^LINESTRING Z \(0 0 0,[^,]* 2,/)
  })
})

describe('curves and surfaces', () => {
  const cases = [
    ['COMPOUNDCURVE((0 0,1 1),(1 1,2 2))', 'LINESTRING (0 0,1 1,2 2)'],
    ['COMPOUNDCURVE EMPTY', 'LINESTRING EMPTY'],
    ['MULTICURVE((0 0,1 1),COMPOUNDCURVE((1 1,2 2)))', 'MULTILINESTRING ((0 0,1 1),(1 1,2 2))'],
    ['CURVEPOLYGON((0 0,4 0,4 4,0 0))', 'POLYGON ((0 0,4 0,4 4,0 0))'],
    [
      'MULTISURFACE(((0 0,4 0,4 4,0 0)),CURVEPOLYGON((5 5,6 5,6 6,5 5)))',
      'MULTIPOLYGON (((0 0,4 0,4 4,0 0)),((5 5,6 5,6 6,5 5)))',
    ],
    [
      'TIN(((0 0,1 0,0 1,0 0)),((0 0,1 0,1 1,0 0)))',
      'MULTIPOLYGON (((0 0,1 0,0 1,0 0)),((0 0,1 0,1 1,0 0)))',
    ],
    ['POLYHEDRALSURFACE(((0 0,1 0,0 1,0 0)))', 'MULTIPOLYGON (((0 0,1 0,0 1,0 0)))'],
    ['TRIANGLE((0 0,1 0,0 1,0 0))', 'POLYGON ((0 0,1 0,0 1,0 0))'],
    ['SRID=4326;MULTICURVE(CIRCULARSTRING(0 0,1 1,2 2))', 'MULTILINESTRING ((0 0,1 1,2 2))'],
    [
      'GEOMETRYCOLLECTION(POINT(1 2),CIRCULARSTRING(0 0,1 1,2 2))',
      'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1,2 2))',
    ],
  ] as const
  for (const [text, expected] of cases) {
    it(`read ${text} as ${expected}`, () => assert.equal(linear(text), expected))
  }

  it('of the shape of the column become several', () => {
    const text = linear('CURVEPOLYGON((0 0,4 0,4 4,0 0))', { isMulti: true, hasZ: false, hasM: false })
    assert.equal(text, 'MULTIPOLYGON (((0 0,4 0,4 4,0 0)))')
  })

  it('are read from WKB too, in a collection as well', () => {
    const arc = [{ type: 8 }, { count: 3 }, 0, 0, 1, 1, 2, 2]
    const builder = new GeometryBuilder(2)
    builder.appendWkb(wkb([{ type: 9 }, { count: 2 }, ...arc, { type: 2 }, { count: 2 }, 2, 2, 5, 2]))
    builder.appendWkb(
      wkb([
        { type: 7 },
        { count: 1 },
        { type: 10 },
        { count: 1 },
        { type: 8 },
        { count: 3 },
        0,
        0,
        2,
        0,
        0,
        0,
      ]),
    )
    const { bytes, offsets } = builder.finish()
    assert.equal(writeGeometryText(bytes.subarray(0, offsets[1])), 'LINESTRING (0 0,1 1,2 2,5 2)')
    assert.match(writeGeometryText(bytes.subarray(offsets[1])), /^GEOMETRYCOLLECTION \(POLYGON \(\(0 0,/)
  })

  it('that do not fit together, or break off, are refused', () => {
    for (const text of [
      'CIRCULARSTRING(0 0,1 1)',
      'CIRCULARSTRING(0 0,1 1,2 0,3 3)',
      'COMPOUNDCURVE((0 0,1 1),(2 2,3 3))',
      'CURVEPOLYGON(POINT(1 2))',
      'TIN(((0 0,1 0,0 1,0 0))',
      'MULTICURVE(x)',
    ]) {
      assert.throws(() => linear(text), GeometryError, text)
    }
    const whole = wkb([{ type: 11 }, { count: 1 }, { type: 8 }, { count: 3 }, 0, 0, 1, 1, 2, 2])
    for (let end = 0; end < whole.length; end += 1) {
      assert.throws(() => linearWkb(whole, 0, end), GeometryError)
    }
  })

  it('give lines or an error of geometry, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 8, max: 17 }), (bytes, type) => {
        const source = Buffer.concat([wkb([{ type }]), bytes])
        const builder = new GeometryBuilder(1)
        try {
          builder.appendWkb(source)
        } catch (error) {
          assert.ok(error instanceof GeometryError, String(error))
        }
      }),
    )
  })
})
