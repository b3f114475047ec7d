import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { ParentWork } from '../../../tests/support/kit-parent.ts'
import type { KitWork } from '../../../tests/support/kit-worker.ts'
import { until } from '../../../tests/support/until.ts'
import { FormatError } from '../../formats/format.ts'
import { Failure, FieldFailure } from '../errors/errors.ts'
import { startProcess } from './start-process.ts'
import { startThread } from './start-thread.ts'
import type { StartOptions, WorkerHandle } from './worker-handle.ts'
import { NotBegun, WorkerEnded } from './worker-handle.ts'

const file = new URL('../../../tests/support/kit-worker.ts', import.meta.url)
const isLinux = process.platform === 'linux'
type Start = (options?: StartOptions) => WorkerHandle<KitWork>

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const kinds: [string, Start][] = [
  ['a thread', (options) => startThread<KitWork>(file, options)],
  ['a child process', (options) => startProcess<KitWork>(file, options)],
]

for (const [kind, start] of kinds) {
  const open = (
    t: { after(end: () => Promise<void>): void },
    options?: StartOptions,
  ): WorkerHandle<KitWork> => {
    const worker = start(options)
    t.after(() => worker.end())
    return worker
  }

  describe(kind, () => {
    it('answers calls, several at a time, each with its own', async (t) => {
      const worker = open(t)
      const sums = [1, 2, 3].map((a) => worker.call('add', { a, b: 1 }))
      assert.deepEqual(await Promise.all(sums), [2, 3, 4])
      const value = {
        map: new Map([[1, new Date(5)]]),
        big: 5n,
        bytes: new Uint8Array([1, 2]),
        none: undefined,
      }
      assert.deepEqual(await worker.call('echo', value), value)
      assert.deepEqual(await worker.call('bytes', 3), new Uint8Array([7, 7, 7]))
    })

    it('hands errors over with class, kind, code, fields, causes and stack', async (t) => {
      const worker = open(t)
      const thrown = async (what: Parameters<KitWork['fail']>[0]): Promise<Record<string, unknown>> =>
        worker.call('fail', what).then(
          () => assert.fail('it did not throw'),
          (error) => error,
        )
      const failure = await thrown('failure')
      assert.ok(failure instanceof Failure)
      assert.deepEqual([failure.kind, failure.code, failure.errors], ['conflict', 'taken', ['a', 'b']])
      assert.match(String((failure.cause as Error).message), /deep/)
      assert.match(failure.stack ?? '', /kit-worker/)
      const fields = await thrown('fields')
      assert.ok(fields instanceof FieldFailure)
      assert.deepEqual(fields.fields, { name: ['is missing'] })
      const format = await thrown('format')
      assert.ok(format instanceof FormatError)
      assert.deepEqual([format.code, (await thrown('format'))['line']], ['bad-row', 7])
      assert.equal((format.cause as Error).name, 'TypeError')
      const plain = await thrown('plain')
      assert.deepEqual([plain['name'], plain['message']], ['RangeError', 'plain'])
      assert.deepEqual((await thrown('system'))['code'], 'ENOSPC')
      assert.deepEqual((await thrown('number'))['message'], '5')
    })

    it('goes on after a value that cannot be sent, either way', async (t) => {
      const worker = open(t)
      await assert.rejects(worker.call('unsendable'), /could not be cloned/)
      await assert.rejects(
        worker.call('echo', () => 1),
        /could not be cloned/,
      )
      await assert.rejects(worker.call('toString' as 'pid'), /Nothing here does "toString"/)
      assert.equal(await worker.call('add', { a: 1, b: 1 }), 2)
    })

    it('makes its handlers from what the starter gave, and tells things outside calls', async (t) => {
      const reported = Promise.withResolvers<unknown>()
      const worker = open(t, { data: { say: 'hello' }, onReport: reported.resolve })
      assert.equal(await reported.promise, 'hello')
      assert.equal(await worker.call('add', { a: 1, b: 2 }), 3)
      const refusing = open(t, { data: { refuse: 'not today' } })
      await assert.rejects(refusing.call('pid'), { code: 'refused', message: 'not today' })
    })

    it('gives notices on the way and asks back', async (t) => {
      const worker = open(t)
      const seen: number[] = []
      assert.equal(await worker.call('notes', 3, { onNotice: ({ at }) => seen.push(at) }), 'done')
      assert.deepEqual(seen, [0, 1, 2])
      assert.equal(await worker.call('agree', 'abc', { onAsk: async ({ text }) => text.length }), 4)
      const refusal = worker.call('agree', 'abc', {
        onAsk: () => {
          throw new Failure('conflict', 'no', 'I refuse')
        },
      })
      await assert.rejects(refusal, { code: 'no', kind: 'conflict' })
      await assert.rejects(worker.call('agree', 'abc'), /no handler for questions/)
    })

    it('streams chunks, no more of them ahead than a few, and handed over', async (t) => {
      const worker = open(t)
      let made = 0
      const numbers: number[] = []
      const onNotice = (at: number | 'left'): void => {
        if (at !== 'left') made = at
      }
      for await (const at of worker.stream('count', 50, { onNotice })) {
        assert.ok(made <= numbers.length + 3, `${made} made when ${numbers.length} were read`)
        numbers.push(at)
      }
      assert.deepEqual(
        numbers,
        Array.from({ length: 50 }, (_, at) => at),
      )
      const sizes: number[] = []
      for await (const page of worker.stream('pages', [3, 0, 100_000])) sizes.push(page.length)
      assert.deepEqual(sizes, [3, 0, 100_000])
    })

    it('gives the chunks before an error, then the error; stops the generator of who leaves', async (t) => {
      const worker = open(t)
      const numbers: number[] = []
      const read = async (): Promise<void> => {
        for await (const at of worker.stream('brokenPages', 5)) numbers.push(at)
      }
      await assert.rejects(read(), { code: 'broken' })
      assert.deepEqual(numbers, [0, 1, 2, 3, 4])
      const notices: unknown[] = []
      for await (const at of worker.stream('count', 1e9, { onNotice: (one) => notices.push(one) }))
        if (at > 3) break
      assert.equal(notices.at(-1), 'left')
      assert.equal(worker.endedBy, undefined)
      await assert.rejects(async () => {
        for await (const one of worker.stream('pid')) assert.fail(String(one))
      }, /iterable/)
    })

    it('stops by the signal and stays usable', async (t) => {
      const worker = open(t)
      const abort = new AbortController()
      const waiting = worker.call('wait', undefined, { signal: abort.signal })
      const reason = new Error('enough')
      setTimeout(() => abort.abort(reason), 50)
      await assert.rejects(waiting, (error) => error === reason)
      await assert.rejects(
        worker.call('pid', undefined, { signal: abort.signal }),
        (error) => error === reason,
      )
      assert.equal(await worker.call('add', { a: 1, b: 1 }), 2)
    })

    it('is ended at the deadline, in silence, and when it does not hear the signal', async () => {
      for (const [limits, code] of [
        [{ deadlineMs: 300 }, 'too-slow'],
        [{ silenceMs: 300 }, 'no-progress'],
      ] as const) {
        const ends: Error[] = []
        const worker = start({ onEnd: (error) => ends.push(error) })
        await worker.call('pid')
        await assert.rejects(worker.call('spin', undefined, limits), { kind: 'unavailable', code })
        await assert.rejects(worker.call('pid'), { code })
        assert.equal(ends.length, 1)
        await worker.end()
      }
      const worker = start()
      const reason = new Error('enough')
      const other = worker.call('wait')
      const abort = new AbortController()
      const onNotice = (): void => abort.abort(reason)
      const spinning = worker.call('spin', undefined, { signal: abort.signal, graceMs: 100, onNotice })
      await assert.rejects(spinning, (error) => error === reason)
      await assert.rejects(other)
      assert.equal(worker.endedBy, reason)
      await worker.end()
    })

    it('counts no limit before the worker has begun the call', async (t) => {
      const worker = open(t, { data: { startCpuMs: 700 } })
      const limits = { deadlineMs: 300, silenceMs: 300 }
      // The second call waits for the first.
      const first = worker.call('spinFor', 700)
      assert.equal(await worker.call('add', { a: 1, b: 2 }, limits), 3)
      assert.equal(await first, 700)
    })

    it('stays when a call is left before it was begun', async (t) => {
      const ends: Error[] = []
      const worker = open(t, { data: { startCpuMs: 500 }, onEnd: (error) => ends.push(error) })
      const leave = (): { abort: AbortController; call: Promise<unknown>; reason: Error } => {
        const abort = new AbortController()
        const call = worker.call('spin', undefined, { signal: abort.signal, graceMs: 0, deadlineMs: 100 })
        return { abort, call, reason: new Error('enough') }
      }
      const starting = leave()
      starting.abort.abort(starting.reason)
      await assert.rejects(starting.call, (error) => error === starting.reason)
      assert.equal(await worker.call('add', { a: 1, b: 2 }), 3)
      const busy = worker.call('spinFor', 2000)
      const waiting = leave()
      waiting.abort.abort(waiting.reason)
      await assert.rejects(waiting.call, (error) => error === waiting.reason)
      assert.equal(await busy, 2000)
      assert.equal(await worker.call('add', { a: 1, b: 2 }), 3)
      assert.deepEqual(ends, [])
    })

    it('counts CPU time, and ten times as much by the clock', { skip: !isLinux }, async (t) => {
      const worker = open(t)
      assert.equal(await worker.call('sleep', 900, { deadlineMs: 300 }), 900)
      await assert.rejects(worker.call('wait', undefined, { deadlineMs: 30 }), { code: 'too-slow' })
    })

    it('tells calls that were not begun when a limit of another ended it', async () => {
      const worker = start()
      await worker.call('pid')
      const spinning = worker.call('spin', undefined, { deadlineMs: 200 })
      const behind = worker.call('add', { a: 1, b: 2 }, { deadlineMs: 10_000 })
      await Promise.all([
        assert.rejects(spinning, { code: 'too-slow' }),
        assert.rejects(behind, (error) => error instanceof NotBegun),
      ])
      await worker.end()
    })

    it('does not count progress as silence, nor the time of who called', async (t) => {
      const worker = open(t)
      await worker.call('pid')
      assert.equal(await worker.call('notes', 60, { silenceMs: 750 }), 'done')
      const onAsk = async (): Promise<number> => {
        await new Promise((resolve) => setTimeout(resolve, 900))
        return 1
      }
      assert.equal(await worker.call('agree', 'x', { onAsk, deadlineMs: 750, silenceMs: 750 }), 2)
      let read = 0
      for await (const at of worker.stream('count', 5, { deadlineMs: 750, silenceMs: 750 })) {
        read += 1
        if (at === 1) await new Promise((resolve) => setTimeout(resolve, 900))
      }
      assert.equal(read, 5)
    })

    it('fails its calls when it dies, says why, and takes no more', async () => {
      for (const death of ['leave', 'crash'] as const) {
        const ends: Error[] = []
        const worker = start({ onEnd: (error) => ends.push(error) })
        const waiting = worker.call('wait')
        const failing = worker.call(death)
        const expected = death === 'leave' ? /code 3/ : /It fell/
        await assert.rejects(failing, expected)
        await assert.rejects(waiting, expected)
        await assert.rejects(worker.call('pid'), expected)
        assert.equal(ends.length, 1)
      }
      const missing = kind === 'a thread' ? startThread<KitWork> : startProcess<KitWork>
      await assert.rejects(missing(new URL('./no-such-file.ts', import.meta.url)).call('pid'), /no-such-file/)
    })

    it('fails what is under way when it is closed', async () => {
      const worker = start()
      const waiting = worker.call('wait')
      await worker.end()
      await assert.rejects(waiting, (error) => error instanceof WorkerEnded)
      await worker.end()
    })
  })
}

describe('a child process alone', () => {
  it('dies at once inside SQLite, where a thread could not be ended', async () => {
    const worker = startProcess<KitWork>(file)
    const pid = await worker.call('pid')
    await assert.rejects(worker.call('spinInSqlite', undefined, { deadlineMs: 200 }), { code: 'too-slow' })
    await worker.end()
    assert.equal(isAlive(pid), false)
  })

  it('sees nothing of the environment, and outlives signals that are sent to all', async (t) => {
    const worker = startProcess<KitWork>(file)
    t.after(() => worker.end())
    assert.deepEqual(
      (await worker.call('environment')).filter((name) => /TERRANE|NODE_TEST|PG/.test(name)),
      [],
    )
    const pid = await worker.call('pid')
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid, signal)
    assert.equal(await worker.call('pid'), pid)
  })

  it('dies when its parent is killed, whatever it does', async () => {
    const parent = startProcess<ParentWork>(new URL('../../../tests/support/kit-parent.ts', import.meta.url))
    const parentPid = await parent.call('pid')
    const pids = await parent.call('startBusy')
    assert.deepEqual(pids.map(isAlive), [true, true])
    process.kill(parentPid, 'SIGKILL')
    await until(() => !pids.some(isAlive))
    await parent.end()
  })
})
