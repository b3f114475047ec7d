import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { GeometryBuilder } from './geometry-builder.ts'
import { PolygonTest } from './polygon-test.ts'
import { jtsGeometry } from './relations/jts-geometry.ts'
import { jtsRelations } from './relations/jts-relations.ts'
import { RelationTest } from './relations/relation-test.ts'
import { WktReader } from './wkt.ts'

function wkb(wkt: string): Uint8Array {
  const builder = new GeometryBuilder(1)
  const bytes = Buffer.from(wkt)
  new WktReader({ isMulti: false, hasZ: false, hasM: false }).read(bytes, 0, bytes.length, builder)
  return builder.finish().bytes
}

/** On a small grid points often coincide with edges and corners; otherwise they are anywhere. */
const ordinate = fc.oneof(
  fc.integer({ min: 0, max: 9 }),
  fc.integer({ min: 0, max: 9e8 }).map((units) => units / 1e8),
)
const place = fc.tuple(ordinate, ordinate).map(([x, y]) => `${x} ${y}`)

/** A polygon that does not cross itself: around a middle, by angle; with a hole, or none. */
const polygon = fc
  .record({
    x: ordinate,
    y: ordinate,
    reaches: fc.array(fc.oneof(fc.constant(2), fc.double({ min: 0.5, max: 4, noNaN: true })), {
      minLength: 3,
      maxLength: 40,
    }),
    hole: fc.option(fc.double({ min: 0.1, max: 0.9, noNaN: true })),
  })
  .map(({ x, y, reaches, hole }) => {
    const ring = (share: number): string => {
      const all = reaches.map((reach, at) => {
        const angle = (at / reaches.length) * 2 * Math.PI
        return `${x + Math.cos(angle) * reach * share} ${y + Math.sin(angle) * reach * share}`
      })
      return `(${[...all, all[0]].join(',')})`
    }
    return `(${[ring(1), ...(hole === null ? [] : [ring(hole)])].join(',')})`
  })
const box = fc
  .tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }), fc.integer({ min: 1, max: 5 }))
  .map(([x, y, size]) => `((${x} ${y},${x + size} ${y},${x + size} ${y + size},${x} ${y + size},${x} ${y}))`)
const area = fc.oneof(polygon, box)
const row = fc.oneof(
  place.map((at) => `POINT(${at})`),
  fc
    .array(place, { minLength: 1, maxLength: 4 })
    .map((all) => `MULTIPOINT(${all.map((one) => `(${one})`).join(',')})`),
  fc
    .array(place, { minLength: 2, maxLength: 6 })
    .filter((all) => new Set(all).size > 1)
    .map((all) => `LINESTRING(${all.join(',')})`),
  area.map((one) => `POLYGON${one}`),
)

describe('whether geometries meet a polygon', () => {
  it('is what JTS finds, on corners and edges too', () => {
    let met = 0
    const runs = 4000
    fc.assert(
      fc.property(area, row, (fixed, other) => {
        const [a, b] = [wkb(`POLYGON${fixed}`), wkb(other)]
        const expected = jtsRelations.RelateOp.intersects(jtsGeometry(b, 0), jtsGeometry(a, 0))
        if (expected) met += 1
        assert.equal(new RelationTest('intersects', a, false).test(b, 0), expected, `${fixed} ${other}`)
        assert.equal(new RelationTest('disjoint', a, true).test(b, 0), !expected)
      }),
      { numRuns: runs },
    )
    assert.ok(met > runs / 10 && met < runs * 0.9, `${met} of ${runs}`)
  })

  it('tells of an envelope what holds for everything in it', () => {
    const found = { within: 0, apart: 0, across: 0 }
    const runs = 4000
    fc.assert(
      fc.property(area, fc.tuple(ordinate, ordinate, ordinate, ordinate), (fixed, [x, y, width, height]) => {
        const [minX, minY, maxX, maxY] = [x - 0.5, y - 0.5, x - 0.5 + width / 3, y - 0.5 + height / 3]
        const rings = [...fixed.matchAll(/\(([^()]+)\)/g)].map(([, ring = '']) =>
          Float64Array.from(ring.split(/[ ,]/).map(Number)),
        )
        const relation = new PolygonTest(rings).relationTo(minX, minY, maxX, maxY)
        found[relation] += 1
        const corners = [`${minX} ${minY}`, `${maxX} ${minY}`, `${maxX} ${maxY}`, `${minX} ${maxY}`]
        const text = `POLYGON((${[...corners, corners[0]].join(',')}))`
        const isThin = width === 0 || height === 0
        const [a, b] = [jtsGeometry(wkb(`POLYGON${fixed}`), 0), jtsGeometry(wkb(text), 0)]
        if (relation === 'apart') assert.equal(jtsRelations.RelateOp.intersects(a, b), false, text)
        // A geometry that touches the boundary in a single point may still be inside.
        if (relation === 'across' && !isThin) assert.equal(jtsRelations.RelateOp.intersects(a, b), true, text)
        if (relation === 'within' && !isThin) assert.equal(jtsRelations.RelateOp.contains(a, b), true, text)
      }),
      { numRuns: runs },
    )
    for (const [relation, count] of Object.entries(found))
      assert.ok(count > runs / 200, `${relation}: ${count} of ${runs}`)
  })

  it('holds for several parts, and for collections beside what is not a polygon', () => {
    const parts = 'MULTIPOLYGON(((0 0,1 0,1 1,0 1,0 0)),((5 5,9 5,9 9,5 9,5 5),(6 6,8 6,8 8,6 8,6 6)))'
    const mixed = `GEOMETRYCOLLECTION(${parts},LINESTRING(20 0,20 9),POINT(30 30))`
    for (const [fixed, other, meets] of [
      [parts, 'POINT(1 1)', true],
      [parts, 'POINT(7 7)', false],
      [parts, 'POINT(6 7)', true],
      [parts, 'LINESTRING(2 2,4 4)', false],
      [parts, 'LINESTRING(0 9,9 0)', false],
      [parts, 'LINESTRING(-1 2,2 -1)', true],
      [parts, 'POLYGON((-9 -9,99 -9,99 99,-9 99,-9 -9))', true],
      [parts, 'POLYGON((6.5 6.5,7 6.5,7 7,6.5 6.5))', false],
      [parts, 'POLYGON((2 2,4 2,4 4,2 4,2 2))', false],
      [parts, 'POINT EMPTY', false],
      [parts, 'GEOMETRYCOLLECTION(POINT(3 3),LINESTRING(4 4,5 5))', true],
      [mixed, 'LINESTRING(19 4,21 4)', true],
      [mixed, 'POINT(30 30)', true],
      [mixed, 'POINT(3 3)', false],
      // As large as a point, or a line: a box of no area is what a client may ask.
      ['POLYGON((3 3,3 3,3 3,3 3,3 3))', 'POINT(3 3)', true],
      ['POLYGON((3 3,3 3,3 3,3 3,3 3))', 'POLYGON((0 0,9 0,9 9,0 9,0 0))', true],
      ['POLYGON((3 3,5 3,5 3,3 3,3 3))', 'LINESTRING(4 0,4 9)', true],
    ] as const)
      assert.equal(
        new RelationTest('intersects', wkb(fixed), false).test(wkb(other), 0),
        meets,
        `${fixed} ${other}`,
      )
  })
})
