import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PromiseCache } from './promise-cache.ts'
import { SingleFlight } from './single-flight.ts'

describe('PromiseCache', () => {
  it('runs work once per key, and again after a failure', async () => {
    const cache = new PromiseCache<string, number>()
    let runs = 0
    const work = async (): Promise<number> => {
      runs += 1
      if (runs === 1) throw new Error('broken')
      return runs
    }
    await Promise.all([1, 2].map(() => assert.rejects(cache.get('a', work), /broken/)))
    assert.deepEqual(await Promise.all([cache.get('a', work), cache.get('a', work)]), [2, 2])
    assert.equal(await cache.get('b', work), 3)
    assert.equal(cache.size, 2)
  })

  it('caches failures for a time where that is asked for', async () => {
    const cache = new PromiseCache<string, number>({ failureMs: 60_000 })
    await assert.rejects(
      cache.get('a', async () => Promise.reject(new Error('first'))),
      /first/,
    )
    await assert.rejects(
      cache.get('a', async () => 1),
      /first/,
    )
  })

  it('removes what was used longest ago', async () => {
    const removed: string[] = []
    const cache = new PromiseCache<string, string>({ limit: 2, onRemoved: (one) => removed.push(one) })
    for (const key of ['a', 'b', 'a', 'c', 'd']) await cache.get(key, async () => key)
    await cache.settled()
    assert.deepEqual(removed, ['b', 'a'])
    assert.equal(cache.size, 2)
  })
})

describe('SingleFlight', () => {
  it('shares work that runs, and forgets its result', async () => {
    const flights = new SingleFlight<string, number>()
    let runs = 0
    const gate = Promise.withResolvers<void>()
    const work = async (): Promise<number> => {
      runs += 1
      await gate.promise
      return runs
    }
    const both = [flights.run('a', work), flights.run('a', work)]
    assert.ok(flights.has('a'))
    gate.resolve()
    await flights.settled()
    assert.deepEqual(await Promise.all(both), [1, 1])
    assert.ok(!flights.has('a'))
    assert.equal(await flights.run('a', work), 2)
  })
})
