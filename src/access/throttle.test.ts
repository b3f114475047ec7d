import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixedClock } from '../../tests/support/fixed-clock.ts'
import { networkOf } from '../core/network/addresses.ts'
import { MemoryThrottle } from './throttle.ts'

function failing(times: number, address: string, account?: string) {
  const clock = fixedClock('2026-01-01T00:00:00Z')
  const throttle = new MemoryThrottle(clock)
  for (let count = 0; count < times; count += 1) throttle.attempt(address, account)
  return { clock, throttle }
}

describe('throttle', () => {
  it('lets a few failures pass, then asks for a wait that doubles up to five minutes', () => {
    const { clock, throttle } = failing(4, '1.2.3.4', 'ann')
    assert.equal(throttle.secondsToWait('1.2.3.4', 'ann'), 0)
    throttle.attempt('1.2.3.4', 'ann')
    assert.equal(throttle.secondsToWait('1.2.3.4', 'ann'), 1)
    throttle.attempt('1.2.3.4', 'ann')
    assert.equal(throttle.secondsToWait('1.2.3.4', 'ann'), 2)
    clock.advance(2000)
    assert.equal(throttle.secondsToWait('1.2.3.4', 'ann'), 0)
    for (let count = 0; count < 20; count += 1) throttle.attempt('1.2.3.4', 'ann')
    assert.equal(throttle.secondsToWait('1.2.3.4', 'ann'), 300)
  })

  it('never holds up the same account from another address', () => {
    const { throttle } = failing(1000, '1.2.3.4', 'ann')
    assert.equal(throttle.secondsToWait('5.6.7.8', 'ann'), 0)
  })

  it('holds up an address that tries many accounts', () => {
    const { throttle } = failing(0, '1.2.3.4')
    for (let count = 0; count < 60; count += 1) throttle.attempt('1.2.3.4', `user${count}`)
    assert.ok(throttle.secondsToWait('1.2.3.4', 'another') > 0)
  })

  it('forgets the failures of an account after a success from there', () => {
    const { throttle } = failing(6, '1.2.3.4', 'ann')
    throttle.succeed('1.2.3.4', 'ann')
    assert.equal(throttle.secondsToWait('1.2.3.4', 'ann'), 0)
  })

  it('forgets failures after a quarter of an hour', () => {
    const { clock, throttle } = failing(30, '1.2.3.4', 'ann')
    clock.advance(16 * 60_000)
    throttle.attempt('1.2.3.4', 'ann')
    assert.equal(throttle.secondsToWait('1.2.3.4', 'ann'), 0)
  })

  it('takes an IPv6 network of one customer for one address', () => {
    assert.equal(networkOf('2001:db8:1:2:aaaa::1'), networkOf('2001:db8:1:2:bbbb::2'))
    assert.notEqual(networkOf('2001:db8:1:3::1'), networkOf('2001:db8:1:2::1'))
    assert.equal(networkOf('::ffff:10.0.0.1'), '10.0.0.1')
    assert.equal(networkOf('::1'), '0:0:0:0::/64')
  })
})
