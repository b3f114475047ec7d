import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isZone, ZoneDays } from './zone-days.ts'

const hours = (zone: string, time: string): [start: string, hours: number] => {
  const { start, end } = new ZoneDays(zone).dayOf(Date.parse(time) / 1000)
  return [new Date(start * 1000).toISOString(), (end - start) / 3600]
}

describe('days of a zone', () => {
  it('begin at midnight there, and have 23, 24 or 25 hours', () => {
    assert.deepEqual(hours('UTC', '2026-03-29T12:34:56Z'), ['2026-03-29T00:00:00.000Z', 24])
    assert.deepEqual(hours('Europe/Berlin', '2026-03-29T00:30:00Z'), ['2026-03-28T23:00:00.000Z', 23])
    assert.deepEqual(hours('Europe/Berlin', '2026-10-25T22:59:59Z'), ['2026-10-24T22:00:00.000Z', 25])
    assert.deepEqual(hours('Europe/Berlin', '2026-10-25T23:00:00Z'), ['2026-10-25T23:00:00.000Z', 24])
    assert.deepEqual(hours('Asia/Kolkata', '2026-06-01T18:30:00Z'), ['2026-06-01T18:30:00.000Z', 24])
    assert.deepEqual(hours('Australia/Lord_Howe', '2026-04-05T00:00:00Z'), ['2026-04-04T13:00:00.000Z', 24.5])
  })

  it('begin at one where there is no midnight', () => {
    assert.deepEqual(hours('Asia/Beirut', '2026-03-29T12:00:00Z'), ['2026-03-28T22:00:00.000Z', 23])
    assert.deepEqual(hours('America/Sao_Paulo', '2018-11-04T12:00:00Z'), ['2018-11-04T03:00:00.000Z', 23])
  })

  it('follow each other without a gap, whatever the zone and the time', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia', 'America/Sao_Paulo']
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 4e9 }), (zone, time) => {
        const days = new ZoneDays(zone)
        const day = days.dayOf(time)
        assert.ok(day.start <= time && time < day.end)
        assert.deepEqual(days.dayOf(day.start), day)
        assert.deepEqual(days.dayOf(day.end - 1), day)
        assert.equal(days.dayOf(day.end).start, day.end)
        assert.equal(days.dayOf(day.start - 1).end, day.start)
      }),
    )
  })

  it('are known by IANA names alone', () => {
    assert.deepEqual(['Europe/Berlin', 'UTC', 'Nowhere/City', '', '+01:00'].map(isZone), [
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
