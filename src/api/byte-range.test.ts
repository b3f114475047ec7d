import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseRange } from './byte-range.ts'

describe('parseRange', () => {
  it('reads a range, one without end, and the last bytes', () => {
    assert.deepEqual(parseRange('bytes=0-0', 10), { start: 0, end: 0 })
    assert.deepEqual(parseRange('bytes=2-5', 10), { start: 2, end: 5 })
    assert.deepEqual(parseRange('bytes=2-', 10), { start: 2, end: 9 })
    assert.deepEqual(parseRange('bytes=-3', 10), { start: 7, end: 9 })
  })

  it('ends at the end of the file', () => {
    assert.deepEqual(parseRange('bytes=2-500', 10), { start: 2, end: 9 })
    assert.deepEqual(parseRange('bytes=-500', 10), { start: 0, end: 9 })
  })

  it('tells a range behind the end, and one of nothing', () => {
    assert.equal(parseRange('bytes=10-', 10), 'unsatisfiable')
    assert.equal(parseRange('bytes=0-', 0), 'unsatisfiable')
    assert.equal(parseRange('bytes=-0', 10), 'unsatisfiable')
  })

  it('asks for the whole file where it is not a single range of bytes', () => {
    for (const header of [
      undefined,
      '',
      'bytes=',
      'bytes=-',
      'bytes=5-2',
      'rows=1-2',
      'bytes=0-1,4-5',
      'bytes=a-b',
    ])
      assert.equal(parseRange(header, 10), undefined, header)
  })

  it('never leaves the file', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.nat(),
        fc.option(fc.nat()),
        fc.option(fc.nat()),
        (junk, size, first, last) => {
          for (const header of [junk, `bytes=${junk}`, `bytes=${first ?? ''}-${last ?? ''}`]) {
            const range = parseRange(header, size)
            if (typeof range !== 'object') continue
            assert.ok(range.start >= 0 && range.start <= range.end && range.end < size)
          }
        },
      ),
    )
  })
})
