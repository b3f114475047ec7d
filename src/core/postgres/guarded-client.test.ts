import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MessageGuard } from './guarded-client.ts'

function message(type: string, bytes: number, output = bytes + 4): Buffer {
  const whole = Buffer.alloc(5 + bytes)
  whole.write(type, 0, 'latin1')
  whole.writeUInt32BE(output, 1)
  return whole
}

const ready = message('Z', 1)

describe('MessageGuard', () => {
  it('takes messages however they are cut', () => {
    const bytes = Buffer.concat([message('R', 4), ready, message('D', 1000), message('C', 9), ready])
    for (const size of [1, 2, 3, 7, 100, bytes.length]) {
      const guard = new MessageGuard()
      for (let at = 0; at < bytes.length; at += size)
        assert.equal(guard.take(bytes.subarray(at, at + size)), undefined)
    }
  })

  it('refuses a message that says to be too long or too short', () => {
    for (const output of [0, 3, 2 ** 20 + 1, 2 ** 31 - 1, 2 ** 32 - 1])
      assert.match(new MessageGuard().take(message('R', 0, output)) ?? '', /protocol/)
    const guard = new MessageGuard()
    assert.equal(guard.take(ready), undefined)
    assert.equal(guard.take(message('D', 2 ** 21)), undefined)
    assert.match(guard.take(message('d', 0, 301 * 2 ** 20)) ?? '', /protocol/)
  })

  it('refuses rows of one answer without end, and counts anew with the next', () => {
    const rows = Buffer.concat(Array.from({ length: 1000 }, () => message('D', 2)))
    const takeUntilRefused = (between: Buffer): number => {
      const guard = new MessageGuard()
      guard.take(ready)
      for (let count = 0; count < 5000; count += 1)
        if (guard.take(Buffer.concat([rows, between])) !== undefined) return count
      return 5000
    }
    assert.ok(takeUntilRefused(Buffer.alloc(0)) < 5000)
    assert.equal(takeUntilRefused(message('s', 0)), 5000)
  })
})
