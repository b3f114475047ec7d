import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import { worldExponent, worldUnits } from './feature-positions.ts'
import type { UnitBox } from './sample-points.ts'
import {
  cachedPointWithin,
  firstExponent,
  isSamplePointOf,
  noExponent,
  samplePointWithin,
} from './sample-points.ts'

const point = { x: 0, y: 0 }

const [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
const everywhere: UnitBox = { minX: least, minY: least, maxX: most, maxY: most }

function pointOf(column: number, row: number, exponent: number): { x: number; y: number } {
  assert.ok(samplePointWithin(column, row, exponent, everywhere, point))
  return { ...point }
}

/**
 * Returns boxes of all sizes below a 64th of the world, some across the edges of large cells and the
 * antimeridian.
 */
function boxes(): UnitBox[] {
  const random = seededRandom(3)
  return Array.from({ length: 3000 }, (_, at) => {
    const size = worldUnits * 2 ** -(6 + random() * 22)
    const middle = at % 10 === 0 ? 1.5 : at % 10 === 1 ? 2 : 1 + random()
    const [x, y] = [middle * worldUnits, (at % 10 === 2 ? 1.5 : 1 + random()) * worldUnits]
    return {
      minX: x - size * random(),
      minY: y - size * random(),
      maxX: x + size * random(),
      maxY: y + size * random(),
    }
  })
}

/** Tests each cell that the box touches. */
function firstByAll(box: UnitBox, end: number): number {
  for (let exponent = 0; exponent < end && exponent <= worldExponent; exponent += 1) {
    const side = 2 ** (worldExponent - exponent)
    for (let row = Math.floor(box.minY / side); row <= Math.floor(box.maxY / side); row += 1)
      for (let column = Math.floor(box.minX / side); column <= Math.floor(box.maxX / side); column += 1) {
        const { x, y } = pointOf(column, row, exponent)
        if (x >= box.minX && x <= box.maxX && y >= box.minY && y <= box.maxY) return exponent
      }
  }
  return noExponent
}

describe('sample points', () => {
  it('are found in a box from the cache as without it', () => {
    let hits = 0
    for (const box of boxes())
      for (const exponent of [4, 7, 9, 13, worldExponent]) {
        const side = 2 ** (worldExponent - exponent)
        const [column, row] = [Math.floor(box.minX / side), Math.floor(box.maxY / side)]
        const expected = samplePointWithin(column, row, exponent, box, point) ? { ...point } : undefined
        // The cell is remembered, its point is computed, and read.
        for (let time = 0; time < 3; time += 1) {
          const found = cachedPointWithin(column, row, exponent, box, point) ? { ...point } : undefined
          assert.deepEqual(found, expected, JSON.stringify({ column, row, exponent, box, time }))
        }
        if (expected !== undefined) hits += 1
      }
    assert.ok(hits > 1000, `${hits} points in boxes`)
  })

  it('lie in their cells, and those of large cells are those of small ones too', () => {
    for (const [column, row, exponent] of [
      [1, 1, 0],
      [37, 50, 5],
      [3000, 2100, 11],
    ] as const) {
      const { x, y } = pointOf(column, row, exponent)
      const side = 2 ** (worldExponent - exponent)
      assert.deepEqual([Math.floor(x / side), Math.floor(y / side)], [column, row])
      const half = side / 2
      const [inner, below] = [Math.floor(x / half), Math.floor(y / half)]
      assert.deepEqual(pointOf(inner, below, exponent + 1), { x, y })
      assert.ok(isSamplePointOf(inner, below, exponent + 1, exponent))
      assert.ok(!isSamplePointOf(inner ^ 1, below, exponent + 1, exponent))
      assert.ok(
        !samplePointWithin(column, row, exponent, { minX: x + 2, maxX: most, minY: least, maxY: y }, point),
      )
      assert.ok(samplePointWithin(column, row, exponent, { minX: x, maxX: x, minY: y, maxY: y }, point))
    }
  })

  it('come again after a turn of the world', () => {
    const { x, y } = pointOf(700, 600, 9)
    assert.deepEqual(pointOf(700 + 512, 600, 9), { x: x + worldUnits, y })
    assert.deepEqual(pointOf(700 - 1024, 600, 9), { x: x - 2 * worldUnits, y })
  })

  it('are found in a box as by a look at all cells', () => {
    let found = 0
    for (const box of boxes()) {
      const end = worldExponent - Math.floor(Math.log2(Math.max(box.maxX - box.minX, box.maxY - box.minY)))
      const first = firstExponent(box, end)
      assert.equal(Math.min(first, end), Math.min(firstByAll(box, end), end), JSON.stringify(box))
      if (first < end) found += 1
    }
    assert.ok(found > 500, `${found} of 3000`)
  })

  it('hit a box as often as its share of a cell', () => {
    const exponent = 12
    const side = 2 ** (worldExponent - exponent)
    const left = { hits: 0, expected: 0 }
    for (let column = 4096; column < 4096 + 200; column += 1)
      for (let row = 4096; row < 4096 + 100; row += 1) {
        const { x, y } = pointOf(column, row, exponent)
        const [right, down] = [x / side - column, y / side - row]
        if (right < 0.37 && down > 0.6) left.hits += 1
        left.expected += 0.37 * 0.4
      }
    assert.ok(Math.abs(left.hits / left.expected - 1) < 0.05, JSON.stringify(left))
  })
})
