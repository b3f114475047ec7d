import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cutToBytes, DistinctNames, findFreeName, freeName, toFileName } from './free-name.ts'

describe('freeName', () => {
  it('gives the name, or the first number behind it that is free', async () => {
    const isTaken = (name: string): boolean => ['a', 'a0', 'a_1'].includes(name)
    assert.equal(freeName('b', isTaken), 'b')
    assert.equal(freeName('a', isTaken), 'a1')
    assert.equal(freeName('a', isTaken, { separator: '_', first: 1 }), 'a_2')
    assert.equal(await findFreeName('a', async (name) => isTaken(name)), 'a1')
  })

  it('looks for the name as its place has it, and ends where none can be free', async () => {
    const fit = (name: string, suffix: string): string => cutToBytes(name, 4 - suffix.length) + suffix
    assert.equal(
      freeName('abcdef', (name) => ['abcd', 'abc0'].includes(name), { fit }),
      'abc1',
    )
    assert.throws(() => freeName('abc', () => true), { kind: 'conflict', code: 'no-free-name' })
    await assert.rejects(
      findFreeName('abc', async () => true),
      { code: 'no-free-name' },
    )
  })

  it('stops by the signal', async () => {
    const abort = new AbortController()
    let tries = 0
    const isTaken = async (): Promise<boolean> => {
      tries += 1
      if (tries === 3) abort.abort(new Error('enough'))
      return true
    }
    await assert.rejects(findFreeName('a', isTaken, { signal: abort.signal }), /enough/)
    assert.equal(tries, 3)
  })
})

describe('DistinctNames', () => {
  it('gives each wanted name once, whatever its case where that does not count', () => {
    const names = new DistinctNames({
      fold: (name) => name.toLowerCase(),
      separator: '_',
      first: 1,
      taken: ['fid'],
    })
    const expected = ['a', 'A', 'a_1', 'a', 'FID', 'b', 'a']
    assert.deepEqual(
      expected.map((name) => names.take(name)),
      ['a', 'A_1', 'a_1_1', 'a_2', 'FID_1', 'b', 'a_3'],
    )
  })

  it('takes one name a hundred thousand times without looking at all of them each time', () => {
    const names = new DistinctNames()
    for (let at = 0; at < 50_000; at += 1) names.take('a')
    assert.equal(names.take('a'), 'a49999')
  })
})

describe('names that are cut', () => {
  it('are cut on a whole character', () => {
    assert.equal(cutToBytes('äöü', 5), 'äö')
    assert.equal(cutToBytes('😀😀', 7), '😀')
    assert.equal(cutToBytes('abc', 3), 'abc')
  })

  it('stay different from others as names of files, and short names as they are', () => {
    const long = '语'.repeat(90)
    const names = new Set([toFileName(long), toFileName(`${long}a`), toFileName(`${long}b`)])
    assert.equal(names.size, 3)
    for (const name of names) assert.ok(Buffer.byteLength(name) <= 150)
    assert.equal(toFileName('语'.repeat(50)), '语'.repeat(50))
  })
})
