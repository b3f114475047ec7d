import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Client } from 'pg'
import type { GeometryType } from '../../../src/geo/schema.ts'
import { writeGeometryText } from '../../../src/geo/wkb-to-wkt.ts'
import { BoxTest } from '../../../src/geo/wkb-touches.ts'
import { wkb } from '../../support/batches.ts'
import { fileDatabase } from '../../support/postgis-store.ts'

type Position = [number, number]

/**
 * Ordinates on a small grid, a tiny distance from it, and between: boxes touch edges, miss them narrowly, and
 * cut them anywhere.
 */
const ordinate = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: -5, max: 5 }).map((value) => value + value * 2 ** -52),
  fc.integer({ min: -50, max: 50 }).map((value) => value / 10),
  fc.integer({ min: -5_000_000_000_000, max: 5_000_000_000_000 }).map((value) => value / 1e12),
)
const position: fc.Arbitrary<Position> = fc.tuple(ordinate, ordinate)
const line = fc.array(position, { minLength: 2, maxLength: 5 })
const ring = fc
  .array(position, { minLength: 3, maxLength: 6 })
  .map((corners): Position[] => [...corners, ...corners.slice(0, 1)])

/** A ring with a smaller image of itself as a hole. */
const polygon = fc.tuple(ring, fc.constantFrom(0, 0.3, 0.9)).map(([shell, share]) => {
  const [x, y] = [0, 1].map((axis) => shell.reduce((sum, at) => sum + (at[axis] ?? 0), 0) / shell.length)
  const shrink = (value: number, middle = 0): number => middle + (value - middle) * share
  return share === 0 ? [shell] : [shell, shell.map((at): Position => [shrink(at[0], x), shrink(at[1], y)])]
})

function some<T>(part: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(part, { minLength: 0, maxLength: 3 })
}

const geometry = fc
  .oneof(
    fc.tuple(fc.constant<GeometryType>('Point'), position),
    fc.tuple(fc.constant<GeometryType>('LineString'), line),
    fc.tuple(fc.constant<GeometryType>('Polygon'), polygon),
    fc.tuple(fc.constant<GeometryType>('MultiPoint'), some(position)),
    fc.tuple(fc.constant<GeometryType>('MultiLineString'), some(line)),
    fc.tuple(fc.constant<GeometryType>('MultiPolygon'), some(polygon)),
    fc.tuple(fc.constant<GeometryType>('GeometryCollection'), some(position)),
  )
  .map(([type, coordinates]) => wkb(type, coordinates))

const box = fc
  .tuple(position, position)
  .map(([[ax, ay], [bx, by]]) => ({
    minX: Math.min(ax, bx),
    minY: Math.min(ay, by),
    maxX: Math.max(ax, bx),
    maxY: Math.max(ay, by),
  }))
  .filter(({ minX, minY, maxX, maxY }) => minX < maxX && minY < maxY)

const amount = 20_000

describe('the test of geometries against a box', () => {
  it(`says what ST_Intersects says, ${amount} times`, async (t) => {
    const client = new Client({ connectionString: await fileDatabase() })
    t.after(() => client.end())
    await client.connect()
    const cases = fc.sample(fc.record({ geometry, box }), { numRuns: amount, seed: 17 })
    const sides = (name: keyof (typeof cases)[number]['box']): number[] => cases.map((one) => one.box[name])
    const { rows } = await client.query<{ touches: boolean | null }>(
      `select case when ST_IsValid(g) then ST_Intersects(g, ST_MakeEnvelope(x0, y0, x1, y1)) end as touches
       from unnest($1::bytea[], $2::float8[], $3::float8[], $4::float8[], $5::float8[])
         with ordinality as c(wkb, x0, y0, x1, y1, n), ST_GeomFromWKB(wkb) as g order by n`,
      [
        cases.map((one) => Buffer.from(one.geometry)),
        ...(['minX', 'minY', 'maxX', 'maxY'] as const).map(sides),
      ],
    )
    const wrong = cases.flatMap((one, index) => {
      const expected = rows[index]?.touches
      const found = new BoxTest(one.box).touches(one.geometry)
      return expected == null || expected === found
        ? []
        : [`${writeGeometryText(one.geometry)} ${JSON.stringify(one.box)}: ${found}`]
    })
    assert.deepEqual(wrong.slice(0, 5), [])
    assert.ok(rows.filter(({ touches }) => touches === true).length > amount / 10)
    assert.ok(rows.filter(({ touches }) => touches === false).length > amount / 10)
  })
})
