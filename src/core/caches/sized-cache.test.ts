import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SizedCache } from './sized-cache.ts'

describe('SizedCache', () => {
  it('forgets what was used longest ago when there is too much', () => {
    const cache = new SizedCache<string>(80, (value) => value.length)
    for (const key of 'abcdefgh') cache.keep(key, key.repeat(10))
    assert.equal(cache.find('a'), 'aaaaaaaaaa')
    cache.keep('i', 'i')
    assert.deepEqual(
      [...'abcdefghi'].filter((key) => cache.find(key) === undefined),
      ['b'],
    )
  })

  it('counts a value that is kept again once', () => {
    const cache = new SizedCache<string>(80, (value) => value.length)
    for (let round = 0; round < 20; round += 1) cache.keep('a', 'x'.repeat(10))
    for (const key of 'bcdefgh') cache.keep(key, key.repeat(10))
    assert.equal(cache.find('a'), 'x'.repeat(10))
  })

  it('does not keep what would put out many others', () => {
    const cache = new SizedCache<string>(80, (value) => value.length)
    cache.keep('a', 'a')
    cache.keep('b', 'b'.repeat(11))
    assert.deepEqual([cache.find('a'), cache.find('b')], ['a', undefined])
  })
})
