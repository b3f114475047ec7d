import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KitWork } from '../../../tests/support/kit-worker.ts'
import { until } from '../../../tests/support/until.ts'
import { startProcess } from './start-process.ts'
import { startThread } from './start-thread.ts'
import type { WorkPoolOptions } from './work-pool.ts'
import { WorkPool } from './work-pool.ts'
import { WorkerEnded } from './worker-handle.ts'

const file = new URL('../../../tests/support/kit-worker.ts', import.meta.url)

interface Started {
  pool: WorkPool<KitWork>
  /** Number of workers started. */
  count(): number
}

function openPool(
  t: { after(end: () => Promise<void>): void },
  options: Partial<WorkPoolOptions<KitWork>> = {},
): Started {
  let count = 0
  const pool = new WorkPool<KitWork>({
    limit: 2,
    start: (events) => {
      count += 1
      return startProcess<KitWork>(file, events)
    },
    ...options,
  })
  t.after(() => pool.close())
  return { pool, count: () => count }
}

describe('WorkPool', () => {
  it('starts no more than its limit, and the rest of the calls wait', async (t) => {
    const { pool, count } = openPool(t)
    const pids = Array.from({ length: 6 }, () => pool.call('pid'))
    assert.deepEqual([pool.running, pool.waiting], [2, 4])
    assert.equal(new Set(await Promise.all(pids)).size, 2)
    assert.deepEqual([pool.running, pool.waiting, count()], [0, 0, 2])
  })

  it('gives a second call to a worker that starts, if it may share it', async (t) => {
    const { pool, count } = openPool(t, { limit: 3, share: 16 })
    const calls = [pool.call('pid'), pool.call('pid'), pool.call('pid')]
    assert.equal(count(), 2)
    const pids = await Promise.all(calls)
    assert.equal(pids[0], pids[1])
    assert.notEqual(pids[0], pids[2])
  })

  it('gives a key the worker that had it last', async (t) => {
    const { pool } = openPool(t, { limit: 3 })
    const keys = ['a', 'b', 'c']
    const first = await Promise.all(keys.map((key) => pool.call('pid', undefined, { key })))
    const again: number[] = []
    for (const key of keys) again.push(await pool.call('pid', undefined, { key }))
    assert.deepEqual(again, first)
  })

  it('ends only the worker whose call took too long, and replaces it', async (t) => {
    const ends: Error[] = []
    const { pool, count } = openPool(t, { onEnd: (error) => ends.push(error) })
    const abort = new AbortController()
    const healthy = pool.call('wait', undefined, { signal: abort.signal })
    await assert.rejects(pool.call('spinInSqlite', undefined, { deadlineMs: 300 }), { code: 'too-slow' })
    assert.equal(await pool.call('add', { a: 1, b: 2 }), 3)
    assert.equal(count(), 3)
    abort.abort(new Error('enough'))
    await assert.rejects(healthy, /enough/)
    await assert.rejects(pool.call('leave'), (error) => error instanceof WorkerEnded)
    assert.equal(await pool.call('add', { a: 1, b: 2 }), 3)
    assert.equal(ends.length, 2)
  })

  it('gives a call that was not begun to another worker when its own is ended', async (t) => {
    const { pool, count } = openPool(t, { limit: 1, share: 3 })
    await pool.call('pid')
    const spinning = pool.call('spin', undefined, { deadlineMs: 300 })
    const behind = pool.call('add', { a: 1, b: 2 }, { deadlineMs: 10_000 })
    const numbers = async (): Promise<number[]> => {
      const read: number[] = []
      for await (const at of pool.stream('count', 3, { deadlineMs: 10_000 })) read.push(at)
      return read
    }
    const streamed = numbers()
    await assert.rejects(spinning, { code: 'too-slow' })
    assert.equal(await behind, 3)
    assert.deepEqual(await streamed, [0, 1, 2])
    assert.equal(count(), 2)
  })

  it('leaves the line by the signal, and refuses too many', async (t) => {
    const refuse = (): Error => new Error('too many')
    const { pool } = openPool(t, { limit: 1, maxWaiting: { count: 1, refuse } })
    const abort = new AbortController()
    const running = pool.call('wait', undefined, { signal: abort.signal })
    const waiting = pool.call('pid', undefined, { signal: AbortSignal.timeout(100) })
    await assert.rejects(pool.call('pid'), /too many/)
    await assert.rejects(waiting, { name: 'TimeoutError' })
    abort.abort(new Error('enough'))
    await assert.rejects(running, /enough/)
  })

  it('holds a worker for a stream until it is read or left', async (t) => {
    const { pool } = openPool(t, { limit: 1 })
    const stream = pool.stream('count', 1e9)
    assert.deepEqual(await stream.next(), { value: 0, done: false })
    const waiting = pool.call('add', { a: 1, b: 1 })
    assert.equal(pool.waiting, 1)
    await stream.return()
    assert.equal(await waiting, 2)
  })

  it('keeps some, ends the others after a while without work', async (t) => {
    let started = 0
    let ended = 0
    const { pool } = openPool(t, {
      kept: 1,
      surplusMs: 50,
      start: (events) => {
        started += 1
        const worker = startThread<KitWork>(file, events)
        const end = worker.end.bind(worker)
        worker.end = async () => {
          await end()
          ended += 1
        }
        return worker
      },
    })
    assert.equal(started, 0)
    await Promise.all([pool.call('notes', 5), pool.call('notes', 5)])
    assert.equal(started, 2)
    await until(() => ended === 1)
    assert.equal(await pool.call('add', { a: 1, b: 1 }), 2)
    assert.equal(started, 2)
    await pool.close()
    assert.equal(ended, 2)
  })

  it('fails what is under way and what waits when it is closed', async (t) => {
    const { pool } = openPool(t, { limit: 1 })
    const calls = [pool.call('wait'), pool.call('wait')]
    await Promise.all([
      assert.rejects(calls[0] ?? Promise.resolve(), /closed/),
      assert.rejects(calls[1] ?? Promise.resolve(), /closed/),
      pool.close(),
    ])
    await assert.rejects(pool.call('pid'), /closed/)
  })
})
