import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { withNameLock } from './name-lock.ts'

/** Starts a thread that imports the module under test and runs a script with it. */
function startThread(script: string, workerData: unknown): Worker {
  const turns = JSON.stringify(new URL('./name-lock.ts', import.meta.url).href)
  const code = `import { workerData } from 'node:worker_threads'
    import { withNameLock } from ${turns}
    ${script}`
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData })
}

describe('locks by name', () => {
  it('keep threads of a process from doing something at the same time', async () => {
    const count = new Int32Array(new SharedArrayBuffer(4))
    // Two that read the same number before either writes lose a step.
    const script = `for (let step = 0; step < 2000; step += 1)
      withNameLock('a', () => {
        const read = workerData[0]
        for (let pause = 0; pause < 50; pause += 1) Math.sqrt(pause)
        workerData[0] = read + 1
      })`
    await Promise.all([1, 2, 3].map(() => once(startThread(script, count), 'exit')))
    assert.equal(count[0], 6000)
  })

  it('are lost by a thread that ends in its own', async () => {
    await once(startThread("withNameLock('b', () => process.exit())", undefined), 'exit')
    assert.equal(
      withNameLock('b', () => 'done'),
      'done',
    )
  })

  it('end with what is done in them, also where that fails, and may stand in one another', () => {
    assert.throws(() =>
      withNameLock('c', () => {
        throw new Error('no')
      }),
    )
    assert.equal(
      withNameLock('c', () => withNameLock('c', () => 1)),
      1,
    )
  })
})
