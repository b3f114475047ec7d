import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { leaveStuckWork, WorkLeft } from './leave-stuck-work.ts'

const never = new Promise<never>(() => undefined)

describe('leaveStuckWork', () => {
  it('gives what the work gives, also when it ends soon after the signal', async () => {
    const abort = new AbortController()
    assert.equal(await leaveStuckWork(Promise.resolve(1), abort.signal, 10), 1)
    await assert.rejects(leaveStuckWork(Promise.reject(new Error('no')), abort.signal, 10), /no/)
    const slow = new Promise<string>((resolve) => setTimeout(() => resolve('late'), 20))
    abort.abort()
    assert.equal(await leaveStuckWork(slow, abort.signal, 5000), 'late')
  })

  it('leaves work to itself that does not hear the signal', async () => {
    const abort = new AbortController()
    const left = leaveStuckWork(never, abort.signal, 20)
    abort.abort(new Error('enough'))
    await assert.rejects(left, (error) => error instanceof WorkLeft && /enough/.test(String(error.cause)))
  })
})
