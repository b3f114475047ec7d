import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { makeCodes } from './huffman.ts'

/** Returns the code lengths for symbols with these counts. */
function lengthsOf(counts: number[], longest: number): Uint8Array {
  const lengths = new Uint8Array(counts.length)
  const codes = new Uint32Array(counts.length)
  makeCodes(Uint32Array.from(counts), longest, lengths, codes)
  const used = lengths.filter((bits) => bits > 0)
  // A complete code (Kraft): every bit sequence has exactly one meaning.
  assert.equal(
    used.reduce((sum, bits) => sum + 2 ** -bits, 0),
    1,
  )
  assert.ok(used.every((bits) => bits <= longest))
  for (const [symbol, bits] of lengths.entries()) assert.equal(bits > 0, (counts[symbol] ?? 0) > 0)
  const all = [...lengths].flatMap((bits, symbol) => (bits === 0 ? [] : [(codes[symbol] ?? 0).toString(16)]))
  assert.equal(new Set(all).size, all.length)
  return lengths
}

describe('codes of symbols', () => {
  it('are full, distinct and short enough, whatever the counts', () => {
    const counts = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }), fc.nat(32_768)), {
      minLength: 2,
      maxLength: 286,
    })
    const most = fc.constantFrom(9, 11, 15)
    fc.assert(
      fc.property(counts, most, (some, longest) => {
        const two = some.map((count, symbol) => (symbol < 2 ? Math.max(1, count) : count))
        lengthsOf(two, longest)
      }),
    )
  })

  it('are as short as can be: the shortest for what comes most', () => {
    assert.deepEqual([...lengthsOf([5, 9, 12, 13, 16, 45], 15)], [4, 4, 3, 3, 3, 1])
    assert.deepEqual([...lengthsOf([0, 1, 1], 15)], [0, 1, 1])
  })

  it('are cut where the tree would be too deep', () => {
    const counts = [1, 1]
    while (counts.length < 22) counts.push((counts.at(-1) ?? 0) + (counts.at(-2) ?? 0))
    assert.equal(Math.max(...lengthsOf(counts, 15)), 15)
    assert.equal(Math.max(...lengthsOf(counts.slice(0, 19), 7)), 7)
  })
})
