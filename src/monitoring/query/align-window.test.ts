import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { RequestedWindow, TimeWindow } from './align-window.ts'
import { alignWindow, maxPeriods, periodStart } from './align-window.ts'

const now = Date.parse('2026-11-21T12:34:56.789Z')

function at(text: string): number {
  return Date.parse(`2026-11-${text.length > 8 ? text : `21T${text}`}Z`)
}

function align(requestedWindow: RequestedWindow, isAligned = true): TimeWindow {
  const window = alignWindow(requestedWindow, { now, isAligned })
  assert.ok('count' in window, `refused: ${JSON.stringify(window)}`)
  return window
}

function periods(window: TimeWindow): string[] {
  const clock = (time: number): string => new Date(time).toISOString().slice(11, 16)
  return Array.from({ length: window.count }, (_, index) =>
    [periodStart(window, index), periodStart(window, index + 1)].map(clock).join('-'),
  )
}

describe('the window of metric data', () => {
  it('widens 12:04-12:06 to the two five-minute periods it touches', () => {
    const window = align({ validFrom: at('12:04:00'), validTo: at('12:06:00'), intervalSeconds: 300 })
    assert.deepEqual(periods(window), ['12:00-12:05', '12:05-12:10'])
    assert.deepEqual([window.from, window.to], [at('12:00:00'), at('12:10:00')])
  })

  it('counts 12:22:50-12:28:12 from the beginning of the day', () => {
    const window = align({ validFrom: at('12:22:50'), validTo: at('12:28:12'), intervalSeconds: 300 })
    assert.deepEqual(periods(window), ['12:20-12:25', '12:25-12:30'])
  })

  it('counts from the minute of its start where that is asked for, such as from a midnight elsewhere', () => {
    const requested = { validFrom: at('20T22:15:40'), validTo: at('21T21:15:00'), intervalSeconds: 23 * 3600 }
    const window = align({ ...requested, isFromStart: true })
    assert.deepEqual(periods(window), ['22:15-21:15'])
    assert.deepEqual(periods(align(requested)), ['00:00-23:00', '23:00-22:00'])
  })

  it('gives one period for equal bounds, on a boundary too', () => {
    for (const time of ['12:00:00', '12:03:07']) {
      const window = align({ validFrom: at(time), validTo: at(time), intervalSeconds: 300 })
      assert.deepEqual(periods(window), ['12:00-12:05'])
    }
  })

  it('widens a window that is smaller than the interval', () => {
    const window = align({ validFrom: at('12:04:00'), validTo: at('12:05:00'), intervalSeconds: 3600 })
    assert.deepEqual(periods(window), ['12:00-13:00'])
  })

  it('keeps one grid over midnight where the interval does not divide the day', () => {
    const window = align({
      validFrom: at('20T20:00:00'),
      validTo: at('21T09:00:00'),
      intervalSeconds: 5 * 3600,
    })
    assert.deepEqual(periods(window), ['20:00-01:00', '01:00-06:00', '06:00-11:00'])
  })

  it('begins at the day of the start where the interval is longer than a day', () => {
    const window = align({
      validFrom: at('11T20:00:00'),
      validTo: at('21T00:00:00'),
      intervalSeconds: 7 * 86_400,
    })
    assert.deepEqual([window.from, window.to], [at('11T00:00:00'), at('25T00:00:00')])
  })

  it('ends now and is one interval long where no bound is given', () => {
    assert.deepEqual(periods(align({})), ['12:33-12:34', '12:34-12:35'])
    assert.deepEqual(periods(align({ intervalSeconds: 3600 })), ['11:00-12:00', '12:00-13:00'])
  })

  it('begins one interval before the end where only that is given', () => {
    const window = align({ validTo: at('10:00:00'), intervalSeconds: 600 })
    assert.deepEqual(periods(window), ['09:50-10:00'])
  })

  it('takes the last seconds up to the last complete minute, counted from their start', () => {
    assert.deepEqual(periods(align({ lastSeconds: 600, intervalSeconds: 600 })), ['12:24-12:34'])
    assert.equal(align({ lastSeconds: 86_400 }).intervalSeconds, 60)
    assert.equal(align({ lastSeconds: 86_400 }).count, 1440)
    assert.deepEqual(periods(align({ lastSeconds: 60 })), ['12:33-12:34'])
  })

  it('takes minutes up to a day, hours up to 31 days, days beyond', () => {
    const interval = (seconds: number): number =>
      align({ validFrom: now - seconds * 1000, validTo: now }).intervalSeconds
    assert.deepEqual([86_400, 86_401].map(interval), [60, 3600])
    assert.deepEqual([31 * 86_400, 31 * 86_400 + 1].map(interval), [3600, 86_400])
  })

  it('starts at the asked time and tells the asked end where it is not aligned', () => {
    const requested = { validFrom: at('12:04:10'), validTo: at('12:16:00'), intervalSeconds: 300 }
    const window = align(requested, false)
    assert.deepEqual(periods(window), ['12:04-12:09', '12:09-12:14', '12:14-12:19'])
    assert.deepEqual([window.from, window.to], [requested.validFrom, requested.validTo])
  })

  it('cuts the year of the older systems into twelve periods', () => {
    const requested = { validFrom: Date.parse('2018-09-11T20:00Z'), validTo: Date.parse('2019-09-11T20:00Z') }
    assert.equal(align({ ...requested, intervalSeconds: 2_628_000 }, false).count, 12)
  })

  it('refuses an end before the start', () => {
    const requested = { validFrom: at('12:00:01'), validTo: at('12:00:00') }
    assert.deepEqual(alignWindow(requested, { now }), { refusal: 'ends-before-start' })
    assert.deepEqual(alignWindow({ validFrom: now + 1 }, { now }), { refusal: 'ends-before-start' })
  })

  it('takes 11,000 periods and not one more', () => {
    const requested = { validFrom: at('01T00:00:00'), intervalSeconds: 60 }
    assert.equal(align({ ...requested, validTo: requested.validFrom + 11_000 * 60_000 }).count, 11_000)
    assert.deepEqual(
      alignWindow({ ...requested, validTo: requested.validFrom + 11_000 * 60_000 + 1 }, { now }),
      { refusal: 'too-many-periods', periods: 11_001, fittingSeconds: 120 },
    )
  })
})

