import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseTime, timeSelectionText } from './time-selection.ts'

const span = (text: string): string[] => {
  const { fromMs, toMs } = parseTime(text) ?? { fromMs: Number.NaN, toMs: Number.NaN }
  return [fromMs, toMs].map((ms) => (Number.isFinite(ms) ? new Date(ms).toISOString() : String(ms)))
}

describe('the time of a mosaic', () => {
  it('is an instant, or all of a minute, day, month or year', () => {
    assert.deepEqual(span('2020-02-03T04:05:06Z'), ['2020-02-03T04:05:06.000Z', '2020-02-03T04:05:06.000Z'])
    assert.deepEqual(span('2020-02-03T04:05+01:00'), ['2020-02-03T03:05:00.000Z', '2020-02-03T03:05:59.999Z'])
    assert.deepEqual(span('2020-02-29'), ['2020-02-29T00:00:00.000Z', '2020-02-29T23:59:59.999Z'])
    assert.deepEqual(span('2020-12'), ['2020-12-01T00:00:00.000Z', '2020-12-31T23:59:59.999Z'])
    assert.deepEqual(span('1999'), ['1999-01-01T00:00:00.000Z', '1999-12-31T23:59:59.999Z'])
  })

  it('is an interval, whose ends may be open', () => {
    assert.deepEqual(span('2019/2020-01'), ['2019-01-01T00:00:00.000Z', '2020-01-31T23:59:59.999Z'])
    assert.deepEqual(span('../2020'), ['-Infinity', '2020-12-31T23:59:59.999Z'])
    assert.deepEqual(span('../..'), ['-Infinity', 'Infinity'])
    for (const text of ['2019/2020-01', '../2020', '2020-02-03T04:05:06Z'])
      assert.deepEqual(parseTime(timeSelectionText(parseTime(text) ?? assert.fail())), parseTime(text))
  })

  it('is the newest where nothing is said, and nothing else', () => {
    for (const text of [undefined, '', 'current']) assert.equal(parseTime(text), undefined)
    for (const text of [
      'now',
      '2020-13',
      '2020-02-30',
      '1/2/3',
      '2021/2020',
      '2020-01-01T25:00',
      'x'.repeat(9999),
    ])
      assert.throws(() => parseTime(text), { code: 'invalid-time' })
  })
})
