import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ImportLocks } from './name-reservations.ts'

describe('ImportLocks', () => {
  it('lets one at a time work under a key, in the order they came, also after a failure', async () => {
    const locks = new ImportLocks()
    const seen: string[] = []
    const work = (name: string, ms: number) => async () => {
      seen.push(`${name}+`)
      await delay(ms)
      seen.push(`${name}-`)
      if (name === 'a') throw new Error('a fails')
    }
    const all = await Promise.allSettled([
      locks.hold('k', work('a', 5)),
      locks.hold('k', work('b', 1)),
      locks.hold('k', work('c', 1)),
    ])
    assert.deepEqual(seen, ['a+', 'a-', 'b+', 'b-', 'c+', 'c-'])
    assert.deepEqual(
      all.map((one) => one.status),
      ['rejected', 'fulfilled', 'fulfilled'],
    )
  })

  it('lets a waiter leave when its signal aborts, and keeps the others in line', async () => {
    const locks = new ImportLocks()
    const abort = new AbortController()
    let isHeld = true
    const gate = Promise.withResolvers<void>()
    const first = locks.hold('k', async () => {
      await gate.promise
      isHeld = false
    })
    const second = locks.hold('k', () => Promise.resolve(), abort.signal)
    const third = locks.hold('k', () => Promise.resolve(isHeld))
    abort.abort(new Error('left'))
    await assert.rejects(second, /left/)
    assert.equal(isHeld, true)
    gate.resolve()
    assert.equal(await third, false)
    await first
  })
})
