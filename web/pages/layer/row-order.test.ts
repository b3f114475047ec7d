import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextSort, readSort, sortParameter, sortText } from './row-order.ts'

describe('the order of rows', () => {
  it('goes on from the smallest first to the largest first to none', () => {
    const first = nextSort('name', undefined)
    const second = nextSort('name', first)
    assert.deepEqual(first, { column: 'name', isDescending: false })
    assert.deepEqual(second, { column: 'name', isDescending: true })
    assert.equal(nextSort('name', second), undefined)
    assert.deepEqual(nextSort('age', second), { column: 'age', isDescending: false })
  })

  it('is told in quotes, as names hold commas, signs and quotes', () => {
    assert.equal(sortParameter({ column: 'a,"b"', isDescending: false }), '"a,""b"""')
    assert.equal(sortParameter({ column: '-x', isDescending: true }), '-"-x"')
  })

  it('stands in the address and comes back whole', () => {
    for (const column of ['name', '-x', 'up.', 'a\nb', 'ключ'])
      for (const isDescending of [false, true])
        assert.deepEqual(readSort(sortText({ column, isDescending })), { column, isDescending })
    for (const text of ['', 'name', 'up.', 'sideways.x']) assert.equal(readSort(text), undefined)
  })
})
