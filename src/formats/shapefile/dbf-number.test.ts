import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseLiteral } from '../../core/values/number-text.ts'
import { parsePlainNumber, parseWholeDigits, parseWholeNumber } from './dbf-number.ts'

describe('number parsing', () => {
  const bytesOf = (text: string): [Uint8Array, number, number] => [Buffer.from(text), 0, text.length]

  it('agrees with the platform for every plain number it takes', () => {
    const digits = fc.stringMatching(/^[+-]?\d{0,17}(\.0{0,6}\d{0,16}0{0,4})?$/)
    fc.assert(
      fc.property(digits, (text) => {
        const value = parsePlainNumber(...bytesOf(text))
        if (!Number.isNaN(value)) assert.equal(value, Number(text), text)
        const whole = parseWholeNumber(...bytesOf(text))
        if (!Number.isNaN(whole)) assert.equal(whole, Number(text), text)
      }),
      { numRuns: 5000 },
    )
    for (const text of ['', '-', '+', '.', '-.', '1.2.3', '1 2', '0x1', 'e5']) {
      assert.ok(Number.isNaN(parsePlainNumber(...bytesOf(text))), text)
      assert.equal(parseLiteral(text), undefined, text)
    }
    assert.equal(parsePlainNumber(...bytesOf('123456789012.345')), 123456789012.345)
    assert.equal(parsePlainNumber(...bytesOf('981.554999999999950')), 981.55499999999995)
    assert.equal(parsePlainNumber(...bytesOf('1234.567000000000000')), 1234.567)
    assert.equal(parsePlainNumber(...bytesOf('0.000000000000000')), 0)
    assert.equal(parsePlainNumber(...bytesOf('100')), 100)
  })

  it('keeps whole digits as they are', () => {
    fc.assert(
      fc.property(fc.bigInt(), (value) => assert.equal(parseWholeDigits(String(value)), String(value))),
    )
    assert.equal(parseWholeDigits('1.5'), undefined)
  })
})
