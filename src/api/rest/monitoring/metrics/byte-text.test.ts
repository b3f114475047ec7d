import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ByteText } from './byte-text.ts'

function written(write: (text: ByteText) => void): string {
  const text = new ByteText()
  write(text)
  return new TextDecoder().decode(text.finish())
}

describe('a text of bytes', () => {
  it('writes decimals with four digits', () => {
    const decimal = (value: number): string => written((text) => text.decimal(value))
    assert.equal(decimal(0), '0.0000')
    assert.equal(decimal(-0.00001), '0.0000')
    assert.equal(decimal(26.5489), '26.5489')
    assert.equal(decimal(9.99996), '10.0000')
    assert.equal(decimal(-1.5), '-1.5000')
    assert.equal(decimal(1e9), '1000000000.0000')
    assert.equal(decimal(1e18), '1000000000000000000.0000')
    assert.equal(decimal(1e22), '10000000000000000000000.0000')
    assert.equal(decimal(Number.NaN), '0.0000')
  })

  it('writes every whole number as it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(2000), fc.maxSafeNat()), (value) => {
        assert.equal(
          written((text) => text.integer(value)),
          String(value),
        )
      }),
    )
  })

  it('writes decimals that are the nearest', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e10, max: 1e10, noNaN: true }), (value) => {
        const text = written((one) => one.decimal(value))
        assert.match(text, /^-?\d+\.\d{4}$/)
        assert.ok(Math.abs(Number(text) - value) <= 0.0000501)
      }),
    )
  })

  it('grows with what is written', () => {
    const long = 'größer '.repeat(5000)
    assert.equal(
      written((text) => {
        text.text(long)
        text.text('{}')
      }),
      `${long}{}`,
    )
  })
})
