import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { dayStart, daysLater, periodsBetween, runsOf } from './day-periods.ts'

const hourMs = 3_600_000
const { TZ: before } = process.env

function hoursOf(zone: string, from: string, to: string): number[] {
  process.env['TZ'] = zone
  return periodsBetween({ from: Date.parse(from), to: Date.parse(to) }, 'day').map(
    (one) => (one.to - one.from) / hourMs,
  )
}

describe('days of a place', () => {
  afterEach(() => {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  })

  it('have 23 and 25 hours where clocks are set', () => {
    assert.deepEqual(hoursOf('Europe/Zurich', '2026-03-27T23:00Z', '2026-03-30T22:00Z'), [24, 23, 24])
    assert.deepEqual(hoursOf('Europe/Zurich', '2026-10-23T22:00Z', '2026-10-26T23:00Z'), [24, 25, 24])
    assert.deepEqual(hoursOf('Australia/Lord_Howe', '2026-04-03T13:00Z', '2026-04-05T13:30Z'), [24, 24.5])
    assert.deepEqual(hoursOf('Asia/Kathmandu', '2026-10-23T18:15Z', '2026-10-25T18:15Z'), [24, 24])
  })

  it('are cut where the window begins and ends', () => {
    assert.deepEqual(hoursOf('UTC', '2026-01-01T06:00Z', '2026-01-03T03:00Z'), [18, 24, 3])
  })

  it('leave nothing out and count nothing twice, whatever the step', () => {
    for (const zone of ['Europe/Zurich', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'])
      for (const step of ['minute', 'quarter', 'hour', 'day'] as const) {
        process.env['TZ'] = zone
        const window = { from: Date.parse('2026-10-24T20:07Z'), to: Date.parse('2026-10-25T14:11Z') }
        const periods = periodsBetween(window, step)
        assert.equal(periods[0]?.from, window.from)
        assert.equal(periods.at(-1)?.to, window.to)
        for (const [index, one] of periods.entries()) {
          assert.ok(one.to > one.from)
          if (index > 0) assert.equal(one.from, periods[index - 1]?.to)
        }
      }
  })

  it('begin at midnight there, and the same time comes so many days later', () => {
    process.env['TZ'] = 'Europe/Zurich'
    const noon = Date.parse('2026-10-26T11:00Z')
    assert.equal(new Date(dayStart(noon)).toISOString(), '2026-10-25T23:00:00.000Z')
    assert.equal(new Date(daysLater(noon, -2)).toISOString(), '2026-10-24T10:00:00.000Z')
  })

  it('are asked for in few runs', () => {
    process.env['TZ'] = 'Europe/Zurich'
    const window = { from: Date.parse('2026-10-19T22:00Z'), to: Date.parse('2026-10-30T11:00Z') }
    const runs = runsOf(periodsBetween(window, 'day'))
    assert.deepEqual(
      runs.map(({ from, to, lengthMs }) => [(to - from) / hourMs, lengthMs / hourMs]),
      [
        [120, 24],
        [25, 25],
        [96, 24],
        [12, 12],
      ],
    )
  })
})
