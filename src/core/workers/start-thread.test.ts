import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { ResetWork } from '../../../tests/support/reset-worker.ts'
import { reuseThreads, startThread } from './start-thread.ts'
import type { WorkerHandle } from './worker-handle.ts'

const file = new URL('../../../tests/support/reset-worker.ts', import.meta.url)
const start = (name: string, isReusable = true): WorkerHandle<ResetWork> =>
  startThread<ResetWork>(file, { data: { name, isReusable } })

describe('reused threads', () => {
  before(reuseThreads)

  it('serve a later starter with its own data, after they have closed what they had opened', async () => {
    const first = start('first')
    const { threadId } = await first.call('read')
    await first.end()
    await assert.rejects(first.call('read'), /closed/)
    const second = start('second')
    assert.deepEqual(await second.call('read'), { threadId, name: 'second', closed: ['first'] })
    const third = start('third')
    assert.notEqual((await third.call('read')).threadId, threadId)
    await Promise.all([second.end(), third.end()])
  })

  it('are only those that allow it, and have no call', async () => {
    const single = start('single', false)
    const ids = [(await single.call('read')).threadId]
    await single.end()
    const busy = start('busy')
    ids.push((await busy.call('read')).threadId)
    const waiting = busy.call('wait')
    await Promise.all([assert.rejects(waiting, /closed/), busy.end()])
    const last = start('last')
    assert.ok(!ids.includes((await last.call('read')).threadId))
    await last.end()
  })
})
