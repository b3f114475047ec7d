import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readableAmount, toAmount } from './amount.ts'

describe('amounts', () => {
  it('are numbers and their texts, with 4 decimals', () => {
    assert.deepEqual([1, '1', ' 2.50 ', '-.5', '10.', 0.00001, -0].map(toAmount), [1, 1, 2.5, -0.5, 10, 0, 0])
  })

  it('are neither NaN, infinite, huge, nor anything else', () => {
    const wrong = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1e16,
      '1e3',
      'NaN',
      'Infinity',
      '0x10',
      '1,5',
      '',
      null,
      {},
      [1],
    ]
    for (const one of wrong) assert.equal(toAmount(one), undefined, String(one))
    assert.equal(toAmount('9'.repeat(100_000)), undefined)
  })

  it('of anything never throw', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const amount = toAmount(value)
        assert.ok(amount === undefined || Math.abs(amount) <= 1e15)
      }),
    )
  })

  it('are shown with their unit', () => {
    assert.equal(readableAmount(812.345, 'ms'), '812.35 ms')
    assert.equal(readableAmount(1_500_000_000, 'B'), '1.5 GB')
    assert.equal(readableAmount(0, 'B'), '0 B')
    assert.equal(readableAmount(2000, 'B/s'), '2 KB/s')
    assert.equal(readableAmount(12, 'Count'), '12')
    assert.equal(readableAmount(90, '%'), '90 %')
  })
})
