import assert from 'node:assert/strict'
import { it } from 'node:test'
import { safeCell } from './report-csv.ts'

it('prevents that a spreadsheet runs a text', () => {
  for (const text of ['=1+1', '+1', '-1', '@sum', '\t=1', '\r=1']) assert.equal(safeCell(text), `'${text}`)
  for (const text of ['ws:roads', 'a=b', '']) assert.equal(safeCell(text), text)
})
