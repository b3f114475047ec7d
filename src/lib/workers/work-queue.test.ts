import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import fc from 'fast-check'
import { WorkQueue } from './work-queue.ts'

function piece(steps: string[], name: string): () => Promise<string> {
  return async () => {
    steps.push(`${name} begins`)
    await nextRound()
    steps.push(`${name} ends`)
    return name
  }
}

describe('WorkQueue', () => {
  it('with a limit of one does one piece after the other, in the order in which they came', async () => {
    const queue = new WorkQueue({ limit: 1 })
    const steps: string[] = []
    const results = ['a', 'b', 'c'].map((name) => queue.run(piece(steps, name)))
    assert.deepEqual(await Promise.all(results), ['a', 'b', 'c'])
    assert.deepEqual(steps, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('gives a turn at once where one is free, and none before who waits', async () => {
    const queue = new WorkQueue({ limit: 1 })
    const leave = queue.enterNow()
    assert.notEqual(leave, undefined)
    assert.equal(queue.enterNow(), undefined)
    const waiting = queue.enter()
    leave?.()
    assert.equal(queue.enterNow(), undefined)
    ;(await waiting)()
    assert.equal(queue.running, 0)
    assert.throws(() => queue.enterNow({ signal: AbortSignal.abort(new Error('left')) }), /left/)
    queue.close(new Error('closed'))
    assert.throws(() => queue.enterNow(), /closed/)
  })

  it('goes on after a piece that fails, and gives its error to who asked for it', async () => {
    const queue = new WorkQueue({ limit: 1 })
    const failing = queue.run(() => Promise.reject(new Error('no')))
    const next = queue.run(() => 1)
    await assert.rejects(failing, /no/)
    assert.equal(await next, 1)
  })

  it('lets one at a time work under a key, and others beside it', async () => {
    const queue = new WorkQueue()
    const steps: string[] = []
    await Promise.all([
      queue.run(piece(steps, 'a1'), { key: 'a' }),
      queue.run(piece(steps, 'a2'), { key: 'a' }),
      queue.run(piece(steps, 'b1'), { key: 'b' }),
      queue.run(piece(steps, 'free')),
    ])
    assert.deepEqual(steps.slice(0, 3), ['a1 begins', 'b1 begins', 'free begins'])
    assert.ok(steps.indexOf('a2 begins') > steps.indexOf('a1 ends'))
  })

  it('lets a waiter leave by its signal, in a line, at the limit and before it came', async () => {
    const queue = new WorkQueue({ limit: 1 })
    const leave = await queue.enter({ key: 'a' })
    const abort = new AbortController()
    const waiting = [
      queue.run(() => 1, { key: 'a', signal: abort.signal }),
      queue.run(() => 2, { key: 'b', signal: abort.signal }),
      queue.run(() => 3, { signal: abort.signal }),
    ]
    const behind = queue.run(() => 'here', { key: 'b' })
    assert.equal(queue.waiting, 4)
    abort.abort(new Error('gone'))
    for (const one of waiting) await assert.rejects(one, /gone/)
    assert.equal(queue.waiting, 1)
    await assert.rejects(
      queue.run(() => 4, { signal: abort.signal }),
      /gone/,
    )
    leave()
    leave()
    assert.equal(await behind, 'here')
    assert.deepEqual([queue.running, queue.waiting], [0, 0])
  })

  it('refuses who comes when too many wait, and everybody once it is closed', async () => {
    const queue = new WorkQueue({ limit: 1, maxWaiting: { count: 1, refuse: () => new Error('too many') } })
    const leave = await queue.enter()
    const waiting = queue.run(() => 1)
    await assert.rejects(
      queue.run(() => 2),
      /too many/,
    )
    queue.close(new Error('closed'))
    await assert.rejects(waiting, /closed/)
    await assert.rejects(
      queue.run(() => 3),
      /closed/,
    )
    leave()
    assert.deepEqual([queue.running, queue.waiting], [0, 0])
  })

  it('keeps its promises over whatever comes and leaves', async () => {
    const item = fc.record({
      key: fc.constantFrom(undefined, 'a', 'b', 'c'),
      rounds: fc.nat(3),
      leavesAfter: fc.option(fc.nat(4), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(item, { maxLength: 25 }),
        async (limit, items) => {
          const queue = new WorkQueue({ limit })
          const running: (string | undefined)[] = []
          let most = 0
          const done = items.map(async ({ key, rounds, leavesAfter }) => {
            const abort = new AbortController()
            const work = async (): Promise<void> => {
              assert.ok(key === undefined || !running.includes(key), 'one at a time for a key')
              running.push(key)
              most = Math.max(most, running.length)
              for (let at = 0; at < rounds; at += 1) await nextRound()
              running.splice(running.indexOf(key), 1)
            }
            const turn = queue
              .run(work, { key, signal: abort.signal })
              .catch((error) => assert.match(String(error), /left/))
            for (let at = 0; at < (leavesAfter ?? 0); at += 1) await nextRound()
            if (leavesAfter !== undefined) abort.abort(new Error('left'))
            await turn
          })
          await Promise.all(done)
          assert.ok(most <= limit)
          assert.deepEqual([queue.running, queue.waiting], [0, 0])
          assert.equal(await queue.run(() => 'free', { key: 'a' }), 'free')
        },
      ),
      { numRuns: 60 },
    )
  })
})
