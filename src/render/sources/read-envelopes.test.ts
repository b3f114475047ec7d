import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sortNumbered } from './read-envelopes.ts'

function sortedOf(ids: number[]): { ids: number[]; envelopes: number[] } {
  const envelopes = Float64Array.from(ids.flatMap((id) => [id, id + 0.25, id + 0.5, id + 0.75]))
  const sorted = sortNumbered({ ids: Float64Array.from(ids), envelopes })
  return { ids: [...sorted.ids], envelopes: [...sorted.envelopes] }
}

describe('sortNumbered', () => {
  const cases = {
    'rows in their order': [1, 2, 3, 7],
    'rows that lie closely': [4, 2, 3, 1, 7, -1],
    'rows that lie far from each other': [2 ** 53 - 1, -5, 1e12, 0, -(2 ** 53) + 1],
    'rows of which some have the same id': [3, 1, 3, 2],
    'no rows': [],
    'one row': [5],
  }
  for (const [name, ids] of Object.entries(cases)) {
    it(`sorts ${name}, each with its envelope`, () => {
      const order = ids.toSorted((a, b) => a - b)
      assert.deepEqual(sortedOf(ids), {
        ids: order,
        envelopes: order.flatMap((id) => [id, id + 0.25, id + 0.5, id + 0.75]),
      })
    })
  }
})
