import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { seededRandom } from '../../../bench/random.ts'
import { deflateInto, mostDeflated } from './deflate.ts'

function packed(bytes: Uint8Array, start = 3): Uint8Array {
  const target = new Uint8Array(start + bytes.length * 1.5 + 512).fill(0xaa)
  const end = deflateInto(bytes, target, start)
  assert.deepEqual(target.subarray(0, start), new Uint8Array(start).fill(0xaa))
  return target.slice(start, end)
}

function assertUnpacks(bytes: Uint8Array): Uint8Array {
  const block = packed(bytes)
  assert.ok(Buffer.from(bytes).equals(inflateRawSync(block)), `${bytes.length} bytes`)
  return block
}

/** Returns bytes with a number of distinct values, in runs and copies of earlier ones. */
function likeTiles(length: number, different: number, seed: number): Uint8Array {
  const random = seededRandom(seed)
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; ) {
    const count = Math.min(length - at, 1 + Math.floor(random() * 40))
    const from = at === 0 ? 0 : Math.floor(random() * at)
    if (random() < 0.3) bytes.copyWithin(at, from, Math.min(at, from + count))
    else for (let one = 0; one < count; one += 1) bytes[at + one] = Math.floor(random() * different)
    at += count
  }
  return bytes
}

describe('packing bytes as one block', () => {
  it('gives what zlib unpacks, for all kinds of bytes', () => {
    const any = fc.uint8Array({ maxLength: 2000 })
    const few = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3000 })
    fc.assert(fc.property(any, (bytes) => void assertUnpacks(bytes)))
    fc.assert(fc.property(few, (bytes) => void assertUnpacks(Uint8Array.from(bytes))))
    for (let seed = 1; seed <= 60; seed += 1)
      assertUnpacks(likeTiles(Math.floor((seed / 60) ** 3 * mostDeflated), 1 + ((seed * 37) % 256), seed))
  })

  it('takes the longest, the shortest, and bytes that are all alike', () => {
    for (const length of [0, 1, 2, 3, 4, 5, 257, 258, 259, 260, mostDeflated - 1, mostDeflated])
      for (const value of [0, 255]) assertUnpacks(new Uint8Array(length).fill(value))
    assertUnpacks(Uint8Array.from({ length: mostDeflated }, (_, at) => at))
    assert.throws(() => deflateInto(new Uint8Array(mostDeflated + 1), new Uint8Array(99_999), 0), /Too long/)
  })

  it('needs codes no longer than there may be, where some bytes are rarer than all others together', () => {
    // Fibonacci-like counts give the deepest trees.
    const counts = [1, 1]
    while (counts.length < 20) counts.push((counts.at(-1) ?? 0) + (counts.at(-2) ?? 0))
    const random = seededRandom(7)
    const bytes = counts.flatMap((count, value) => Array<number>(count).fill(value))
    const mixed = bytes.map((value) => ({ value, at: random() })).sort((a, b) => a.at - b.at)
    assertUnpacks(Uint8Array.from(mixed.slice(0, mostDeflated), ({ value }) => value))
  })

  it('packs about as much as the quickest level of zlib, wherever the bytes stand in memory', () => {
    for (const [at, length] of [700, 1500, 9000, 30_000].entries()) {
      const bytes = likeTiles(length, 90, at + 1)
      const moved = new Uint8Array(length + 5).subarray(5)
      moved.set(bytes)
      const block = assertUnpacks(moved)
      assert.deepEqual(block, packed(bytes, 10))
      assert.ok(block.length < deflateRawSync(bytes, { level: 1 }).length * 1.1)
    }
  })
})
