import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseDate, parseTimestamp } from './temporal.ts'
import { daysInBytes, microsInBytes } from './temporal-bytes.ts'

const inBytes = (read: typeof daysInBytes, text: string): number => {
  const bytes = new TextEncoder().encode(`x${text}y`)
  return read(bytes, 1, bytes.length - 1)
}

const two = fc.integer({ min: 0, max: 62 }).map((value) => String(value).padStart(2, '0'))
const year = fc.integer({ min: 0, max: 9999 }).map((value) => String(value).padStart(4, '0'))
const date = fc.tuple(year, two, two).map((parts) => parts.join('-'))

describe('dates and times in bytes', () => {
  it('are read as texts are, and refused where those are', () => {
    fc.assert(
      fc.property(date, (text) => {
        const days = inBytes(daysInBytes, text)
        assert.equal(Number.isNaN(days) ? undefined : days, parseDate(text))
      }),
      { numRuns: 2000 },
    )
    const time = fc.tuple(date, two, two, two, fc.constantFrom('', '.000', '.789'))
    fc.assert(
      fc.property(time, ([day, hour, minute, second, fraction]) => {
        const text = `${day}T${hour}:${minute}:${second}${fraction}Z`
        const micros = inBytes(microsInBytes, text)
        if (Number.isNaN(micros)) {
          const known = parseTimestamp(text)
          assert.ok(known === undefined || known > 2n ** 53n - 1n || known < -(2n ** 53n))
        } else assert.equal(BigInt(micros), parseTimestamp(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('knows the days that there are', () => {
    assert.equal(inBytes(daysInBytes, '1970-01-01'), 0)
    assert.equal(inBytes(daysInBytes, '2000-02-29'), 11_016)
    for (const text of [
      '1900-02-29',
      '2023-02-29',
      '2024-13-01',
      '2024-04-31',
      '2024-00-10',
      '2024-1-011',
      '2024/01/01',
    ])
      assert.ok(Number.isNaN(inBytes(daysInBytes, text)), text)
  })
})
