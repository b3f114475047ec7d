import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../core/errors/errors.ts'
import { parseJsonBody } from './json-body.ts'

function parse(text: string | Uint8Array, allowsJson5 = false): unknown {
  return parseJsonBody(typeof text === 'string' ? Buffer.from(text) : text, { allowsJson5 })
}

describe('parseJsonBody', () => {
  it('reads an empty body as none', () => {
    assert.equal(parse('  \n'), undefined)
  })

  it('takes null for absent in objects, and keeps it in lists', () => {
    assert.deepEqual(parse('{"a":null,"b":{"c":null,"d":1},"e":[null,1]}'), { b: { d: 1 }, e: [null, 1] })
  })

  it('keeps the nulls of its own keys where they are asked for', () => {
    const body = Buffer.from('{"a":null,"b":{"c":null,"d":1}}')
    assert.deepEqual(parseJsonBody(body, { keepsNulls: true }), { a: null, b: { d: 1 } })
  })

  it('reads unquoted keys only where JSON5 is allowed', () => {
    assert.deepEqual(parse("{import:{data:{type:'file'}}}", true), { import: { data: { type: 'file' } } })
    assert.throws(() => parse('{import:{}}'), { code: 'malformed-json' })
  })

  it('refuses what is not UTF-8, and reads past a byte order mark', () => {
    assert.throws(() => parse(Uint8Array.of(0x7b, 0xff, 0x7d)), { code: 'malformed-json' })
    assert.deepEqual(parse('\uFEFF{"a":1}'), { a: 1 })
  })

  it('takes 100 levels and refuses more', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    parse(nested(100))
    for (const text of [nested(101), nested(1_000_000)])
      assert.throws(() => parse(text), { code: 'body-too-deep' })
    assert.throws(() => parse(`${nested(100_000)},`, true), Failure)
  })

  it('takes 100,000 values and refuses more', () => {
    const list = (count: number): Buffer =>
      Buffer.from(`[${Array.from({ length: count }, () => 1).join(',')}]`)
    assert.equal((parseJsonBody(list(99_999)) as number[]).length, 99_999)
    assert.throws(() => parseJsonBody(list(100_000)), { code: 'body-too-wide' })
  })

  it('refuses a key that would change the prototype', () => {
    for (const json5 of [false, true])
      assert.throws(() => parse('{"a":{"__proto__":{"x":1}}}', json5), Failure)
  })

  it('gives a value or a failure for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, allowsJson5) => {
        try {
          parse(bytes, allowsJson5)
        } catch (error) {
          assert.ok(error instanceof Failure)
        }
      }),
    )
  })
})
