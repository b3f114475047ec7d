import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BoundedCache } from './bounded-cache.ts'

describe('BoundedCache', () => {
  it('makes a value once while it is in use, and forgets what was not used for long', () => {
    const cache = new BoundedCache<number, string>(10)
    const made: number[] = []
    const make = (key: number): string => {
      made.push(key)
      return `value ${key}`
    }
    for (let key = 0; key < 1000; key += 1) {
      assert.equal(cache.get(-1, make), 'value -1')
      cache.get(key, make)
    }
    assert.equal(made.filter((key) => key === -1).length, 1)
    made.length = 0
    cache.get(0, make)
    assert.deepEqual(made, [0])
  })
})
