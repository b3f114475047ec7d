import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Turns } from './turns.ts'

describe('Turns', () => {
  it('never does two pieces of work at once, and keeps their order', async () => {
    const turns = new Turns()
    const steps: string[] = []
    const piece = (name: string) => async (): Promise<string> => {
      steps.push(`${name} begins`)
      await setImmediate()
      steps.push(`${name} ends`)
      return name
    }
    assert.deepEqual(await Promise.all([turns.take(piece('a')), turns.take(piece('b'))]), ['a', 'b'])
    assert.deepEqual(steps, ['a begins', 'a ends', 'b begins', 'b ends'])
  })

  it('goes on after a piece that fails, and gives its error to who asked for it', async () => {
    const turns = new Turns()
    const failing = turns.take(() => Promise.reject(new Error('no')))
    const next = turns.take(async () => 1)
    await assert.rejects(failing, /no/)
    assert.equal(await next, 1)
  })
})
