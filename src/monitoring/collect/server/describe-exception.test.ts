import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeException } from './describe-exception.ts'

class BrokenPipe extends Error {}

describe('describeException', () => {
  it('tells class, messages and stacks, those of causes too', () => {
    const error = new BrokenPipe('no water', { cause: new TypeError('no pump') })
    const { type, message, stack } = describeException(error)
    assert.equal(type, 'BrokenPipe')
    assert.equal(message, 'no water\nno pump')
    assert.match(stack, /no water\n {4}at [\s\S]*\nCaused by: TypeError: no pump\n {4}at /)
  })

  it('takes whatever is thrown, and causes that go round', () => {
    assert.deepEqual(describeException('oops'), { type: 'string', message: 'oops', stack: '' })
    const error = new Error('a')
    error.cause = error
    assert.equal(describeException(error).message, 'a')
  })

  it('bounds every part', () => {
    const error = new Error('x'.repeat(1_000_000))
    error.name = 'y'.repeat(1_000_000)
    const { type, message, stack } = describeException(error)
    assert.ok(type.length <= 255 && message.length <= 4000 && stack.length <= 20_000)
  })
})
