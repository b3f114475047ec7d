import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import { BlockByteReader, ByteWriter } from './bytes.ts'
import { CounterUse } from './double-clicks.ts'

interface Action {
  visitor: number
  time: number
  isRequest: boolean
}

/**
 * Sorts the actions of each visitor, and counts those that are not followed by another one within 30 seconds.
 */
function recount(actions: readonly Action[]) {
  let [total, unique] = [0, 0]
  for (const some of Map.groupBy(actions, ({ visitor }) => visitor).values()) {
    const times = some.map(({ time }) => time).sort((a, b) => a - b)
    const last = times.filter((time, at) => !((times[at + 1] ?? Infinity) - time <= 30))
    total += last.length
    unique += new Set(last.map((time) => Math.floor(time / 3600))).size
  }
  return [total, unique]
}

function stored(use: CounterUse): CounterUse {
  const writer = new ByteWriter(16)
  use.write(writer)
  return CounterUse.read(new BlockByteReader(writer.finish()))
}

describe('double clicks', () => {
  it('are counted as by sorting, in whatever order and pieces the actions become known', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const draw = seededRandom(seed)
      const span = 50 + draw() * 9000
      const actions = Array.from({ length: 150 }, () => ({
        visitor: Math.floor(draw() * 4),
        time: Math.floor(draw() * span),
        isRequest: draw() < 0.3,
      }))
      let use = new CounterUse()
      for (let at = 0; at < actions.length; at += 25) {
        const piece = new CounterUse()
        for (const { visitor, time, isRequest } of actions.slice(at, at + 25))
          piece.add(visitor, time, isRequest)
        use.merge(stored(piece))
        use = stored(use)
      }
      const [investigations, uniqueInvestigations] = recount(actions)
      const [requests, uniqueRequests] = recount(actions.filter(({ isRequest }) => isRequest))
      const expected = { investigations, uniqueInvestigations, requests, uniqueRequests }
      assert.deepEqual(use.totals(), expected, `seed ${seed}`)
      use.close()
      assert.deepEqual(stored(use).totals(), expected)
    }
  })

  it('of 30 seconds are one action, of 31 seconds two', () => {
    for (const [gap, count] of [
      [30, 1],
      [31, 2],
    ] as const) {
      const use = new CounterUse()
      use.add(1, 100 + gap, false)
      use.add(1, 100, false)
      assert.equal(use.totals().investigations, count)
    }
  })

  it('are not looked for where visitors cannot be told apart', () => {
    const use = new CounterUse()
    use.add(undefined, 5, true)
    use.add(undefined, 5, false)
    assert.deepEqual(use.totals(), {
      investigations: 2,
      uniqueInvestigations: 2,
      requests: 1,
      uniqueRequests: 1,
    })
  })
})
