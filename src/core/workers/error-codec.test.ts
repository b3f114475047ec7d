import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crossesThreads, packError, unpackError } from './error-codec.ts'

class Known extends Error {
  readonly row = 3
  override readonly name = 'Known'
}
class Lower extends Known {}
class Unknown extends Error {
  readonly facts = { list: [1, 'a', null], call: () => 1, deep: { of: new Map() } }
}
crossesThreads(Known)

function crossed(error: unknown): Error & Record<string, unknown> {
  return unpackError(structuredClone(packError(error))) as Error & Record<string, unknown>
}

describe('the error codec', () => {
  it('gives an error of a known class, or of the nearest known one above it', () => {
    for (const error of [new Known('bad'), new Lower('bad')]) {
      const there = crossed(error)
      assert.ok(there instanceof Known)
      assert.deepEqual([there.message, there.name, there.row], ['bad', 'Known', 3])
      assert.equal(there.stack, error.stack)
    }
  })

  it('keeps name, code and plain data of others, and leaves out what cannot cross', () => {
    const there = crossed(Object.assign(new Unknown('odd'), { code: 'E1' }))
    assert.deepEqual([there.name, there['code']], ['Error', 'E1'])
    assert.deepEqual(there['facts'], { list: [1, 'a', null], deep: {} })
    assert.equal(crossed(new DOMException('late', 'TimeoutError')).name, 'TimeoutError')
    assert.equal(crossed('text').message, 'text')
    assert.equal(crossed(undefined).message, 'undefined')
  })

  it('ends with circles of causes, and cuts what is too long', () => {
    const round = new Error('a')
    round.cause = new Error('b', { cause: round })
    assert.equal(((crossed(round).cause as Error).cause as Error).message, 'a')
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const long = crossed(Object.assign(new Error('x'.repeat(1e6)), { circle }))
    assert.ok(long.message.length < 70_000)
  })

  it('takes no prototype from the fields of an error', () => {
    const error = Object.assign(new Error('a'), { facts: JSON.parse('{"__proto__":{"polluted":1}}') })
    assert.equal((crossed(error)['facts'] as Record<string, unknown>)['polluted'], undefined)
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  })
})
