import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Value } from '../../../tests/support/batches.ts'
import { batchesOf, schemaOf } from '../../../tests/support/batches.ts'
import type { AttributeType } from '../../geo/schema.ts'
import type { ValueRule } from '../model/load-rules.ts'
import { RowFiguresBuilder } from './row-figures.ts'

/** Returns how many of these values a rule does not allow, and the first of them. */
async function against(type: AttributeType, rule: ValueRule, values: Value[]): Promise<unknown> {
  const figures = new RowFiguresBuilder({ values: { pop: rule } })
  const rows = values.map((value) => ({ values: [value] }))
  for await (const _ of figures.count(batchesOf(schemaOf({ pop: type }), rows)));
  return figures.values['pop'] === undefined ? [] : Object.values(figures.values['pop'])
}

describe('values that rules allow', () => {
  it('are numbers within numbers, and nulls', async () => {
    assert.deepEqual(await against('int32', { min: 0, max: 9 }, [0, 9, null]), [])
    assert.deepEqual(await against('int32', { min: '0', max: 9 }, [-1, 10, 5]), [2, '-1'])
    assert.deepEqual(await against('float64', { min: 0 }, [Number.NaN, 1]), [1, 'NaN'])
  })

  it('are texts that are numbers where a number is the limit, and no others', async () => {
    assert.deepEqual(await against('text', { min: 0 }, ['7', '007.5', null]), [])
    assert.deepEqual(await against('text', { min: 0 }, ['n/a', '7', '', '-1']), [3, 'n/a'])
    assert.deepEqual(await against('text', { max: 9 }, ['10', '9', 'zero']), [2, '10'])
    assert.deepEqual(await against('boolean', { min: 0 }, [1]), [1, 'true'])
  })

  it('are texts in their order where a text is the limit', async () => {
    assert.deepEqual(await against('text', { min: 'b', max: 'd' }, ['c', 'b', 'd', 'a', 'e']), [2, 'a'])
    assert.deepEqual(await against('date', { min: '2024-01-01' }, [19_722, 19_723]), [1, '2023-12-31'])
  })
})
