import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutRows } from './without-rows.ts'

describe('rows without those of pages', () => {
  it('are the difference by label, resource and kind of request', () => {
    const rows = [
      { label: '200', resource: { id: 1 }, val: '10.0000', samples_count: 10 },
      { label: '200', resource: { id: 2 }, val: '4.0000', samples_count: 4 },
      { label: '404', resource: { id: 1 }, val: '3.0000', samples_count: 3 },
      { label: '200', event_type: 'view', val: '5.0000', samples_count: 5 },
    ]
    const pages = [
      { label: '200', resource: { id: 1 }, val: '4.0000', samples_count: 4 },
      { label: '404', resource: { id: 1 }, val: '3.0000', samples_count: 3 },
      { label: '200', event_type: 'view', val: '1.0000', samples_count: 1 },
    ]
    assert.deepEqual(
      withoutRows(rows, pages, 'value').map(({ val, samples_count: samples }) => [val, samples]),
      [
        ['6', 6],
        ['4.0000', 4],
        ['4', 4],
      ],
    )
  })

  it('are means of the requests that are left', () => {
    const times = [10, 20, 30, 100, 300]
    const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length
    const all = { label: 'value', val: String(mean(times)), samples_count: times.length }
    const pages = { label: 'value', val: String(mean(times.slice(0, 2))), samples_count: 2 }
    const [left] = withoutRows([all], [pages], 'rate')
    assert.equal(Number(left?.val), Math.round(mean(times.slice(2)) * 10_000) / 10_000)
    assert.equal(left?.samples_count, 3)
    assert.deepEqual(withoutRows([pages], [pages], 'rate'), [])
  })
})
