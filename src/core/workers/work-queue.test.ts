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

  it('shares the limit between owners, however many items one of them has', async () => {
    const queue = new WorkQueue({ limit: 1 })
    const steps: string[] = []
    const of = (owner: string, name: string): Promise<string> => queue.run(piece(steps, name), { owner })
    const all = [of('a', 'a1'), of('a', 'a2'), of('a', 'a3'), of('b', 'b1'), of('c', 'c1'), of('b', 'b2')]
    await Promise.all(all)
    const begun = steps.filter((step) => step.endsWith('begins')).map((step) => step.slice(0, 2))
    assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('starts the item of the owner with the fewest running items', async () => {
    const queue = new WorkQueue({ limit: 3 })
    const first = await queue.enter({ owner: 'a' })
    await queue.enter({ owner: 'a' })
    await queue.enter({ owner: 'b' })
    const order: string[] = []
    const enter = async (owner: string): Promise<void> => {
      await queue.enter({ owner })
      order.push(owner)
    }
    void enter('a')
    void enter('b')
    void enter('c')
    first()
    await nextRound()
    assert.deepEqual(order, ['c'])
  })

  it('keeps capacity for light items while heavy ones wait', async () => {
    const queue = new WorkQueue({ limit: 2, heavyLimit: 1 })
    const leaveHeavy = await queue.enter({ isHeavy: true })
    const secondHeavy = queue.enter({ isHeavy: true })
    assert.equal(queue.enterNow({ isHeavy: true }), undefined)
    const leaveLight = queue.enterNow()
    assert.notEqual(leaveLight, undefined)
    const waitingLight = queue.enter()
    leaveLight?.()
    ;(await waitingLight)()
    assert.deepEqual([queue.running, queue.waiting], [1, 1])
    leaveHeavy()
    ;(await secondHeavy)()
    assert.deepEqual([queue.running, queue.waiting], [0, 0])
  })

  it('if it is full, refuses the newest item of the owner with the most waiting items', async () => {
    const queue = new WorkQueue({ limit: 1, maxWaiting: { count: 3, refuse: () => new Error('too many') } })
    const leave = await queue.enter({ owner: 'a' })
    const waiting = ['first', 'second', 'third'].map((name) => queue.run(() => name, { owner: 'a' }))
    const light = queue.run(() => 'b', { owner: 'b' })
    await assert.rejects(waiting[2] as Promise<string>, /too many/)
    await assert.rejects(
      queue.run(() => 'fourth', { owner: 'a' }),
      /too many/,
    )
    leave()
    assert.deepEqual(await Promise.all([light, waiting[0], waiting[1]]), ['b', 'first', 'second'])
  })

  it('keeps its promises over whatever comes and leaves', async () => {
    const item = fc.record({
      key: fc.constantFrom(undefined, 'a', 'b', 'c'),
      owner: fc.constantFrom(undefined, 'x', 'y'),
      isHeavy: fc.boolean(),
      rounds: fc.nat(3),
      leavesAfter: fc.option(fc.nat(4), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(item, { maxLength: 25 }),
        async (limit, heavyLimit, items) => {
          const queue = new WorkQueue({ limit, heavyLimit })
          const running: (string | undefined)[] = []
          let most = 0
          let heavy = 0
          let mostHeavy = 0
          const done = items.map(async ({ key, owner, isHeavy, rounds, leavesAfter }) => {
            const abort = new AbortController()
            const work = async (): Promise<void> => {
              assert.ok(key === undefined || !running.includes(key), 'one at a time for a key')
              running.push(key)
              most = Math.max(most, running.length)
              heavy += isHeavy ? 1 : 0
              mostHeavy = Math.max(mostHeavy, heavy)
              for (let at = 0; at < rounds; at += 1) await nextRound()
              running.splice(running.indexOf(key), 1)
              heavy -= isHeavy ? 1 : 0
            }
            const turn = queue
              .run(work, { key, owner, isHeavy, signal: abort.signal })
              .catch((error) => assert.match(String(error), /left/))
            for (let at = 0; at < (leavesAfter ?? 0); at += 1) await nextRound()
            if (leavesAfter !== undefined) abort.abort(new Error('left'))
            await turn
          })
          await Promise.all(done)
          assert.ok(most <= limit)
          assert.ok(mostHeavy <= heavyLimit)
          assert.deepEqual([queue.running, queue.waiting], [0, 0])
          assert.equal(await queue.run(() => 'free', { key: 'a' }), 'free')
        },
      ),
      { numRuns: 60 },
    )
  })

  it('shares the capacity between owners first, and that of an owner between its resources', async () => {
    const queue = new WorkQueue({ limit: 1 })
    const steps: string[] = []
    const run = (owner: string, resource: string): Promise<unknown> =>
      queue.run(() => steps.push(`${owner} ${resource}`), { owner, resource })
    const leave = await queue.enter({ owner: 'a', resource: '1' })
    const all = [run('a', '1'), run('a', '1'), run('a', '2'), run('a', '3'), run('b', '1'), run('b', '1')]
    leave()
    await Promise.all(all)
    assert.deepEqual(steps, ['b 1', 'a 2', 'b 1', 'a 3', 'a 1', 'a 1'])
  })

  it('runs no more items of one owner than its limit', async () => {
    const queue = new WorkQueue({ limit: 3, ownerLimit: 2 })
    const leaveFirst = queue.enterNow({ owner: 'a' })
    queue.enterNow({ owner: 'a' })
    assert.equal(queue.enterNow({ owner: 'a' }), undefined)
    const third = queue.enter({ owner: 'a' })
    const leaveOther = queue.enterNow({ owner: 'b' })
    assert.notEqual(leaveOther, undefined)
    leaveOther?.()
    await nextRound()
    assert.equal(queue.waiting, 1)
    leaveFirst?.()
    await third
    assert.equal(queue.running, 2)
  })

  it('runs no more items of a group than its limit, and others meanwhile', async () => {
    const queue = new WorkQueue({ limit: 3 })
    const [all, one] = [
      { name: 'all', limit: 2 },
      { name: 'one', limit: 1 },
    ]
    const leave = queue.enterNow({ groups: [all, one] })
    assert.equal(queue.enterNow({ groups: [all, one] }), undefined)
    const second = queue.enter({ groups: [all, one] })
    const leaveOther = queue.enterNow({ groups: [all] })
    assert.notEqual(leaveOther, undefined)
    assert.equal(queue.enterNow({ groups: [all] }), undefined)
    assert.notEqual(queue.enterNow(), undefined)
    leaveOther?.()
    await nextRound()
    assert.equal(queue.waiting, 1)
    leave?.()
    ;(await second)()
    assert.equal(queue.running, 1)
  })
})
