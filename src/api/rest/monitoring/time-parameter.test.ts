import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { toMonitoringTime } from '../../compat/geonode-monitoring.ts'
import { parseTimeParameter } from './time-parameter.ts'

const iso = (text: string, dialect: 'contract' | 'geoserver' = 'contract'): string | undefined => {
  const time = parseTimeParameter(text, dialect)
  return time === undefined ? undefined : new Date(time).toISOString()
}

describe('parseWireTime', () => {
  it('takes a date, and a date with a time, in UTC where no zone is given', () => {
    assert.equal(iso('2026-11-21'), '2026-11-21T00:00:00.000Z')
    assert.equal(iso('2026-11-21 12:04:05'), '2026-11-21T12:04:05.000Z')
    assert.equal(iso('2026-11-21 12:04'), '2026-11-21T12:04:00.000Z')
  })

  it('takes ISO 8601 with T or a blank, a fraction and a zone', () => {
    assert.equal(iso('2026-11-21T12:04:05Z'), '2026-11-21T12:04:05.000Z')
    assert.equal(iso('2026-11-21T12:04:05.123456Z'), '2026-11-21T12:04:05.123Z')
    assert.equal(iso('2026-11-21T12:04:05.5+02:00'), '2026-11-21T10:04:05.500Z')
    assert.equal(iso('2026-11-21 00:04-0130'), '2026-11-21T01:34:00.000Z')
    assert.equal(iso('2026-11-21T12:04:05 +02'), '2026-11-21T10:04:05.000Z')
  })

  it('takes the blank that an unescaped plus sign becomes', () => {
    assert.equal(iso('2026-11-21T12:04:05 02:00'), '2026-11-21T10:04:05.000Z')
  })

  it('refuses days and times that there are not', () => {
    for (const text of [
      '2026-02-30',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '0001-01-01',
      '2026-1-1',
      '2026-01-01 24:00',
      '2026-01-01 12:60',
      '2026-01-01 12:00:60',
      '2026-01-01T12:00+19:00',
      '',
      'now',
      '1700000000',
      '2026-01-01T',
      '2026-01-01T12:00:00ZZ',
    ])
      assert.equal(iso(text), undefined, text)
    assert.equal(iso('2028-02-29'), '2028-02-29T00:00:00.000Z')
  })

  it('takes month, day and year in the dialect of older systems alone', () => {
    assert.equal(iso('11/21/2026 12:04:05', 'geoserver'), '2026-11-21T12:04:05.000Z')
    assert.equal(iso('1/2/26', 'geoserver'), '2026-01-02T00:00:00.000Z')
    assert.equal(iso('02/30/2026', 'geoserver'), undefined)
    assert.equal(iso('11/21/2026'), undefined)
  })

  it('reads what toWireTime writes', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date('1000-01-01'), max: new Date('9999-12-31') }),
        (date) => {
          for (const dialect of ['contract', 'geoserver'] as const)
            assert.equal(
              parseTimeParameter(toMonitoringTime(date.getTime(), dialect), dialect),
              date.getTime(),
            )
        },
      ),
    )
  })

  it('gives a moment or nothing for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const time = parseTimeParameter(text, 'geoserver')
        assert.ok(time === undefined || Number.isSafeInteger(time))
      }),
    )
  })
})

describe('toWireTime', () => {
  it('writes ISO 8601 in UTC, with six digits of fraction in the dialect of older systems', () => {
    const time = Date.UTC(2026, 10, 21, 12, 4)
    assert.equal(toMonitoringTime(time, 'contract'), '2026-11-21T12:04:00.000Z')
    assert.equal(toMonitoringTime(time, 'geoserver'), '2026-11-21T12:04:00.000000Z')
  })
})
