import assert from 'node:assert/strict'
import { it } from 'node:test'
import { RejectReasons } from './reject-reasons.ts'

it('names the commonest reasons with their first rows, values aside', () => {
  const reasons = new RejectReasons()
  assert.equal(reasons.explain(), '')
  for (const row of [5, 6, 7])
    reasons.add({ row, field: 'pop', value: `n/a ${row}`, reason: 'The value is not a whole number' })
  for (const row of [8, 9]) reasons.add({ row, reason: `The row has ${row} cells, the header has 5` })
  reasons.add({ row: 2, field: 'x', reason: 'The value "a" cannot become int32', value: 'a' })
  assert.equal(
    reasons.explain(),
    '3 rows, "pop": The value is not a whole number (row 5 has "n/a 5"); ' +
      '2 rows, The row has 8 cells, the header has 5 (row 8); ' +
      '1 row, "x": The value "a" cannot become int32 (row 2)',
  )
  for (const field of ['y', 'z']) reasons.add({ row: 1, field, reason: 'bad' })
  assert.match(reasons.explain(), /; and 2 more reasons$/)
})

it('holds a bounded number of reasons', () => {
  const reasons = new RejectReasons()
  for (let row = 1; row <= 5000; row += 1) reasons.add({ row, field: `f${row}`, reason: 'bad' })
  assert.match(reasons.explain(), /; and 997 more reasons$/)
})
