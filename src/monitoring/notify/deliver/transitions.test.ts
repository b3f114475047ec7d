import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Situation } from './transitions.ts'
import { nextStep, retryMinutes } from './transitions.ts'

const now = '2026-11-21T12:10:00.000Z'
const earlier = '2026-11-21T12:05:00.000Z'

function situation(changes: Partial<Situation>): Situation {
  return { check: { graceSeconds: 600 }, holds: false, receiverIds: [1, 2], deliveries: [], now, ...changes }
}

describe('after an evaluation', () => {
  it('a check that stops holding is told to every receiver', () => {
    assert.deepEqual(nextStep(situation({})), { failingSince: now, alert: [1, 2], recovery: [] })
  })

  it('each receiver is told once in a grace period of their own', () => {
    const check = { graceSeconds: 600, failingSince: earlier }
    const created = '2026-11-21T11:00:00.000Z'
    const deliveries = [
      { receiverId: 1, kind: 'alert', state: 'sent', createdAt: created, finishedAt: earlier },
      { receiverId: 2, kind: 'alert', state: 'failed', createdAt: earlier, finishedAt: earlier },
      { receiverId: 3, kind: 'recovery', state: 'sent', createdAt: earlier, finishedAt: earlier },
    ] as const
    const receiverIds = [1, 2, 3]
    assert.deepEqual(nextStep(situation({ check, receiverIds, deliveries })).alert, [2, 3])
    const later = '2026-11-21T12:15:00.000Z'
    assert.deepEqual(nextStep(situation({ check, receiverIds, deliveries, now: later })).alert, [1, 2, 3])
  })

  it('who has a message on its way is not sent another', () => {
    const deliveries = [{ receiverId: 1, kind: 'alert', state: 'pending', createdAt: earlier }] as const
    assert.deepEqual(nextStep(situation({ deliveries })).alert, [2])
  })

  it('the first failure stays the time since which the check does not hold', () => {
    const check = { graceSeconds: 600, failingSince: earlier }
    assert.equal(nextStep(situation({ check })).failingSince, earlier)
  })

  it('who was to be told of this problem is told that the check holds again', () => {
    const check = { graceSeconds: 600, failingSince: earlier }
    const before = '2026-11-21T11:00:00.000Z'
    const deliveries = [
      { receiverId: 1, kind: 'alert', state: 'sent', createdAt: earlier },
      { receiverId: 2, kind: 'alert', state: 'sent', createdAt: before },
      { receiverId: 3, kind: 'alert', state: 'failed', createdAt: earlier },
      { receiverId: 4, kind: 'alert', state: 'pending', createdAt: earlier },
      { receiverId: 5, kind: 'alert', state: 'dropped', createdAt: earlier },
    ] as const
    assert.deepEqual(nextStep(situation({ check, holds: true, receiverIds: [1, 2, 3, 4, 5], deliveries })), {
      alert: [],
      recovery: [1, 3, 4],
    })
  })

  it('a check that goes on holding is told to nobody', () => {
    assert.deepEqual(nextStep(situation({ holds: true })), { alert: [], recovery: [] })
  })
})

describe('a delivery that fails', () => {
  it('is tried again after longer and longer times, and given up after 8 attempts', () => {
    assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 8].map(retryMinutes), [1, 2, 5, 10, 30, 60, 120, undefined])
  })
})
