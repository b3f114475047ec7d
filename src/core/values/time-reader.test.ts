import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { findDays } from './calendar.ts'
import { TimeReader } from './time-reader.ts'
import type { TimeRule } from './time-rules.ts'
import {
  geopackageDateTime,
  geoserverDateTime,
  isoDateTime,
  parameterDateTime,
  rfc3339,
  storedDateTime,
  textDateTime,
  xmlDateTime,
} from './time-rules.ts'

function parse(text: string, rule: TimeRule = isoDateTime): bigint | undefined {
  const bytes = Buffer.from(`<${text}>`)
  const reader = new TimeReader(rule)
  return reader.parse(bytes, 1, bytes.length - 1) ? BigInt(reader.sinceEpoch) : undefined
}

function parseTime(text: string): number | undefined {
  const reader = new TimeReader(isoDateTime)
  const bytes = Buffer.from(text)
  return reader.parseTime(bytes, 0, bytes.length) ? reader.micros : undefined
}

const second = 1_000_000n

describe('days', () => {
  it('are counted as the platform does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_162, max: 2_932_896 }), (day) => {
        const date = new Date(day * 86_400_000)
        assert.equal(findDays(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()), day)
      }),
    )
    assert.ok(Number.isNaN(findDays(1900, 2, 29)))
    assert.ok(Number.isNaN(findDays(2000, 13, 1)))
    assert.equal(findDays(2000, 2, 29), 11_016)
  })
})

describe('TimeReader', () => {
  it('reads every date-time as the platform does, part by part too', () => {
    const range = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') }
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
        const text = date.toISOString()
        const expected = BigInt(date.getTime()) * 1000n
        for (const form of [
          text,
          text.replace('T', ' '),
          text.replace('Z', '+00:00'),
          text.replace('Z', '00Z'),
        ])
          assert.equal(parse(form), expected, form)
      }),
    )
  })

  it('reads dates, blanks, fractions, offsets, leap seconds and the end of a day', () => {
    assert.equal(parse('1970-01-02'), 86_400n * second)
    assert.equal(parse('1970-01-01 00:01'), 60n * second)
    assert.equal(parse('1970-01-01T00:00:01.5'), 1_500_000n)
    assert.equal(parse('1970-01-01t00:00:01,5z'), 1_500_000n)
    assert.equal(parse('1970-01-01T00:00:00.123456789Z'), 123_456n)
    assert.equal(parse('1970-01-01T02:00:00+02:00'), 0n)
    assert.equal(parse('1970-01-01T00:00:00-0130'), 5400n * second)
    assert.equal(parse('1970-01-01T01:00:00+01'), 0n)
    assert.equal(parse('1970-01-01T23:59:60Z'), 86_400n * second)
    assert.equal(parse('1970-01-01T24:00:00Z'), 86_400n * second)
    assert.equal(parse('0000-02-29'), -719_469n * 86_400n * second)
  })

  it('refuses everything else', () => {
    for (const text of [
      '',
      '1970',
      '1970-1-1',
      '1970-02-30',
      '1970-00-10',
      '0000-00-00T03:04:05',
      '1970-01-01T',
      '70-01-01',

      '1970-01-01T24:00:01',
      '1970-01-01T25:00',
      '1970-01-01T00:60',
      '1970-01-01T00:00:61',
      '1970-01-01T12',
      '1970-01-01T00:00:00.',
      '1970-01-01T00:00:00+',
      '1970-01-01T00:00:00 Z',
      '1970-01-01x00:00:00',
      '1970-01-01T00:00:00Zz',
      '1970-01-01T00:00:00+24:00',
      '1970-01-01T00:00:00+05:',
      ' 1970-01-01',
    ]) {
      assert.equal(parse(text), undefined, text)
    }
  })

  it('takes what a rule adds, and only there', () => {
    const added: [TimeRule, string, bigint][] = [
      [xmlDateTime, '1970-02', 31n * 86_400n * second],
      [xmlDateTime, '1971', 365n * 86_400n * second],
      [geopackageDateTime, '1970-01-01T00:00:00-99:00', 99n * 3600n * second],
      [geopackageDateTime, '1970-01-01T01:00:00+01:', 0n],
      [textDateTime, ' 19700102 ', 86_400n * second],
      [textDateTime, '197002', 31n * 86_400n * second],
      [textDateTime, '197001010001', 60n * second],
      [textDateTime, '19700101000001', second],
      [textDateTime, '19700101T0001+0001', 0n],
      [textDateTime, '1970-01-01T01', 3600n * second],
      [parameterDateTime, '1970-01-01T01:00:00 01:00', 0n],
      [parameterDateTime, '1970-01-01T01:00:00 +01:00', 0n],
      [geoserverDateTime, '1970-01-01 00:00:01.5 UTC', 1_500_000n],
      [geoserverDateTime, '1970-01-01 00:00:01 GMT', second],
    ]
    for (const [rule, text, expected] of added) {
      assert.equal(parse(text, rule), expected, text)
      assert.equal(parse(text), undefined, text)
    }
    assert.equal(parse('1970-01-01T00:00:00,5Z', rfc3339), undefined)
    assert.equal(parse('1970-01-01T00:00:00+0100', rfc3339), undefined)
    assert.equal(parse('1970-01-01T00:00:00.1234560Z', storedDateTime), 123_456n)
    assert.equal(parse('1970-01-01T00:00:00.1234567Z', storedDateTime), undefined)
  })

  it('reads dates and times of the day alone', () => {
    const reader = new TimeReader(isoDateTime)
    assert.equal(reader.parseDate(Buffer.from('1970-01-02'), 0, 10), true)
    assert.equal(reader.days, 1)
    assert.equal(reader.parseDate(Buffer.from('1970-01-02T00:00:00Z'), 0, 20), false)
    assert.equal(parseTime('12:30'), 45_000_000_000)
    assert.equal(parseTime('12:30:00.5'), 45_000_500_000)
    assert.equal(parseTime('24:00:00'), 86_400_000_000)
    for (const text of ['12', '12:30Z', '24:00:01', '1:30', '12:30:'])
      assert.equal(parseTime(text), undefined, text)
  })

  it('gives exact microseconds far from 1970', () => {
    assert.equal(parse('0001-01-01T00:00:00.000001Z'), -62_135_596_799_999_999n)
    assert.equal(parse('9999-12-31T23:59:59.999999Z'), 253_402_300_799_999_999n)
  })
})
