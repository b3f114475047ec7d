import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseDecimalText, scaleDecimal } from './decimal.ts'

function parse(text: string): number {
  const bytes = Buffer.from(`x${text}x`)
  return parseDecimalText(bytes, 1, bytes.length - 1)
}

describe('parseDecimalText', () => {
  it('rounds literals of any length as the platform does', () => {
    const digits = (min: number, max: number): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max })
    const literal = fc.tuple(fc.constantFrom('', '-'), digits(1, 12), digits(0, 24))
    fc.assert(
      fc.property(literal, ([sign, whole, fraction]) => {
        const text = `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
        assert.equal(parse(text), Number(text), text)
      }),
      { numRuns: 50_000 },
    )
  })

  it('reads back doubles written in full', () => {
    fc.assert(
      fc.property(fc.double({ min: -180, max: 180, noNaN: true }), (value) => {
        assert.equal(parse(value.toPrecision(17)), Number(value.toPrecision(17)))
        assert.equal(parse(String(value)), Number(String(value)))
      }),
      { numRuns: 50_000 },
    )
  })

  it('decides literals in the middle of two doubles as the platform does', () => {
    for (const text of [
      '9007199254740993',
      '9007199254740992.5',
      '1.00000000000000011102',
      '4503599627370496.5',
    ]) {
      assert.equal(parse(text), Number(text), text)
    }
  })
})

describe('scaleDecimal', () => {
  it('gives NaN where the digits are needed', () => {
    assert.equal(scaleDecimal(12345, -2), 123.45)
    assert.ok(Number.isNaN(scaleDecimal(1e15, -2)))
    assert.ok(Number.isNaN(scaleDecimal(1, 23)))
  })
})
