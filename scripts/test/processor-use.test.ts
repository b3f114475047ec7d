import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeUse } from './processor-use.ts'

it('describes how busy the processors were, and at the end of the run', () => {
  const samples = Array.from({ length: 37 }, (_, at) => ({
    busyMs: Math.min(at, 18) * 20_000,
    totalMs: at * 20_000,
  }))
  assert.equal(
    describeUse(samples),
    'The processors were busy for 50 % of the time, in the last 3 minutes for 0 %.',
  )
  assert.match(describeUse(samples.slice(0, 1)), /for 0 % of the time/)
})
