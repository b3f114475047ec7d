import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { TileLane } from './tile-lane.ts'

const never = new AbortController().signal

function makeLane(count = 100): { lane: TileLane; running: string[]; end(store: string): void } {
  const lane = new TileLane({
    most: 3,
    ofStore: 2,
    maxWaiting: { count, refuse: () => new Error('too busy') },
  })
  const running: string[] = []
  const ends: { store: string; resolve: () => void }[] = []
  const run = lane.run.bind(lane)
  lane.run = (store, work, signal) =>
    run(
      store,
      async () => {
        running.push(store)
        await new Promise<void>((resolve) => ends.push({ store, resolve }))
        running.splice(running.indexOf(store), 1)
        return work()
      },
      signal,
    )
  const end = (store: string): void => {
    const at = ends.findIndex((one) => one.store === store)
    ends.splice(at, 1)[0]?.resolve()
  }
  return { lane, running, end }
}

describe('the lane of tiles', () => {
  it('leaves room for the tiles of other stores', async () => {
    const { lane, running, end } = makeLane()
    const slow = Array.from({ length: 5 }, () => lane.run('slow', async () => 1, { signal: never }))
    const quick = [
      lane.run('quick', async () => 2, { signal: never }),
      lane.run('quick', async () => 3, { signal: never }),
    ]
    await nextRound()
    assert.deepEqual(running, ['slow', 'slow', 'quick'])
    end('quick')
    assert.equal(await quick[0], 2)
    await nextRound()
    assert.deepEqual(running, ['slow', 'slow', 'quick'])
    end('quick')
    assert.equal(await quick[1], 3)
    for (let left = 5; left > 0; left -= 1) {
      end('slow')
      await nextRound()
      await nextRound()
    }
    assert.deepEqual(await Promise.all(slow), [1, 1, 1, 1, 1])
  })

  it('lets go who no longer waits, and refuses who comes when too many do', async () => {
    const { lane, running, end } = makeLane(2)
    const begun = [
      lane.run('a', async () => 1, { signal: never }),
      lane.run('a', async () => 1, { signal: never }),
    ]
    await nextRound()
    const controller = new AbortController()
    const given = lane.run('a', async () => 1, { signal: controller.signal })
    const waiting = lane.run('a', async () => 4, { signal: never })
    await assert.rejects(
      lane.run('b', async () => 1, { signal: never }),
      /too busy/,
    )
    controller.abort(new Error('given up'))
    await assert.rejects(given, /given up/)
    assert.equal(running.length, 2)
    end('a')
    end('a')
    await Promise.all(begun)
    await nextRound()
    end('a')
    assert.equal(await waiting, 4)
  })
})
