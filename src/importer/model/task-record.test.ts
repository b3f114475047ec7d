import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findRejectFault, rejectLimitOf } from './task-record.ts'

describe('reject limit', () => {
  it('is 5 % of the rows but at least one, and none for REPLACE', () => {
    const limit = rejectLimitOf({ updateMode: 'CREATE' })
    assert.equal(findRejectFault(limit, { rowsRead: 100, rejected: 5 }), undefined)
    assert.match(findRejectFault(limit, { rowsRead: 100, rejected: 6 }) ?? '', /6 of 100 rows .* the 5 that/)
    assert.equal(findRejectFault(limit, { rowsRead: 3, rejected: 1 }), undefined)
    assert.ok(findRejectFault(rejectLimitOf({ updateMode: 'REPLACE' }), { rowsRead: 100, rejected: 1 }))
  })

  it('is what the task says', () => {
    const limit = rejectLimitOf({ updateMode: 'REPLACE', rejectLimit: { rows: 2 } })
    assert.equal(findRejectFault(limit, { rowsRead: 3, rejected: 2 }), undefined)
    assert.ok(findRejectFault(limit, { rowsRead: 4, rejected: 3 }))
  })

  it('is never every row', () => {
    for (const limit of [{ rows: 9 }, { share: 1 }]) {
      assert.match(
        findRejectFault(limit, { rowsRead: 1, rejected: 1 }) ?? '',
        /^Every row was rejected: 1 of 1$/,
      )
      assert.equal(findRejectFault(limit, { rowsRead: 0, rejected: 0 }), undefined)
    }
  })
})
