import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { batchesOf, schemaOf } from '../../../tests/support/batches.ts'
import type { AttributeType } from '../../geo/schema.ts'
import type { KeyForm } from './comparable-columns.ts'
import { keyValue } from './key-values.ts'

type BatchRow = Parameters<typeof batchesOf>[1] extends Iterable<infer One> ? One : never

async function keyOf(type: AttributeType, value: unknown, form: KeyForm): Promise<unknown> {
  const row = { values: [value] } as BatchRow
  for await (const { columns } of batchesOf(schemaOf({ a: type }), [row])) {
    const [column] = columns
    return column === undefined ? undefined : keyValue(column, 0, form)
  }
  return undefined
}

describe('values of keys', () => {
  it('are the same for the same number, of whatever type and however it is written', async () => {
    for (const [type, value] of [
      ['int32', 7],
      ['float64', 7],
      ['decimal', '07.00'],
      ['decimal', '7'],
    ] as const)
      assert.equal(Number(await keyOf(type, value, 'number')), 7, type)
    const large = 9_007_199_254_740_993n
    assert.equal(await keyOf('int64', large, 'number'), large)
    assert.equal(await keyOf('decimal', String(large), 'number'), large)
    assert.equal(await keyOf('decimal', '0.1000', 'number'), 0.1)
    assert.equal(await keyOf('float64', 0.1, 'float32'), Math.fround(0.1))
    assert.equal(await keyOf('int32', 7, 'text'), '7')
  })

  it('are none where nothing names a row: null, not a number, empty and long texts', async () => {
    assert.equal(await keyOf('int32', null, 'number'), undefined)
    assert.equal(await keyOf('float64', Number.NaN, 'number'), undefined)
    assert.equal(await keyOf('text', '', 'text'), undefined)
    assert.equal(await keyOf('text', 'ä'.repeat(201), 'text'), undefined)
    assert.equal(await keyOf('text', 'ä'.repeat(200), 'text'), 'ä'.repeat(200))
  })
})
