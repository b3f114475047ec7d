import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { until } from '../../../tests/support/until.ts'
import { collectYoungGarbage, QuietCollector } from './collect-garbage.ts'

type Collect = NonNullable<typeof globalThis.gc>

/** With the collector as a server has it; gives what it was called with. */
async function withCollector(work: (calls: unknown[]) => Promise<void>): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: unknown) => void
  const calls: unknown[] = []
  const counting = (options?: unknown): void => {
    calls.push(options)
    collect(options)
  }
  globalThis.gc = counting as Collect
  try {
    await work(calls)
  } finally {
    Reflect.deleteProperty(globalThis, 'gc')
  }
}

it('gives back the memory of arrays that were made last', () =>
  withCollector(async () => {
    const before = process.memoryUsage().arrayBuffers
    for (let made = 0; made < 40; made += 1) new Uint8Array(1 << 20).fill(1)
    collectYoungGarbage()
    await until(() => process.memoryUsage().arrayBuffers < before + (5 << 20))
  }))

it('collects once when a thread is quiet, and not while it works', () =>
  withCollector(async (calls) => {
    let isQuiet = false
    const collector = new QuietCollector(() => isQuiet)
    collector.worked()
    await sleep(200)
    assert.equal(calls.length, 0)
    isQuiet = true
    for (let work = 0; work < 3; work += 1) collector.worked()
    await until(() => calls.length > 0)
    await sleep(100)
    assert.equal(calls.length, 1)
  }))

it('does nothing where the collector is not to be had', () => {
  assert.equal(globalThis.gc, undefined)
  collectYoungGarbage()
  new QuietCollector(() => true).worked()
})
