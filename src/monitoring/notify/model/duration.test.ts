import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { durationText, parseDuration, readableDuration } from './duration.ts'

describe('durations', () => {
  it('are read as HH:MM:SS, MM:SS, seconds, and with days in front', () => {
    assert.deepEqual(
      ['00:10:00', '10:00', '600', '1 00:00:01', '2 days, 01:00:00', '36:00:00'].map(parseDuration),
      [600, 600, 600, 86_401, 176_400, 129_600],
    )
  })

  it('are nothing else', () => {
    for (const text of [
      '',
      'x',
      '-1',
      '1:2:3:4',
      'NaN',
      '1e3',
      'Infinity',
      '999999999',
      '00:10:00\r\nBcc: x',
    ])
      assert.equal(parseDuration(text), undefined, text)
  })

  it('are written as they are read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 31_000_000 }), (seconds) => {
        assert.equal(parseDuration(durationText(seconds)), seconds)
      }),
    )
  })

  it('of any text never throw', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const seconds = parseDuration(text)
        assert.ok(seconds === undefined || (seconds >= 0 && Number.isFinite(seconds)))
      }),
    )
  })

  it('are said with at most two units', () => {
    assert.deepEqual([0, 1, 120, 5400, 90_061].map(readableDuration), [
      '0 seconds',
      '1 second',
      '2 minutes',
      '1 hour 30 minutes',
      '1 day 1 hour',
    ])
  })
})
