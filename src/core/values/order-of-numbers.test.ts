import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { orderOfNumbers } from './order-of-numbers.ts'

describe('orderOfNumbers', () => {
  it('gives the places in the order of the numbers, close or far from each other, some of them twice', () => {
    const close = fc.array(fc.integer({ min: -20, max: 20 }))
    const different = fc.uniqueArray(fc.integer({ min: -20, max: 20 }))
    const far = fc.array(fc.maxSafeInteger())
    fc.assert(
      fc.property(fc.oneof(close, different, far), (numbers) => {
        const order = numbers.map((_, at) => at).sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0))
        assert.deepEqual([...orderOfNumbers(numbers)], order)
        assert.deepEqual([...orderOfNumbers(Float64Array.from(numbers))], order)
      }),
    )
  })
})
