import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayStart, daysLater, periodsBetween } from '../../lib/day-periods.ts'
import { daysSince, hoursOfWeek } from './week-hours.ts'

// A Monday.
const monday = dayStart(new Date(2026, 10, 2, 12).getTime())
const span = { from: monday, to: daysLater(monday, 14) }
const periods = periodsBetween(span, 'hour')
const values = periods.map(() => 10)

describe('hoursOfWeek', () => {
  it('is the mean of the weeks that were counted', () => {
    const hours = hoursOfWeek(
      periods,
      values.map((one, at) => (at < 7 * 24 ? one : 0)),
      span.from,
    )
    assert.deepEqual(new Set(hours.flat()), new Set([5]))
    assert.equal(daysSince(periods, span.from), 14)
  })

  it('divides by no hour before collection began', () => {
    const began = daysLater(monday, 9) + 3 * 3_600_000
    const counted = periods.map(({ from }) => (from >= began ? 10 : 0))
    const hours = hoursOfWeek(periods, counted, began)
    // Wednesday from 3:00 on to Sunday were counted once; the other days were not.
    const shown = hours.map((row) => row.filter((one) => one === 10).length)
    assert.deepEqual(shown, [0, 0, 21, 24, 24, 24, 24])
    assert.deepEqual(new Set(hours.flat()), new Set([null, 10]))
    assert.equal(daysSince(periods, began), 5)
  })
})
