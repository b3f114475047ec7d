import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runBatch, tableBatch, tableRows, tableSchema } from '../../tests/support/table-batches.ts'
import { isValid } from '../geo/column.ts'
import { attributeTypes } from '../geo/schema.ts'
import { findConverter } from './cell-converters.ts'
import { toJavaClass } from './java-class.ts'
import type { TransformSpec } from './transform.ts'

const blanks = ['', ' ', '\t \n', null]
const batch = tableBatch(
  tableSchema({ f: 'text', g: 'text' }),
  blanks.map((blank) => [blank, '1']),
)

const specs: TransformSpec[] = [
  { type: 'DateFormatTransform', field: 'f' },
  { type: 'DateFormatTransform', field: 'f', format: 'yyyy-MM-dd' },
  { type: 'DateFormatTransform', field: 'f', format: "yyyy-MM-dd'T'HH:mm" },
  { type: 'IntegerFieldToDateTransform', field: 'f' },
  ...attributeTypes
    .filter((type) => type !== 'text' && findConverter('text', type) !== undefined)
    .map((type) => ({ type: 'AttributeRemapTransform', field: 'f', target: toJavaClass(type) })),
]

describe('a blank cell, quoted or not', () => {
  for (const spec of specs) {
    it(`is null in ${JSON.stringify(spec)}`, async () => {
      const { batch: changed } = await runBatch(batch, [spec])
      assert.deepEqual(
        tableRows(changed),
        blanks.map(() => [null, '1']),
      )
      assert.deepEqual(changed.rejects, [])
    })
  }

  it('stays as it is where the target is text', async () => {
    const spec = { type: 'AttributeRemapTransform', field: 'f', target: 'java.lang.String' }
    const { batch: changed } = await runBatch(batch, [spec])
    assert.deepEqual(
      tableRows(changed).map(([cell]) => cell),
      blanks,
    )
  })

  for (const spec of [
    { type: 'AttributesToPointGeometryTransform', latField: 'f', lngField: 'g' },
    { type: 'AttributesToPointGeometryTransform', latField: 'g', lngField: 'f' },
    { type: 'AttributeRemapTransform', field: 'f', target: 'org.locationtech.jts.geom.Point' },
  ]) {
    it(`gives a row without geometry in ${JSON.stringify(spec)}`, async () => {
      const { batch: changed } = await runBatch(batch, [spec])
      const validity = changed.geometry?.validity ?? assert.fail('no geometry')
      assert.deepEqual(
        blanks.map((_, row) => isValid(validity, row)),
        blanks.map(() => false),
      )
      assert.deepEqual(changed.rejects, [])
    })
  }
})
