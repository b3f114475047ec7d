import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KitWork } from '../../../tests/support/kit-worker.ts'
import { retryEnded } from './retry-ended.ts'
import { startProcess } from './start-process.ts'
import { WorkPool } from './work-pool.ts'
import { WorkerEnded } from './worker-handle.ts'

const { signal } = new AbortController()

describe('retryEnded', () => {
  it('does work again whose process was killed by somebody else', async (t) => {
    const pool = new WorkPool<KitWork>({
      start: (options) =>
        startProcess(new URL('../../../tests/support/kit-worker.ts', import.meta.url), options),
      limit: 1,
    })
    t.after(() => pool.close())
    const retried: unknown[] = []
    const result = await retryEnded(
      async (attempt) => {
        if (attempt > 1) return pool.call('add', { a: 1, b: 2 })
        const pid = await pool.call('pid')
        const working = pool.call('wait')
        process.kill(pid, 'SIGKILL')
        return working
      },
      { signal, onRetry: (error) => retried.push(error) },
    )
    assert.equal(result, 3)
    assert.ok(retried[0] instanceof WorkerEnded && retried[0].signal === 'SIGKILL', String(retried[0]))
  })

  it('throws other errors at once, and the last error after three attempts', async () => {
    const count = async (error: Error, isPassing?: (error: unknown) => boolean): Promise<number> => {
      let attempts = 0
      const work = async (): Promise<never> => {
        attempts += 1
        throw error
      }
      await assert.rejects(
        retryEnded(work, { signal, ...(isPassing && { isPassing }) }),
        (one) => one === error,
      )
      return attempts
    }
    assert.equal(await count(new Error('broken')), 1)
    assert.equal(await count(new WorkerEnded('crashed')), 1)
    assert.equal(await count(new Error('slow'), () => true), 3)
  })
})
