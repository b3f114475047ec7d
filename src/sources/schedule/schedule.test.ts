import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../core/errors/errors.ts'
import { checkSchedule, nextTime } from './schedule.ts'

const timeZone = 'Europe/Berlin'

function times(cron: string, from: string, until: string, zone = timeZone): string[] {
  const found: string[] = []
  for (let at = new Date(from); ; ) {
    const next = nextTime({ cron, timeZone: zone }, at)
    if (next === undefined || next.getTime() > Date.parse(until)) return found
    found.push(next.toISOString())
    at = next
  }
}

describe('a schedule', () => {
  it('fires at the wall-clock time of its time zone, in summer and in winter', () => {
    assert.deepEqual(times('0 3 * * *', '2026-07-01T00:00:00Z', '2026-07-02T12:00:00Z'), [
      '2026-07-01T01:00:00.000Z',
      '2026-07-02T01:00:00.000Z',
    ])
    assert.deepEqual(times('0 3 * * *', '2026-12-01T00:00:00Z', '2026-12-01T12:00:00Z'), [
      '2026-12-01T02:00:00.000Z',
    ])
  })

  it('runs once at the end of an hour that daylight saving skips', () => {
    const day = ['2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z'] as const
    assert.deepEqual(times('30 2 * * *', ...day), ['2026-03-29T01:00:00.000Z'])
    assert.deepEqual(times('*/20 2 * * *', ...day), ['2026-03-29T01:00:00.000Z'])
    assert.deepEqual(times('0 2,3 * * *', ...day), ['2026-03-29T01:00:00.000Z'])
  })

  it('runs once in an hour that is repeated', () => {
    const day = ['2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z'] as const
    assert.deepEqual(times('30 2 * * *', ...day), ['2026-10-25T00:30:00.000Z'])
    assert.deepEqual(times('0 1-4 * * *', ...day), [
      '2026-10-24T23:00:00.000Z',
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
      '2026-10-25T03:00:00.000Z',
    ])
  })

  it('knows zones whose clocks change by half an hour and at midnight', () => {
    assert.deepEqual(
      times('15 2 * * *', '2026-10-03T00:00:00Z', '2026-10-04T12:00:00Z', 'Australia/Lord_Howe'),
      ['2026-10-03T15:30:00.000Z'],
    )
    assert.deepEqual(times('0 0 * * *', '2026-09-05T12:00:00Z', '2026-09-06T12:00:00Z', 'America/Santiago'), [
      '2026-09-06T04:00:00.000Z',
    ])
  })

  it('takes nicknames and refuses what no calendar has', () => {
    const now = new Date('2026-01-01T00:00:00Z')
    checkSchedule({ cron: '@daily', timeZone }, now)
    for (const [cron, zone, text] of [
      ['0 3 * * * *', timeZone, /minute, hour, day of month/],
      ['99 3 * * *', timeZone, /is not a schedule/],
      ['', timeZone, /is not a schedule/],
      ['0 0 30 2 *', timeZone, /matches no date/],
      ['0 3 * * *', 'Europe/Nowhere', /is not a time zone/],
    ] as const)
      assert.throws(
        () => checkSchedule({ cron, timeZone: zone }, now),
        (error) => error instanceof Failure && error.code === 'invalid-schedule' && text.test(error.message),
      )
  })
})
