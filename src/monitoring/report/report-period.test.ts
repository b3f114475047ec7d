import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ZoneDays } from '../../core/values/zone-days.ts'
import {
  keyBefore,
  lengthOf,
  monthStarts,
  monthsOf,
  parseReportDate,
  periodBefore,
  spanOf,
} from './report-period.ts'

const october = { first: '2026-10-01', last: '2026-10-31', isMonths: true }

describe('the period of a report', () => {
  it('is read from months and days, and from nothing else', () => {
    assert.deepEqual(
      [parseReportDate('2024-02', 'first'), parseReportDate('2024-02', 'last')],
      ['2024-02-01', '2024-02-29'],
    )
    assert.equal(parseReportDate('2026-10-05', 'last'), '2026-10-05')
    for (const text of ['2026-13', '2026-02-30', '2026', '2026-1-1', 'x', ''])
      assert.equal(parseReportDate(text, 'first'), undefined)
  })

  it('begins and ends at midnight of the zone, with days of 23 and 25 hours', () => {
    const berlin = new ZoneDays('Europe/Berlin')
    assert.deepEqual(spanOf(berlin, { first: '2026-10-25', last: '2026-10-25' }), {
      from: Date.UTC(2026, 9, 24, 22) / 1000,
      to: Date.UTC(2026, 9, 25, 23) / 1000,
    })
    const march = spanOf(berlin, { first: '2026-03-29', last: '2026-03-29' })
    assert.equal(march.to - march.from, 23 * 3600)
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC'])
      assert.equal(
        new ZoneDays(zone).dateNumber(spanOf(new ZoneDays(zone), october).from),
        Date.UTC(2026, 9, 1) / 86_400_000,
      )
    assert.deepEqual(
      monthStarts(new ZoneDays('UTC'), { first: '2026-09-01', last: '2026-10-15', isMonths: false }),
      [Date.UTC(2026, 8, 1) / 1000, Date.UTC(2026, 9, 1) / 1000, Date.UTC(2026, 9, 16) / 1000],
    )
  })

  it('is compared with as many months or days before, or with a year ago', () => {
    assert.deepEqual(periodBefore(october, 'previous'), {
      first: '2026-09-01',
      last: '2026-09-30',
      isMonths: true,
    })
    assert.deepEqual(periodBefore(october, 'year'), {
      first: '2025-10-01',
      last: '2025-10-31',
      isMonths: true,
    })
    const days = { first: '2026-03-01', last: '2026-03-10', isMonths: false }
    assert.deepEqual(periodBefore(days, 'previous'), {
      first: '2026-02-19',
      last: '2026-02-28',
      isMonths: false,
    })
    assert.equal(keyBefore('2026-03-02', days, 'previous'), '2026-02-20')
    assert.equal(
      keyBefore('2024-02-29', { first: '2024-02-01', last: '2024-02-29', isMonths: true }, 'year'),
      '2023-02-28',
    )
    const quarter = { first: '2026-07-01', last: '2026-09-30', isMonths: true }
    assert.deepEqual(
      monthsOf(quarter).map((month) => keyBefore(month, quarter, 'previous')),
      ['2026-04', '2026-05', '2026-06'],
    )
    assert.equal(lengthOf(quarter), 92)
  })
})
