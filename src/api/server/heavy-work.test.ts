import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixedClock } from '../../../tests/support/fixed-clock.ts'
import { Failure } from '../../core/errors/errors.ts'
import { HeavyWork } from './heavy-work.ts'

function startWork(limits = { addressSeconds: 60, userSeconds: 600 }) {
  const clock = fixedClock('2026-01-01T00:00:00Z')
  const emitted: [string, object][] = []
  const work = new HeavyWork(limits, {
    clock,
    events: { emit: (name, fact) => void emitted.push([name, fact]) },
  })
  const retryAfter = (owner: string): number | undefined => {
    try {
      work.require(owner)
      return undefined
    } catch (error) {
      assert.ok(error instanceof Failure)
      assert.equal(error.code, 'too-much-work')
      return error.retryAfterSeconds
    }
  }
  return { clock, work, emitted, retryAfter }
}

describe('the budget for heavy work', () => {
  it('refuses an address above its limit, until enough seconds have come back', () => {
    const { clock, work, emitted, retryAfter } = startWork()
    work.add('address 192.0.2.1', 59)
    assert.equal(retryAfter('address 192.0.2.1'), undefined)
    work.add('address 192.0.2.1', 2)
    // 60 s per hour: a second comes back in a minute.
    assert.equal(retryAfter('address 192.0.2.1'), 60)
    assert.deepEqual(emitted.at(-1), ['heavy-work.refused', { client: 'address' }])
    clock.advance(60_000)
    assert.equal(retryAfter('address 192.0.2.1'), undefined)
    clock.advance(3_600_000)
    work.add('address 192.0.2.1', 59)
    assert.equal(retryAfter('address 192.0.2.1'), undefined, 'the whole budget is back after an hour')
  })

  it('counts each address and each user for itself, and an IPv6 network as one', () => {
    const { work, retryAfter } = startWork()
    work.add('address 2001:db8:1:2::3', 100)
    assert.ok(retryAfter('address 2001:db8:1:2:ffff::4') !== undefined)
    assert.equal(retryAfter('address 2001:db8:1:3::3'), undefined)
    work.add('user anna', 100)
    assert.equal(retryAfter('user anna'), undefined)
    work.add('user anna', 600)
    assert.ok(retryAfter('user anna') !== undefined)
    assert.equal(retryAfter('user ben'), undefined)
  })

  it('of 0 is none', () => {
    const { work, retryAfter } = startWork({ addressSeconds: 0, userSeconds: 0 })
    for (const owner of ['address 192.0.2.1', 'user anna']) {
      work.add(owner, 1e9)
      assert.equal(retryAfter(owner), undefined)
    }
  })

  it('holds a bounded number of clients', () => {
    const { work, retryAfter } = startWork()
    work.add('address 192.0.2.1', 100)
    for (let at = 0; at < 20_000; at += 1) work.add(`user ${at}`, 1)
    assert.equal(retryAfter('address 192.0.2.1'), undefined)
  })
})
