import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TileCounter } from './tile-counter.ts'

describe('TileCounts', () => {
  it('counts as a map does, also numbers beyond 32 bits', () => {
    const counts = new TileCounter()
    const expected = new Map<number, number>()
    for (let step = 0; step < 50_000; step += 1) {
      const number = Math.imul(step, 0x9e3779b1) >>> 20
      const tile = step % 3 === 0 ? number * 2 ** 33 : number
      counts.add(tile, (step % 4) + 1)
      expected.set(tile, (expected.get(tile) ?? 0) + (step % 4) + 1)
    }
    assert.deepEqual(counts.pairs(), [...expected].sort(([a], [b]) => a - b).flat())
  })

  it('has none at first', () => {
    assert.deepEqual(new TileCounter().pairs(), [])
  })
})
