import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { GeometryBuilder } from '../geometry-builder.ts'
import { writeGeometryText } from '../wkb-to-wkt.ts'
import { WktReader } from '../wkt.ts'
import { findInvalidity } from './exact-validity.ts'
import { PolygonCheck } from './polygon-check.ts'
import { appendRepaired } from './repair-wkb.ts'

const check = new PolygonCheck()

function wkb(wkt: string, shape = { isMulti: false, hasZ: false, hasM: false }): Uint8Array {
  const builder = new GeometryBuilder(1)
  const bytes = Buffer.from(wkt)
  new WktReader(shape).read(bytes, 0, bytes.length, builder)
  return builder.finish().bytes
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Result of the quick test, then of the exact one if the quick test is undecided. */
function judge(bytes: Uint8Array): { quick: boolean; exact: boolean } {
  const view = viewOf(bytes)
  return { quick: check.isSurelyValid(view, 0), exact: findInvalidity(view, 0) === undefined }
}

function repaired(bytes: Uint8Array): string | undefined {
  const builder = new GeometryBuilder(1)
  return appendRepaired(builder, viewOf(bytes), 0) ? writeGeometryText(builder.finish().bytes) : undefined
}

const valid = [
  'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))',
  'POLYGON ((0 0, 4 0, 1 1, 0 4, 0 0))',
  'POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 1 2, 2 2, 1 1), (4 4, 4 5, 5 5, 4 4))',
  'MULTIPOLYGON (((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 8 1, 8 8, 1 8, 1 1)), ((2 2, 7 2, 7 7, 2 7, 2 2)))',
  'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))',
  'POLYGON ((0 0, 0 0, 4 0, 4 4, 4 4, 0 4, 0 0))',
]
/** Rings that touch in a point are valid; only the exact test decides it. */
const touching = [
  'POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (0 0, 1 2, 2 1, 0 0))',
  'MULTIPOLYGON (((0 0, 2 0, 2 2, 0 2, 0 0)), ((2 2, 4 2, 4 4, 2 4, 2 2)))',
]
const invalid = [
  'POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))',
  'POLYGON ((0 0, 4 0, 4 4, 8 8, 4 4, 0 4, 0 0))',
  'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (9 9, 10 9, 10 10, 9 9))',
  'POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 8 1, 8 8, 1 8, 1 1), (2 2, 3 2, 3 3, 2 2))',
  'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (3 3, 5 3, 5 5, 3 5, 3 3))',
  'MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((1 1, 2 1, 2 2, 1 1)))',
  'MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((4 0, 8 0, 8 4, 4 4, 4 0)))',
]

describe('the validity of polygons', () => {
  it('is told at once where no rings meet', () => {
    for (const wkt of valid) assert.deepEqual([wkt, judge(wkb(wkt))], [wkt, { quick: true, exact: true }])
  })

  it('is left to the exact test where rings touch', () => {
    for (const wkt of touching) assert.deepEqual([wkt, judge(wkb(wkt))], [wkt, { quick: false, exact: true }])
  })

  it('is denied for crossing, overlapping and nested rings', () => {
    for (const wkt of invalid) assert.deepEqual([wkt, judge(wkb(wkt))], [wkt, { quick: false, exact: false }])
    assert.deepEqual(findInvalidity(viewOf(wkb(invalid[0] as string)), 0), {
      reason: 'Self-intersection',
      x: 2,
      y: 2,
    })
  })

  it('is never given by the quick test to what the exact test refuses', () => {
    const position = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 }))
    const ring = fc
      .array(position, { minLength: 3, maxLength: 30 })
      .map((points) => [...points, points[0] as [number, number]])
    const text = (rings: number[][][]) =>
      `(${rings.map((one) => `(${one.map(([x, y]) => `${x} ${y}`).join(', ')})`).join(', ')})`
    const polygon = fc.array(ring, { minLength: 1, maxLength: 3 }).map(text)
    const polygons = fc.array(polygon, { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(polygons, (parts) => {
        const { quick, exact } = judge(wkb(`MULTIPOLYGON (${parts.join(', ')})`))
        assert.ok(!quick || exact, parts.join(', '))
      }),
      { numRuns: 2000 },
    )
  })

  it('is told at once for nearly all of a map of the world', () => {
    const { features } = JSON.parse(readFileSync('tests/fixtures/geojson/countries.geojson', 'utf8'))
    let quick = 0
    for (const { geometry } of features) {
      const rings = (polygon: number[][][]) =>
        `(${polygon.map((ring) => `(${ring.map(([x, y]) => `${x} ${y}`).join(',')})`).join(',')})`
      const wkt =
        geometry.type === 'Polygon'
          ? `POLYGON ${rings(geometry.coordinates)}`
          : `MULTIPOLYGON (${geometry.coordinates.map(rings).join(',')})`
      const judged = judge(wkb(wkt))
      assert.ok(judged.exact || !judged.quick)
      if (judged.quick) quick += 1
    }
    assert.ok(quick > features.length * 0.95, `${quick} of ${features.length}`)
  })

  it('is told for rings with many points', () => {
    const points = Array.from({ length: 20_000 }, (_, index) => {
      const angle = (index / 20_000) * 2 * Math.PI
      const radius = 10 + Math.sin(angle * 400)
      return `${radius * Math.cos(angle)} ${radius * Math.sin(angle)}`
    })
    const star = `POLYGON ((${[...points, points[0]].join(',')}))`
    assert.ok(check.isSurelyValid(viewOf(wkb(star)), 0))
    const crossed = [...points.slice(0, 5000), '0 0', '30 30', ...points.slice(5000)]
    assert.ok(!check.isSurelyValid(viewOf(wkb(`POLYGON ((${[...crossed, crossed[0]].join(',')}))`)), 0))
  })
})

