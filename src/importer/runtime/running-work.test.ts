import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RunningTable } from './running-work.ts'

const outer = new AbortController().signal

describe('RunningTable', () => {
  it('ends what requests wait for within five seconds, also what does not hear the signal', async () => {
    const running = new RunningTable()
    const never = new Promise<never>(() => undefined)
    const works = [
      running.duringRequest(1, outer, () => never),
      running.duringRequest(
        1,
        outer,
        (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ),
    ]
    const other = running.duringRequest(2, outer, () => Promise.resolve('done'))
    const refused = works.map((work) => assert.rejects(work, { kind: 'conflict', code: 'canceled' }))
    await running.cancelRequests(1)
    await Promise.all(refused)
    assert.equal(await other, 'done')
  })

  it('has nothing to cancel where nothing runs', async () => {
    assert.equal(await new RunningTable().cancel(1, 2), false)
  })
})
