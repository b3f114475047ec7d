import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { Stopwatch } from './stopwatch.ts'

interface Watched {
  stopwatch: Stopwatch
  /** Number of times the limit was exceeded. */
  count(): number
  useCpu(ms: number): void
  /** Time passes by the clock. */
  pass(ms: number): Promise<void>
  /** This process stands still: no timer fires in this time. */
  standStill(ms: number): void
}

function watch(t: TestContext, { isMeasured = true, isIdle = false, limitMs = 100 } = {}): Watched {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  let cpu = 0
  let count = 0
  t.mock.method(performance, 'now', () => now)
  const stopwatch = new Stopwatch({
    limitMs,
    cpuMs: () => (isMeasured ? cpu : undefined),
    isIdle: () => isIdle,
    onOver: () => {
      count += 1
    },
  })
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 10) {
      now += 10
      t.mock.timers.tick(10)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return {
    stopwatch,
    count: () => count,
    useCpu: (ms) => {
      cpu += ms
    },
    pass,
    standStill: (ms) => {
      now += ms
    },
  }
}

describe('Stopwatch', () => {
  it('is over at the limit where the worker used that much CPU time', async (t) => {
    const { stopwatch, count, useCpu, pass } = watch(t)
    stopwatch.reset(0)
    stopwatch.run()
    useCpu(100)
    await pass(90)
    assert.equal(count(), 0)
    await pass(10)
    assert.equal(count(), 1)
  })

  it('waits for a worker that gets little CPU time, ten times the limit at most', async (t) => {
    const { stopwatch, count, useCpu, pass } = watch(t)
    stopwatch.reset(0)
    stopwatch.run()
    useCpu(25)
    await pass(980)
    assert.equal(count(), 0)
    await pass(20)
    assert.equal(count(), 1)
  })

  it('does not wait for a worker that is idle and uses no CPU time', async (t) => {
    const { stopwatch, count, useCpu, pass } = watch(t, { isIdle: true, limitMs: 4000 })
    stopwatch.reset(0)
    stopwatch.run()
    await pass(4000)
    useCpu(10)
    // It looks every second from then on.
    await pass(1000)
    assert.equal(count(), 0)
    await pass(1000)
    assert.equal(count(), 1)
  })

  it('counts CPU time since the last reset, and from the first look where that is unknown', async (t) => {
    const { stopwatch, count, useCpu, pass } = watch(t)
    stopwatch.reset(0)
    stopwatch.run()
    useCpu(90)
    await pass(50)
    stopwatch.reset(90)
    useCpu(90)
    await pass(100)
    assert.equal(count(), 0)
    stopwatch.reset()
    useCpu(500)
    await pass(110)
    assert.equal(count(), 0)
    useCpu(100)
    await pass(100)
    assert.equal(count(), 1)
  })

  it('does not count time in which this process stood still', async (t) => {
    for (const isMeasured of [true, false]) {
      const { stopwatch, count, pass, standStill } = watch(t, { isMeasured, limitMs: 4000 })
      stopwatch.reset(isMeasured ? 0 : undefined)
      stopwatch.run()
      await pass(500)
      standStill(100_000)
      await pass(2500)
      assert.equal(count(), 0)
      stopwatch.reset(isMeasured ? 0 : undefined)
      standStill(100_000)
      await pass(2500)
      assert.equal(count(), 0)
      stopwatch.stop()
      t.mock.reset()
    }
  })

  it('counts the clock alone where CPU time cannot be measured, and not while it is paused', async (t) => {
    const { stopwatch, count, pass } = watch(t, { isMeasured: false })
    stopwatch.run()
    await pass(60)
    stopwatch.pause()
    await pass(500)
    stopwatch.run()
    await pass(30)
    assert.equal(count(), 0)
    await pass(10)
    assert.equal(count(), 1)
  })
})
