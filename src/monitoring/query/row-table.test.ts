import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RowTableColumn } from './row-table.ts'
import { columns, RowTable } from './row-table.ts'

const lean = ['period', 'key', 'sum', 'samples'] as const

function rowsOf(table: RowTable): Record<string, number>[] {
  return Array.from({ length: table.length }, (_, row) =>
    Object.fromEntries(columns.map((name) => [name, table.get(row, name)])),
  )
}

function fill(parts: [names: readonly RowTableColumn[], numbers: number[]][], isUnique: boolean): RowTable {
  const table = new RowTable()
  for (const [names, numbers] of parts) table.addAll(Float64Array.from(numbers), names, isUnique)
  return table
}

describe('a table of rows', () => {
  it('completes rows of single values', () => {
    assert.deepEqual(rowsOf(fill([[lean, [3, 7, 2.5, 4]]], true)), [
      {
        period: 3,
        key: 7,
        innerKey: 0,
        sum: 2.5,
        weighted: 10,
        min: 2.5,
        max: 2.5,
        samples: 4,
        count: 1,
        extra: 0,
      },
    ])
  })

  it('adds up rows of one period and keys', () => {
    const table = fill(
      [
        [lean, [0, 1, 5, 5, 1, 1, 7, 7]],
        [columns, [0, 1, 0, 10, 50, -1, 9, 10, 3, 2]],
        [lean, [0, 2, 1, 1]],
      ],
      false,
    )
    assert.deepEqual(
      rowsOf(table).map(({ period, key, sum, weighted, min, max, samples, count, extra }) => [
        period,
        key,
        sum,
        weighted,
        min,
        max,
        samples,
        count,
        extra,
      ]),
      [
        [0, 1, 15, 75, -1, 9, 15, 4, 2],
        [1, 1, 7, 49, 7, 7, 7, 1, 0],
        [0, 2, 1, 1, 1, 1, 1, 1, 0],
      ],
    )
  })

  it('finds rows by period and both keys, however they were added', () => {
    for (const isUnique of [true, false]) {
      const names = ['period', 'key', 'innerKey', 'sum', 'samples'] as const
      const table = fill(
        [
          [names, [0, 1, 2, 5, 5, 0, 2, 1, 6, 6]],
          [names, [1, 1, 2, 7, 7]],
        ],
        isUnique,
      )
      assert.deepEqual(
        [
          table.find(0, 1, 2),
          table.find(0, 2, 1),
          table.find(1, 1, 2),
          table.find(1, 2, 1),
          table.find(0, 9, 9),
        ],
        [0, 1, 2, undefined, undefined],
      )
    }
  })
})
