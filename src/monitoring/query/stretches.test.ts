import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chooseStretches, nests } from './stretches.ts'

const day = 86_400
const marks = {
  hoursKeptFrom: 10 * day,
  minutesKeptFrom: 90 * day,
  daysRolledBefore: 96 * day,
  hoursRolledBefore: 97 * day,
}

function stretches(from: number, to: number, intervalSeconds: number): string[] {
  return chooseStretches({ from, to, intervalSeconds }, marks).map(
    (one) => `${one.from / day}-${one.to / day} by ${one.resolution}`,
  )
}

describe('the stretches of a window', () => {
  it('reads days where periods are whole days, finer rows where days are still to come', () => {
    assert.deepEqual(stretches(0, 100 * day, day), ['0-96 by 86400', '96-97 by 3600', '97-100 by 60'])
    assert.deepEqual(stretches(50 * day, 92 * day, 7 * day), ['50-92 by 86400'])
  })

  it('reads hours where periods are whole hours', () => {
    assert.deepEqual(stretches(95 * day, 98 * day, 7200), ['95-97 by 3600', '97-98 by 60'])
    assert.deepEqual(stretches(95.5 * day, 97 * day, day), ['95.5-97 by 3600'])
  })

  it('reads minutes where nothing coarser nests', () => {
    assert.deepEqual(stretches(95 * day, 96 * day, 5400), ['95-96 by 60'])
    assert.deepEqual(stretches(95 * day + 60, 96 * day + 60, 3600), [
      `${95 + 60 / day}-${96 + 60 / day} by 60`,
    ])
  })

  it('reads what is left where finer rows were removed', () => {
    assert.deepEqual(stretches(5 * day, 92 * day, 60), ['5-10 by 86400', '10-90 by 3600', '90-92 by 60'])
    assert.deepEqual(stretches(5 * day, 92 * day, 3600), ['5-10 by 86400', '10-92 by 3600'])
  })

  it('covers the window without a gap, never with rows that do not nest where finer ones are kept', () => {
    const days = fc.integer({ min: 0, max: 120 }).map((count) => count * day)
    const someMarks = fc.record({
      hoursRolledBefore: days,
      daysRolledBefore: days,
      minutesKeptFrom: days,
      hoursKeptFrom: days,
    })
    const ranges = fc.record({
      from: fc.integer({ min: 0, max: 100 * day }),
      count: fc.integer({ min: 1, max: 50 }),
      intervalSeconds: fc.constantFrom(60, 90, 3600, 5400, day, 7 * day),
    })
    fc.assert(
      fc.property(ranges, someMarks, ({ from, count, intervalSeconds }, some) => {
        const range = { from, to: from + count * intervalSeconds, intervalSeconds }
        const chosen = chooseStretches(range, some)
        assert.equal(chosen[0]?.from, range.from)
        assert.equal(chosen.at(-1)?.to, range.to)
        chosen.forEach((one, index) => {
          if (index > 0) assert.equal(one.from, chosen[index - 1]?.to)
          if (one.from >= some.minutesKeptFrom)
            assert.ok(one.resolution === 60 || nests(range, one.resolution))
        })
      }),
    )
  })
})
