import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fitsIdSet, IdSet } from './id-set.ts'

const ids = fc.uniqueArray(fc.integer({ min: -40, max: 200 }), { minLength: 1, maxLength: 80 })

function setOf(values: number[]): IdSet {
  const set = new IdSet(-40, 200)
  for (const id of values) set.add(id)
  return set
}

describe('a set of ids', () => {
  it('gives what was added, in order, in pages', () => {
    fc.assert(
      fc.property(ids, fc.nat(90), fc.nat(90), (values, offset, limit) => {
        const set = setOf(values)
        const sorted = values.toSorted((a, b) => a - b)
        assert.equal(set.size, values.length)
        assert.deepEqual(set.slice(offset, limit), sorted.slice(offset, offset + limit))
        assert.ok(values.every((id) => set.has(id)))
      }),
    )
  })

  it('keeps what two have in common', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const set = setOf(a)
        set.keepOnly(setOf(b))
        assert.equal(set.size, a.filter((id) => b.includes(id)).length)
      }),
    )
  })

  it('leaves out what lies outside its range, and may be empty', () => {
    const set = setOf([-41, 201, 2 ** 40])
    assert.equal(set.size, 0)
    assert.deepEqual(new IdSet(1, 0).slice(0, 10), [])
  })

  it('is for ranges that are worth their bits', () => {
    assert.equal(fitsIdSet(1, 1_500_000, 1_500_000), true)
    assert.equal(fitsIdSet(1, 2 ** 52, 3), false)
    assert.equal(fitsIdSet(-(2 ** 62), 2 ** 62, 3), false)
    assert.equal(fitsIdSet(1, 0, 0), true)
  })
})
