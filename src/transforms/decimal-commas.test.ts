import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runBatch, tableBatch, tableSchema } from '../../tests/support/table-batches.ts'

async function pointsOf(fields: [string, string], rows: string[][], spec: object): Promise<unknown> {
  const schema = tableSchema({ f: 'text', g: 'text' })
  const [latField, lngField] = fields
  const whole = {
    type: 'AttributesToPointGeometryTransform',
    latField,
    lngField,
    decimalComma: true,
    ...spec,
  }
  const { batch } = await runBatch(tableBatch(schema, rows), [whole])
  const { bytes, offsets } = batch.geometry ?? assert.fail('no geometry')
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const points = Array.from({ length: batch.rowCount }, (_, row) => {
    const start = offsets[row] ?? 0
    return offsets[row + 1] === start
      ? null
      : [view.getFloat64(start + 5, true), view.getFloat64(start + 13, true)]
  })
  return [points, batch.rejects.map(({ row, value }) => [row, value])]
}

describe('coordinates with a comma before the fraction', () => {
  it('are numbers where they are called so, and nothing else is', async () => {
    const rows = [
      ['52,5', '13,404'],
      ['-52', ' +13, '],
      ['', '1'],
      ['52.5', '13,4'],
      ['1.234,5', '13,4'],
      ['1', '1,234,5'],
      ['1', 'n/a'],
    ]
    assert.deepEqual(await pointsOf(['f', 'g'], rows, {}), [
      [[13.404, 52.5], [13, -52], null],
      [
        [4, '52.5'],
        [5, '1.234,5'],
        [6, '1,234,5'],
        [7, 'n/a'],
      ],
    ])
  })

  it('may stand in one field, with a semicolon, a slash or a space between', async () => {
    const rows = [['52,5 13,4'], ['(52,5; 13,4)'], ['52,5/13,4'], ['52,5, 13,4'], ['52,5']].map(
      ([pair = '']) => [pair, ''],
    )
    const point = [13.4, 52.5]
    assert.deepEqual(await pointsOf(['f', 'f'], rows, { combined: true }), [
      [point, point, point],
      [
        [4, '52,5, 13,4'],
        [5, '52,5'],
      ],
    ])
  })
})
