import assert from 'node:assert/strict'
import { it } from 'node:test'
import { drawnRows } from './window-rows.ts'

const sizes = { rows: 10_000, rowHeight: 50, scrolled: 0, height: 800, beyond: 4, maxHeight: 8_000_000 }

it('draws the rows in sight and some beyond, and leaves room for the others', () => {
  assert.deepEqual(drawnRows(sizes), { first: 0, end: 21, before: 0, behind: 498_950 })
  const middle = drawnRows({ ...sizes, scrolled: 250_000 })
  assert.deepEqual(middle, { first: 4996, end: 5021, before: 249_800, behind: 248_950 })
  assert.equal(drawnRows({ ...sizes, scrolled: 499_200 }).end, 10_000)
  assert.deepEqual(drawnRows({ ...sizes, rows: 0 }), { first: 0, end: 0, before: 0, behind: 0 })
})

it('reaches the first and the last of a hundred million rows within the height of a browser', () => {
  const many = { ...sizes, rows: 100_000_000 }
  for (const [scrolled, row] of [
    [0, 0],
    [7_999_200, 99_999_999],
    [3_999_600, 50_000_000],
  ] as const) {
    const { first, end, before, behind } = drawnRows({ ...many, scrolled })
    assert.ok(first <= row && row < end, `${row} is between ${first} and ${end}`)
    assert.ok(end - first < 200)
    assert.ok(before + behind + (end - first) * 50 <= 8_000_000 + 400)
  }
})
