import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Column } from '../../geo/column.ts'
import { createColumnBuilder } from '../../geo/column-builder.ts'
import type { AttributeType } from '../../geo/schema.ts'
import { AscendingIds, withMissingIds } from './kept-ids.ts'

function columnOf(type: AttributeType, values: (bigint | null)[]): Column {
  const builder = createColumnBuilder(type, values.length)
  for (const value of values) {
    if (value === null) builder.appendNull()
    else if (builder.kind === 'big') builder.append(value)
    else if (builder.kind === 'fixed') builder.append(Number(value))
  }
  return builder.finish()
}

function areAscending(type: AttributeType, ...batches: (bigint | null)[][]): boolean {
  const ids = new AscendingIds()
  for (const values of batches) ids.add(withMissingIds(columnOf(type, values), values.length), values.length)
  return ids.isAscending
}

describe('AscendingIds', () => {
  it('knows that ids in ascending order are unique, over several batches', () => {
    assert.equal(areAscending('int64', [-2n, 0n, 1n], [5n, 2n ** 53n - 1n]), true)
    assert.equal(areAscending('int32', [], [1n], []), true)
  })

  it('leaves everything else to the database', () => {
    assert.equal(areAscending('int64', [1n, 2n], [2n]), false)
    assert.equal(areAscending('int64', [3n, 1n]), false)
    assert.equal(areAscending('int64', [2n ** 53n]), false)
    assert.equal(areAscending('text', []), false)
    for (const type of ['int16', 'int32', 'int64'] as const)
      assert.equal(areAscending(type, [null, 1n]), false)
  })
})
