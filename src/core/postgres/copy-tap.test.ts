import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { CopyTap, tapOn } from './copy-tap.ts'

function message(type: string, text: string): Buffer {
  const whole = Buffer.alloc(5 + text.length)
  whole.write(type, 0, 'latin1')
  whole.writeUInt32BE(4 + text.length, 1)
  whole.write(text, 5, 'latin1')
  return whole
}

describe('CopyTap', () => {
  it('takes rows however they are cut, and passes on everything else in its order', () => {
    const others = [message('H', 'head'), message('N', 'a notice'), message('c', ''), message('Z', 'I')]
    const [head, notice, done, ready] = others as [Buffer, Buffer, Buffer, Buffer]
    const all = [head, message('d', 'first'), message('d', ''), notice, message('d', 'second'), done, ready]
    const bytes = Buffer.concat(all)
    for (const size of [1, 2, 3, 5, 7, 100, bytes.length]) {
      let passed = ''
      let taken = ''
      const tap = new CopyTap(
        new PassThrough(),
        () => true,
        (chunk) => {
          passed += chunk.toString('latin1')
        },
      )
      const take = (chunk: Buffer, start: number, end: number): void => {
        taken += chunk.toString('latin1', start, end)
      }
      assert.ok(tap.open(take))
      assert.equal(tap.open(take), false)
      for (let at = 0; at < bytes.length; at += size) tap.give(bytes.subarray(at, at + size))
      assert.equal(taken, 'firstsecond')
      assert.equal(passed, Buffer.concat(others).toString('latin1'))
    }
  })

  it('passes on all as soon as it is closed, also within what has come', () => {
    const passed: string[] = []
    const stream = new PassThrough()
    const tap = new CopyTap(
      stream,
      () => true,
      (chunk) => {
        passed.push(chunk.toString('latin1'))
        tap.close()
      },
    )
    assert.equal(tapOn(stream), tap)
    assert.ok(tap.open(() => assert.fail('nothing was to be taken')))
    const [ready, row] = [message('Z', 'I'), message('d', 'of another')]
    tap.give(Buffer.concat([ready, row]))
    assert.equal(passed.join(''), Buffer.concat([ready, row]).toString('latin1'))
  })

  it('does not begin within a message', () => {
    const tap = new CopyTap(
      new PassThrough(),
      () => false,
      () => undefined,
    )
    assert.equal(
      tap.open(() => undefined),
      false,
    )
  })
})
