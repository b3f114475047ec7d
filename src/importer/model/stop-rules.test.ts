import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainStopped } from './explain-stopped.ts'
import type { Measured, StopRules } from './stop-rules.ts'
import { findStopped } from './stop-rules.ts'

const calm: Measured = {
  rowsLoaded: 100,
  rowsBefore: 200,
  columns: [],
  crs: {},
  empty: {},
  values: {},
  outside: 0,
  changes: { added: 10, changed: 5, removed: 20, same: 175 },
}
const stoppedBy = (stopIf: StopRules, found: Partial<Measured> = {}): unknown[] =>
  findStopped(stopIf, { ...calm, ...found }).map(({ rule, measured }) => [rule, measured])

describe('what stops a load', () => {
  it('is nothing without rules', () => {
    assert.deepEqual(findStopped(undefined, calm), [])
    assert.deepEqual(findStopped({}, calm), [])
  })

  it('is more rows than a limit or a share allows', () => {
    assert.deepEqual(stoppedBy({ removed: { percent: 10, rows: 20 } }), [])
    assert.deepEqual(stoppedBy({ removed: { percent: 9.9 } }), [['removed', { rows: 20, percent: 10 }]])
    assert.deepEqual(stoppedBy({ removed: { rows: 19 } }), [['removed', { rows: 20, percent: 10 }]])
    assert.deepEqual(stoppedBy({ changed: { rows: 4 }, removed: {} }), [
      ['changed', { rows: 5, percent: 2.5 }],
    ])
    const whole = { changes: { ...calm.changes, changed: null } }
    assert.deepEqual(stoppedBy({ changed: { rows: 9 } }, whole), [['changed', { rows: 10, percent: 5 }]])
    assert.deepEqual(stoppedBy({ changed: { rows: 10 } }, whole), [])
    const none = { changes: { added: 1, changed: 0, removed: 0, same: 0 }, rowsBefore: 0 }
    assert.deepEqual(stoppedBy({ removed: { percent: 0 } }, none), [])
  })

  it('is a column with too many rows without a value, or with one that may not stand there', () => {
    const empty = { name: 6, constructor: 0 }
    assert.deepEqual(stoppedBy({ empty: { name: { percent: 6 }, toString: { rows: 0 } } }, { empty }), [])
    assert.deepEqual(stoppedBy({ empty: { name: { percent: 5 } } }, { empty }), [
      ['empty', { name: { rows: 6, percent: 6 } }],
    ])
    const values = { kind: { rows: 2, value: 'x' } }
    assert.deepEqual(stoppedBy({ values: { kind: { in: ['a'] }, pop: { min: 0 } } }, { values }), [
      ['values', { kind: { rows: 2, value: 'x' } }],
    ])
  })

  it('is another shape, another CRS, another place, or too few rows', () => {
    const gained = [{ name: 'a', change: 'gained' as const }]
    const lost = [{ name: 'b', change: 'lost' as const }]
    assert.deepEqual(stoppedBy({ columns: 'lost' }, { columns: gained }), [])
    assert.deepEqual(stoppedBy({ columns: 'any' }, { columns: gained }), [['columns', gained]])
    assert.deepEqual(stoppedBy({ columns: 'lost' }, { columns: [...gained, ...lost] }), [['columns', lost]])
    const crs = { from: 'EPSG:4326', to: 'EPSG:25833' }
    assert.deepEqual(stoppedBy({ crs: true }, { crs }), [['crs', 'EPSG:25833']])
    assert.deepEqual(stoppedBy({ crs: false }, { crs }), [])
    assert.deepEqual(stoppedBy({ crs: true }, { crs: { to: 'EPSG:4326' } }), [])
    assert.deepEqual(stoppedBy({ outside: [0, 0, 1, 1] }, { outside: 3 }), [['outside', { rows: 3 }]])
    assert.deepEqual(stoppedBy({ fewer: 101 }), [['fewer', 100]])
    assert.deepEqual(stoppedBy({ fewer: 100 }), [])
  })

  it('is told in words, with the limit and what was measured', () => {
    assert.equal(
      explainStopped(findStopped({ fewer: 101 }, calm)),
      'stopIf stopped the load: fewer (limit 101, found 100). Nothing was changed',
    )
    const output = (stopIf: StopRules, found: Partial<Measured>): string => {
      const text = explainStopped(findStopped(stopIf, { ...calm, ...found }))
      return text.replace('stopIf stopped the load: ', '').replace('. Nothing was changed', '')
    }
    assert.equal(output({ removed: { percent: 9.9 } }, {}), 'removed (limit 9.9 %, found 20 rows, 10 %)')
    assert.equal(
      output({ changed: { rows: 1, percent: 1 }, outside: [0, 0, 1.5, 1] }, { outside: 1 }),
      'changed (limit 1 row or 1 %, found 5 rows, 2.5 %); outside (limit within 0, 0, 1.5, 1, found 1 row)',
    )
    const empty = { name: 6, 'a "b"': 1 }
    assert.equal(
      output({ empty: { name: { percent: 5 }, 'a "b"': { rows: 0 } } }, { empty }),
      'empty ("name": limit 5 %, found 6 rows, 6 %; "a "b"": limit 0 rows, found 1 row, 1 %)',
    )
    const values = { kind: { rows: 2, value: 'x' }, pop: { rows: 1, value: '-1' } }
    assert.equal(
      output({ values: { kind: { in: ['a', null, true] }, pop: { min: 0, max: 9 } } }, { values }),
      'values ("kind": limit one of "a", null, true, found 2 rows, such as "x"; "pop": limit from 0 to 9, found 1 row, such as "-1")',
    )
    const columns = (['gained', 'lost', 'type'] as const).map((change) => ({ name: change, change }))
    assert.equal(
      output({ columns: 'any', crs: true }, { columns, crs: { from: 'EPSG:4326', to: 'EPSG:25833' } }),
      'columns (limit the same columns, found "gained" is new, "lost" is missing, "type" has another type); crs (limit EPSG:4326, found EPSG:25833)',
    )
  })
})
