import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compileDateFormat, DatePatternError } from './simple-date-format.ts'

const now = new Date('2026-11-21T00:00:00Z')
const cases = JSON.parse(
  readFileSync(new URL('../../tests/fixtures/dates/simple-date-format.json', import.meta.url), 'utf8'),
) as [pattern: string, text: string, expected: number | null][]
/** When java.util.GregorianCalendar switches from the Julian calendar. */
const cutover = Date.UTC(1582, 9, 15)

function parse(pattern: string, text: string): number | null {
  const bytes = Buffer.from(text)
  const time = compileDateFormat(pattern, now).parse(bytes, 0, bytes.length)
  return Number.isNaN(time) ? null : time
}

describe('compileDateFormat', () => {
  it('makes of every text of the table what java.text.SimpleDateFormat makes', () => {
    const wrong = cases.filter(([pattern, text, expected]) => {
      const found = parse(pattern, text)
      return found !== expected && !(expected === null && found !== null && found < cutover)
    })
    assert.deepEqual(wrong, [])
    assert.ok(cases.filter(([, , expected]) => expected !== null).length > 1000)
  })

  it('keeps the text of dates before 1582', () => {
    assert.equal(parse('yyyy-MM-dd', '1500-02-28'), Date.UTC(1500, 1, 28))
    assert.equal(parse('yyyy-MM-dd', '1500-02-29'), null)
  })

  it('knows whether a pattern has a time', () => {
    assert.equal(compileDateFormat('yyyy-MM-dd', now).hasTime, false)
    assert.equal(compileDateFormat("yyyy 'H'", now).hasTime, false)
    for (const letter of 'aHkKhmsSzZX') assert.equal(compileDateFormat(`yyyy ${letter}`, now).hasTime, true)
  })

  it('refuses patterns that mean nothing', () => {
    for (const pattern of ['yyyy-bb', "yyyy 'T", 'XXXX', 'y'.repeat(300)]) {
      assert.throws(() => compileDateFormat(pattern, now), DatePatternError, pattern)
    }
  })

  it('bears any text', () => {
    const patterns = [...new Set(cases.map(([pattern]) => pattern))].map((pattern) =>
      compileDateFormat(pattern, now),
    )
    fc.assert(
      fc.property(fc.constantFrom(...patterns), fc.uint8Array({ maxLength: 40 }), (format, bytes) => {
        assert.equal(typeof format.parse(bytes, 0, bytes.length), 'number')
      }),
      { numRuns: 2000 },
    )
  })
})
