import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { DecimalOffsets } from './numeric-encoder.ts'
import { findDecimalParts, fitsNumeric, numericBytes, writeNumeric } from './numeric-encoder.ts'

const newParts = (): DecimalOffsets => ({
  isNegative: false,
  integerStart: 0,
  integerEnd: 0,
  fractionStart: 0,
  end: 0,
})

function encode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text)
  const parts = newParts()
  if (!findDecimalParts(bytes, 0, bytes.length, parts)) return undefined
  const target = Buffer.alloc(numericBytes(bytes.length))
  return target.subarray(0, writeNumeric(bytes, parts, target, 0))
}

/** Returns the value that PostgreSQL reads from the bytes, as a scaled integer. */
function decode(bytes: Buffer, scale: number): bigint {
  let value = 0n
  const weight = bytes.readInt16BE(2)
  const digits = bytes.readInt16BE(0)
  for (let digit = 0; digit < digits; digit += 1) {
    const power = (weight - digit) * 4 + scale
    const base = BigInt(bytes.readInt16BE(8 + digit * 2))
    value += power >= 0 ? base * 10n ** BigInt(power) : base / 10n ** BigInt(-power)
  }
  return bytes.readUInt16BE(4) === 0x4000 ? -value : value
}

it('writes every decimal so that its digits come back', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 45n), max: 10n ** 45n }),
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 5 }),
      (value, scale, zeros) => {
        const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
        const point = digits.length - scale
        const fraction = scale === 0 ? '' : `.${digits.slice(point)}`
        const text = `${value < 0n ? '-' : ''}${'0'.repeat(zeros)}${digits.slice(0, point)}${fraction}`
        const encoded = encode(text)
        assert.ok(encoded)
        assert.equal(decode(encoded, scale), value)
        assert.equal(encoded.readInt16BE(6), scale)
      },
    ),
  )
})

it('never writes more than it asked room for, and refuses what is not a decimal', () => {
  for (const text of ['', '-', '.', '1e5', 'NaN', '1.2.3', ' 1', '0x1', '--1', '1-']) {
    assert.equal(encode(text), undefined, text)
  }
  for (const text of ['.5', '5.', '+1', '-0', '00000', '9999.9999', '10000', '0.00001'])
    assert.ok(encode(text), text)
})

it('says what a numeric column holds without rounding', () => {
  const fits = (text: string, precision: number, scale: number): boolean => {
    const bytes = Buffer.from(text)
    const parts = newParts()
    return findDecimalParts(bytes, 0, bytes.length, parts) && fitsNumeric(bytes, parts, precision, scale)
  }
  assert.equal(fits('999.99', 5, 2), true)
  assert.equal(fits('0999.990', 5, 2), true)
  assert.equal(fits('1000', 5, 2), false)
  assert.equal(fits('1.001', 5, 2), false)
  assert.equal(fits('0.001', 2, 3), true)
  assert.equal(fits('0.1', 2, 3), false)
  assert.equal(fits('12300', 3, -2), true)
  assert.equal(fits('12310', 3, -2), false)
  assert.equal(fits('0.000', 1, 0), true)
})