describe('the repair of polygons', () => {
  it('gives valid polygons with the area that was meant', () => {
    assert.equal(
      repaired(wkb('POLYGON ((0 0, 4 0, 4 4, 8 8, 4 4, 0 4, 0 0))')),
      'POLYGON ((4 4,4 0,0 0,0 4,4 4))',
    )
    assert.match(
      repaired(wkb('POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))')) ?? '',
      /^MULTIPOLYGON \(\(\(.*2 2.*\)\)\)$/,
    )
    const merged = repaired(wkb('MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((4 0, 8 0, 8 4, 4 4, 4 0)))'))
    assert.match(merged ?? '', /^MULTIPOLYGON \(\(\([^()]*\)\)\)$/)
    for (const wkt of invalid) {
      const text = repaired(wkb(wkt))
      assert.ok(text !== undefined)
      assert.equal(findInvalidity(viewOf(wkb(text)), 0), undefined)
    }
  })

  it('keeps Z, and interpolates it where lines cross', () => {
    const text = repaired(
      wkb('POLYGON Z ((0 0 0, 4 4 4, 4 0 10, 0 4 20, 0 0 0))', { isMulti: false, hasZ: true, hasM: false }),
    )
    assert.match(text ?? '', /^MULTIPOLYGON Z /)
    assert.match(text ?? '', /4 0 10/)
    assert.match(text ?? '', /2 2 (2|15)/)
  })

  it('gives nothing where no area is left', () => {
    assert.equal(repaired(wkb('POLYGON ((0 0, 1 1, 2 2, 0 0))')), undefined)
  })

  it('makes valid what random rings make', () => {
    const position = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }))
    const ring = fc.array(position, { minLength: 3, maxLength: 12 })
    fc.assert(
      fc.property(fc.array(ring, { minLength: 1, maxLength: 3 }), (rings) => {
        const closed = rings.map((one) => [...one, one[0] as [number, number]])
        const text = `(${closed.map((one) => `(${one.map(([x, y]) => `${x} ${y}`).join(', ')})`).join(', ')})`
        const made = repaired(wkb(`POLYGON ${text}`))
        if (made !== undefined) assert.equal(findInvalidity(viewOf(wkb(made)), 0), undefined)
      }),
      { numRuns: 150 },
    )
  })
})