const times = fc.integer({ min: Date.parse('1990-01-01'), max: Date.parse('2100-01-01') })
const spans = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 86_400_000 }), fc.nat(4e11))
const intervals = fc.oneof(fc.constantFrom(60, 300, 3600, 86_400), fc.integer({ min: 60, max: 40 * 86_400 }))

describe('every window', () => {
  const requestedWindows = fc
    .tuple(times, spans, intervals)
    .map(([validFrom, span, intervalSeconds]) => ({ validFrom, validTo: validFrom + span, intervalSeconds }))

  it('covers what was asked for with whole periods, none of them needless', () => {
    fc.assert(
      fc.property(requestedWindows, fc.boolean(), (requested, isAligned) => {
        const window = alignWindow(requested, { now, isAligned })
        if (!('count' in window)) return
        const end = periodStart(window, window.count)
        assert.ok(window.from <= requested.validFrom && end >= requested.validTo)
        assert.ok(periodStart(window, 1) > requested.validFrom)
        assert.ok(window.count === 1 || periodStart(window, window.count - 1) < requested.validTo)
        if (isAligned) assert.equal(window.to, end)
      }),
    )
  })

  it('stands on the grid of the day it begins in', () => {
    fc.assert(
      fc.property(requestedWindows, (requested) => {
        const window = alignWindow(requested, { now })
        if (!('count' in window)) return
        const midnight = Math.floor(requested.validFrom / 86_400_000) * 86_400_000
        assert.equal((window.from - midnight) % (requested.intervalSeconds * 1000), 0)
        assert.ok(window.from >= midnight)
      }),
    )
  })

  it('is refused only with an interval that fits', () => {
    fc.assert(
      fc.property(requestedWindows, fc.boolean(), (requested, isAligned) => {
        const window = alignWindow(requested, { now, isAligned })
        if (!('refusal' in window) || window.refusal !== 'too-many-periods') return
        assert.ok(window.periods > maxPeriods)
        const fitting = alignWindow(
          { ...requested, intervalSeconds: window.fittingSeconds },
          { now, isAligned },
        )
        assert.ok('count' in fitting && fitting.count <= maxPeriods)
      }),
    )
  })

  it('follows from a default interval that never makes too many periods below 30 years', () => {
    fc.assert(
      fc.property(times, fc.nat(30 * 365 * 86_400_000), (validFrom, span) => {
        assert.ok('count' in alignWindow({ validFrom, validTo: validFrom + span }, { now }))
      }),
    )
  })
})
