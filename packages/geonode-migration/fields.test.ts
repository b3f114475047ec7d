import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countField, durationField, numberField, textField, timeField } from './fields.ts'
import type { DumpRecord } from './read-dump.ts'

function of(x: unknown): DumpRecord {
  return { model: 'metricvalue', pk: '1', fields: { x } }
}

describe('fields of a dump', () => {
  it('hold times with or without a zone, in UTC, between 1990 and 2200', () => {
    const ten = Date.parse('2021-07-01T10:00:00Z')
    for (const text of ['2021-07-01T10:00:00Z', '2021-07-01 10:00:00', '2021-07-01T12:00:00+02:00'])
      assert.equal(timeField(of(text), 'x'), ten, text)
    assert.equal(timeField(of('2021-07-01T10:00:00.123456+00:00'), 'x'), ten + 123)
    for (const text of ['1970-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 'now', '10:00'])
      assert.throws(() => timeField(of(text), 'x'), /x is not a time/, text)
  })

  it('hold lengths of time as text, in the forms of two versions', () => {
    const forms: [string, number | undefined][] = [
      ['00:01:00', 60],
      ['1 00:00:00', 86_400],
      ['2 days, 0:00:01', 172_801],
      ['P0DT00H10M00S', 600],
      ['00:00:59.9', 59],
      ['00:00:00', undefined],
      ['a minute', undefined],
    ]
    for (const [text, seconds] of forms) assert.equal(durationField(of(text), 'x'), seconds, text)
  })

  it('hold numbers as numbers and as decimal text, within the range of GeoNode', () => {
    assert.equal(numberField(of('12.5000'), 'x'), 12.5)
    assert.equal(numberField(of(null), 'x'), undefined)
    for (const value of [1e16, '-1e16', Number.POSITIVE_INFINITY, '9'.repeat(400)])
      assert.throws(() => numberField(of(value), 'x'), /x is out of range/, String(value))
    for (const value of ['ten', [1], {}, true, 'NaN'])
      assert.throws(() => numberField(of(value), 'x'), /x is not a number/, String(value))
    assert.deepEqual(
      [2.9, -3, null].map((value) => countField(of(value), 'x')),
      [2, 0, 0],
    )
  })

  it('hold texts that every database takes', () => {
    assert.equal(textField(of('a\0b\ud800'), 'x'), 'ab\ufffd')
    assert.equal(textField(of('界'.repeat(3000)), 'x').length, 500)
    assert.equal(textField(of(7), 'x'), '7')
    assert.throws(() => textField(of({}), 'x'), /x is not text/)
  })
})
