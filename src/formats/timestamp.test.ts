import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { epochDay } from './epoch-day.ts'
import { parseTimestamp } from './timestamp.ts'

function parse(text: string): bigint | undefined {
  const bytes = Buffer.from(`<${text}>`)
  return parseTimestamp(bytes, 1, bytes.length - 1)
}

describe('dates and times', () => {
  it('counts days as the platform does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -719162, max: 2932896 }), (day) => {
        const date = new Date(day * 86_400_000)
        assert.equal(epochDay(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()), day)
      }),
    )
    assert.equal(epochDay(1900, 2, 29), undefined)
    assert.equal(epochDay(2000, 2, 29), 11016)
  })

  it('reads every date-time as the platform does', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0001-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59Z'),
          noInvalidDate: true,
        }),
        (date) => {
          assert.equal(parse(date.toISOString()), BigInt(date.getTime()) * 1000n)
        },
      ),
    )
  })

  it('reads dates, blanks, fractions and offsets', () => {
    assert.equal(parse('1970-01-02'), 86_400_000_000n)
    assert.equal(parse('1970-01-01 00:01'), 60_000_000n)
    assert.equal(parse('1970-01-01T00:00:01.5'), 1_500_000n)
    assert.equal(parse('1970-01-01T00:00:00.123456789Z'), 123_456n)
    assert.equal(parse('1970-01-01T02:00:00+02:00'), 0n)
    assert.equal(parse('1970-01-01T00:00:00-0130'), 5_400_000_000n)
    assert.equal(parse('1970-01-01T01:00:00+01'), 0n)
  })

  it('refuses everything else', () => {
    const texts = [
      '',
      '1970',
      '1970-1-1',
      '1970-02-30',
      '0000-00-00T03:04:05',
      '1970-01-01T',
      '1970-01-01T24:00:00',
    ]
    texts.push(
      '1970-01-01T00:00:00.',
      '1970-01-01T00:00:00+',
      '1970-01-01T00:00:00 Z',
      '1970-01-01x00:00:00',
      '1970-01-01T00:00:00Zz',
    )
    for (const text of texts) assert.equal(parse(text), undefined, text)
  })
})
