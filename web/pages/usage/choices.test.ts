import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { Windows } from './choices.ts'
import { choicesOf, windowsOf } from './choices.ts'

const hourMs = 3_600_000
const { TZ: zoneBefore } = process.env

function windowsAt(now: string, query: string, zone = 'UTC'): Windows {
  process.env['TZ'] = zone
  return windowsOf(choicesOf(new URLSearchParams(query)), Date.parse(now))
}

const texts = (times: readonly (number | undefined)[]): string[] =>
  times.map((time) => new Date(time ?? 0).toISOString().slice(0, 16))

describe('windows of the page of usage', () => {
  afterEach(() => {
    if (zoneBefore === undefined) delete process.env['TZ']
    else process.env['TZ'] = zoneBefore
  })

  for (const time of ['00:00:00', '00:00:30', '00:01:00', '00:14:59', '12:00:00', '23:59:59'])
    it(`are 30 days, and the 30 before them, at ${time}`, () => {
      const { periods, before } = windowsAt(`2026-11-23T${time}Z`, 'span=30d')
      assert.deepEqual([periods.length, before.length], [30, 30])
      assert.deepEqual(texts([periods[0]?.from, periods[29]?.from]), ['2026-10-25T00:00', '2026-11-23T00:00'])
      assert.deepEqual(texts([before[0]?.from, before[28]?.to]), ['2026-09-25T00:00', '2026-10-24T00:00'])
    })

  for (const time of ['00:00:00', '00:07:30', '06:00:00', '12:00:00', '18:01:00', '23:59:59'])
    for (const [span, hours] of [
      ['24h', 24],
      ['7d', 168],
    ] as const)
      it(`are ${span}, and as long before, at ${time}`, () => {
        const { window, before } = windowsAt(`2026-11-23T${time}Z`, `span=${span}`)
        assert.equal(window.from - (before[0]?.from ?? 0), hours * hourMs)
        assert.equal(window.to - (before.at(-1)?.to ?? 0), hours * hourMs)
      })

  it('are whole days where clocks are set', () => {
    const { periods, before } = windowsAt('2026-11-22T23:03:00Z', 'span=30d', 'Europe/Zurich')
    assert.equal(periods.length, 30)
    assert.deepEqual(texts([periods[0]?.from, periods[1]?.from]), ['2026-10-24T22:00', '2026-10-25T23:00'])
    assert.deepEqual(texts([before[0]?.from, before[29]?.from]), ['2026-09-24T22:00', '2026-10-23T22:00'])
  })

  it('are the days that somebody chose, until now', () => {
    const { periods, before } = windowsAt('2026-11-23T00:00:10Z', 'span=range&from=2026-11-01&to=2026-11-23')
    assert.deepEqual([periods.length, before.length], [23, 23])
    assert.deepEqual(texts([before[0]?.from]), ['2026-10-09T00:00'])
  })
})
