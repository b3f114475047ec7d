import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { toState } from './state.ts'

describe('the state of a resource in the audit log', () => {
  it('has no secrets, and names and digest of what is too long', () => {
    assert.equal(
      toState({ name: 'a', password: 'x', list: [1, { token: 'y' }] }),
      '{"name":"a","password":"***","list":[1,{"token":"***"}]}',
    )
    assert.match(
      toState({ text: 'x'.repeat(20_000) }) ?? '',
      /^\{"truncated":\{"sizeBytes":\d+,"sha256":"[\da-f]{64}","names":\["text"\]/,
    )
  })

  it('is none for a stream, whose objects refer to the whole server', () => {
    const server = createServer()
    assert.equal(toState(server), undefined)
    assert.equal(toState({ name: 'a', server }), '{"name":"a","server":"…"}')
  })

  it('has objects without a prototype, as readers of forms make them', () => {
    assert.equal(toState(Object.assign(Object.create(null), { name: 'a' })), '{"name":"a"}')
  })
})
