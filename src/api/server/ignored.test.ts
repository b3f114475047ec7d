import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { ignoredHeader, unknownKeys } from './ignored.ts'

describe('unknownKeys', () => {
  it('names keys at any depth by their dotted path', () => {
    const schema = Type.Object({
      a: Type.Object({ b: Type.String() }),
      list: Type.Array(Type.Object({ x: Type.Number() })),
    })
    assert.deepEqual(unknownKeys(schema, { a: { b: '', c: 1 }, d: 2, list: [{ x: 1 }, { y: 2 }] }), [
      'a.c',
      'd',
      'list.y',
    ])
  })

  it('knows the keys of every choice', () => {
    const schema = Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })])
    assert.deepEqual(unknownKeys(schema, { a: '', b: '', c: '' }), ['c'])
  })

  it('names nothing in an object of free form', () => {
    assert.deepEqual(unknownKeys(Type.Record(Type.String(), Type.Unknown()), { any: { thing: 1 } }), [])
  })
})

describe('ignoredHeader', () => {
  it('encodes names so that none can break out of the header', () => {
    assert.equal(ignoredHeader(['a b', 'x\r\nSet-Cookie: y', 'é']), 'a%20b, x%0D%0ASet-Cookie%3A%20y, %C3%A9')
    assert.equal(ignoredHeader(['\uD800']), '%EF%BF%BD')
  })

  it('holds at most 20 names and 1 KiB', () => {
    assert.equal(ignoredHeader(Array.from({ length: 30 }, (_, index) => `k${index}`)).split(', ').length, 20)
    assert.ok(ignoredHeader(Array.from({ length: 20 }, () => 'é'.repeat(40))).length <= 1024)
  })
})
