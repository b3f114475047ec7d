import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseDate, parseTimestamp } from '../../formats/geopackage/append-value.ts'
import type { Instant } from './date-digits.ts'
import {
  dateBytes,
  instantBytes,
  isWritableDay,
  splitInstant,
  writeDate,
  writeInstant,
} from './date-digits.ts'

const decoder = new TextDecoder()

function dateText(days: number): string {
  const bytes = new Uint8Array(dateBytes)
  writeDate(bytes, 0, days)
  return decoder.decode(bytes)
}

function instantText(micros: bigint): string {
  const halves = new Int32Array(new BigInt64Array([micros]).buffer)
  const instant: Instant = { days: 0, micros: 0 }
  splitInstant(halves[1] as number, halves[0] as number, instant)
  const bytes = new Uint8Array(instantBytes(instant))
  writeInstant(bytes, 0, instant)
  return decoder.decode(bytes)
}

describe('writeDate', () => {
  it('writes every day of the years 0 to 9999 as the calendar has it', () => {
    for (let days = -719_528; days <= 2_932_896; days += 1) {
      if (days % 97 === 0 || Math.abs(days) < 800) {
        assert.equal(dateText(days), new Date(days * 86_400_000).toISOString().slice(0, 10))
      }
    }
    assert.deepEqual([dateText(-719_528), dateText(2_932_896)], ['0000-01-01', '9999-12-31'])
    assert.deepEqual([isWritableDay(-719_529), isWritableDay(2_932_897)], [false, false])
  })

  it('is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (days) =>
        assert.equal(parseDate(dateText(days)), days),
      ),
    )
  })
})

describe('writeInstant', () => {
  it('writes milliseconds, and microseconds where there are any', () => {
    assert.equal(instantText(0n), '1970-01-01T00:00:00.000Z')
    assert.equal(instantText(-1n), '1969-12-31T23:59:59.999999Z')
    assert.equal(instantText(1_709_210_096_789_000n), '2024-02-29T12:34:56.789Z')
  })

  it('is read back over the whole range, to the microsecond', () => {
    const micros = fc.bigInt({ min: -62_167_219_200_000_000n, max: 253_402_300_799_999_999n })
    fc.assert(fc.property(micros, (value) => assert.equal(parseTimestamp(instantText(value)), value)))
  })
})
