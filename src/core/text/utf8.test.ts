import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isUtf8Range, Utf8Check } from './utf8.ts'

const bytes = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => Uint8Array.from(Buffer.from(text))),
  fc
    .array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc0, 0xc3, 0xe0, 0xa0, 0xed, 0xf0, 0x90, 0xf4, 0x8f, 0xff))
    .map((list) => Uint8Array.from(list)),
)

describe('isUtf8Range', () => {
  it('agrees with the platform', () => {
    fc.assert(
      fc.property(bytes, (text) => {
        const framed = Uint8Array.from([0xff, ...text, 0xff])
        assert.equal(isUtf8Range(framed, 1, framed.length - 1), isUtf8(text))
      }),
      { numRuns: 5000 },
    )
  })
})

describe('Utf8Check', () => {
  it('gives the same answer however the text is cut', () => {
    fc.assert(
      fc.property(bytes, fc.nat(20), (text, cut) => {
        const check = new Utf8Check()
        const isGood = check.push(text.subarray(0, cut), false) && check.push(text.subarray(cut), true)
        assert.equal(isGood, isUtf8(text))
      }),
      { numRuns: 5000 },
    )
  })

  it('keeps the begun character of a piece whose memory is used again', () => {
    const check = new Utf8Check()
    const memory = Buffer.from('abü')
    assert.ok(check.push(memory.subarray(0, 3), false))
    memory.fill(0x41)
    memory[0] = 0xbc
    assert.ok(check.push(memory, true))
  })
})
