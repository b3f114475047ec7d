import assert from 'node:assert/strict'
import { it } from 'node:test'
import { waitLimit } from './wait-limit.ts'

it('a limited wait ends after its limit, without the time in which the process stood still', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const signal = waitLimit(1000)
  t.mock.timers.tick(900)
  assert.equal(signal.aborted, false)
  t.mock.timers.tick(100)
  assert.equal(signal.aborted, true)
  assert.equal(signal.reason.name, 'TimeoutError')
  t.mock.timers.reset()
  const stopped = waitLimit(200)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
  return new Promise<void>((resolve) => {
    setTimeout(() => {
      assert.equal(stopped.aborted, false)
      resolve()
    }, 1)
  })
})
