import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { drawnSymbols } from '../evaluate.ts'
import { classBounds } from './breaks.ts'
import { classifiedStyle } from './classified-style.ts'
import { colorsOf, paletteNames } from './palettes.ts'
import { ValueSummarizer } from './summary.ts'

const values = fc
  .array(fc.oneof(fc.integer({ min: -9, max: 9 }), fc.double({ min: -100, max: 100, noNaN: true })), {
    minLength: 1,
    maxLength: 11,
  })
  .map((list) => Float64Array.from(list).sort())

/** Returns the sum of squared deviations from the class means. */
function cost(sorted: Float64Array, bounds: number[]): number {
  let all = 0
  let before = Number.NEGATIVE_INFINITY
  for (const bound of bounds) {
    const inside = [...sorted].filter((value) => value > before && value <= bound)
    const mean = inside.reduce((sum, value) => sum + value, 0) / inside.length
    all += inside.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    before = bound
  }
  return all
}

/** The least cost of all ways to divide distinct values. */
function leastCost(sorted: Float64Array, classes: number): number {
  const distinct = [...new Set(sorted)]
  const tryAll = (from: number, left: number, bounds: number[]): number => {
    if (left === 1) return cost(sorted, [...bounds, distinct.at(-1) ?? 0])
    const rest = distinct.slice(from, -1)
    return Math.min(
      ...rest.map((bound, index) => tryAll(from + index + 1, left - 1, [...bounds, bound])),
      Number.POSITIVE_INFINITY,
    )
  }
  return tryAll(0, Math.min(classes, distinct.length), [])
}

describe('classes', () => {
  it('by natural breaks differ least from their means', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 4 }), (sorted, classes) => {
        const bounds = classBounds(sorted, 'natural', classes)
        const [mine, best] = [cost(sorted, bounds), leastCost(sorted, classes)]
        assert.ok(mine <= best + 1e-6 * (1 + best), `${mine} is more than ${best}`)
        assert.equal(bounds.length, Math.min(classes, new Set(sorted).size))
      }),
      { numRuns: 300 },
    )
  })

  it('by quantiles hold at most their share up to each bound, without the bound itself', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 6 }), (sorted, classes) => {
        const bounds = classBounds(sorted, 'quantile', classes)
        // A zero has no sign among bounds.
        assert.equal(bounds.at(-1), (sorted.at(-1) ?? Number.NaN) + 0)
        const expected = Array.from({ length: classes }, (_, index) =>
          sorted.find(
            (value) =>
              [...sorted].filter((one) => one <= value).length * classes >= (index + 1) * sorted.length,
          ),
        )
        assert.deepEqual(bounds, [...new Set(expected)])
      }),
      { examples: [[Float64Array.of(-0), 1]] },
    )
  })

  it('of a hundred thousand values come in a moment, of equal and of huge ones too', () => {
    const many = Float64Array.from({ length: 100_000 }, (_, index) => Math.sin(index) * 1e6).sort()
    assert.equal(classBounds(many, 'natural', 20).length, 20)
    assert.deepEqual(classBounds(new Float64Array(1000).fill(7), 'natural', 5), [7])
    assert.deepEqual(classBounds(Float64Array.of(-1e300, 1e300), 'equal', 2).length, 2)
  })
})

describe('a style of classes', () => {
  it('draws each value by one rule, nulls and empty texts by their own', () => {
    const method = fc.constantFrom(
      'quantile' as const,
      'equal' as const,
      'natural' as const,
      'categories' as const,
    )
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.integer({ min: -20, max: 20 })), { minLength: 1 }),
        method,
        (all, how) => {
          const summarizer = new ValueSummarizer(how, 4)
          for (const value of all) summarizer.add(value ?? undefined)
          const summary = summarizer.finish()
          const style = classifiedStyle({
            attribute: 'a',
            palette: 'viridis',
            summary,
            dimension: 2,
            featureCount: 9,
          })
          for (const value of all) {
            const drawn = drawnSymbols(style, { dimension: 2, get: () => value }, 1000)
            assert.equal(drawn.length, 1)
            assert.equal(drawn[0]?.rule.name === 'no value', value === null)
          }
        },
      ),
    )
  })

  it('by palettes has as many colours as it asks for', () => {
    for (const name of paletteNames)
      for (const count of [1, 2, 5, 12])
        assert.equal(colorsOf(name, count).filter((color) => /^#[0-9a-f]{6}$/.test(color)).length, count)
  })
})
