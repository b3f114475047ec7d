import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { textTable } from './text-table.ts'

describe('textTable', () => {
  it('makes each column as wide as its widest cell and sets numbers to the right', () => {
    const table = textTable(
      ['name', 'rows'],
      [
        ['Åland', '7'],
        ['x', '1,000'],
      ],
      ['rows'],
    )
    assert.equal(table, 'name    rows\n-----  -----\nÅland      7\nx      1,000')
  })
})
