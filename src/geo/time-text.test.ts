import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dateText, timestampText, timeText } from './time-text.ts'

describe('times as text', () => {
  it('writes days before and after 1970', () => {
    assert.equal(dateText(0), '1970-01-01')
    assert.equal(dateText(-1), '1969-12-31')
    assert.equal(dateText(2_932_896), '9999-12-31')
    assert.equal(dateText(-719_529), '-000001-12-31')
  })

  it('writes every day that 32 bits hold, and infinite ones as PostgreSQL does', () => {
    assert.equal(dateText(100_000_001), '+275760-09-14')
    assert.equal(dateText(2_145_042_904), '+5874897-12-30')
    assert.equal(dateText(-100_000_001), '-271821-04-19')
    assert.equal(dateText(2 ** 31 - 1), 'infinity')
    assert.equal(dateText(-(2 ** 31)), '-infinity')
    assert.equal(timestampText(2n ** 63n - 1n), 'infinity')
    assert.equal(timestampText(-(2n ** 63n)), '-infinity')
  })

  it('keeps microseconds and drops a fraction of nothing', () => {
    assert.equal(timestampText(0n), '1970-01-01T00:00:00Z')
    assert.equal(timestampText(1_714_564_800_123_456n), '2024-05-01T12:00:00.123456Z')
    assert.equal(timestampText(1_714_564_800_120_000n), '2024-05-01T12:00:00.120Z')
  })

  it('counts back from 1970 without losing a microsecond', () => {
    assert.equal(timestampText(-1n), '1969-12-31T23:59:59.999999Z')
  })

  it('writes times of day', () => {
    assert.equal(timeText(86_399_999_999n), '23:59:59.999999')
    assert.equal(timeText(3_600_000_000n), '01:00:00')
  })
})
