import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runBatch, tableBatch, tableRows, tableSchema } from '../../tests/support/table-batches.ts'
import { defined } from '../core/values/defined.ts'
import type { TransformSpec } from './transform.ts'

const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1000n

async function parsed(
  texts: (string | null)[],
  format?: string,
): Promise<{ values: unknown[]; rejects: number[] }> {
  const batch = tableBatch(
    tableSchema({ when: 'text' }),
    texts.map((text) => [text]),
  )
  const spec: TransformSpec = { type: 'DateFormatTransform', field: 'when', ...defined({ format }) }
  const { batch: changed } = await runBatch(batch, [spec])
  return {
    values: tableRows(changed).map(([value]) => value),
    rejects: changed.rejects.map(({ row }) => row),
  }
}

describe('DateFormatTransform', () => {
  it('makes a date of a pattern without time letters, and rejects what does not match whole', async () => {
    const { values, rejects } = await parsed(['29.02.2024', null, '30.02.2024', '1.2.2024 x'], 'dd.MM.yyyy')
    assert.deepEqual(values, [19_782, null])
    assert.deepEqual(rejects, [3, 4])
  })

  it('makes a timestamp in UTC of a pattern with time letters', async () => {
    const { values } = await parsed(['2024-05-01 10:11 +0200'], 'yyyy-MM-dd HH:mm Z')
    assert.deepEqual(values, [micros('2024-05-01T08:11:00Z')])
  })

  it('tries the built-in forms without a format', async () => {
    const texts: [string, string][] = [
      ['2024', '2024-01-01T00:00:00Z'],
      ['202402', '2024-02-01T00:00:00Z'],
      ['2024-02', '2024-02-01T00:00:00Z'],
      ['20240229', '2024-02-29T00:00:00Z'],
      ['2024-02-29', '2024-02-29T00:00:00Z'],
      ['202402291530', '2024-02-29T15:30:00Z'],
      ['20240229153045', '2024-02-29T15:30:45Z'],
      ['2024-02-29T15', '2024-02-29T15:00:00Z'],
      ['2024-02-29T15:30', '2024-02-29T15:30:00Z'],
      ['2024-02-29 15:30:45', '2024-02-29T15:30:45Z'],
      ['2024-02-29T15:30:45.25Z', '2024-02-29T15:30:45.250Z'],
      ['2024-02-29T15:30:45+02:00', '2024-02-29T13:30:45Z'],
      ['2024-02-29T15:30-0530', '2024-02-29T21:00:00Z'],
      ['20240229T153045Z', '2024-02-29T15:30:45Z'],
      ['2024-02-29T24:00:00', '2024-03-01T00:00:00Z'],
      ['9999-12-31', '9999-12-31T00:00:00Z'],
      ['0001-01-01', '0001-01-01T00:00:00Z'],
    ]
    const { values, rejects } = await parsed(texts.map(([text]) => text))
    assert.deepEqual(rejects, [])
    assert.deepEqual(
      values,
      texts.map(([, expected]) => micros(expected)),
    )
  })

  it('rejects what is not an ISO date, with field, value and reason', async () => {
    const texts = [
      '2024-02-30',
      '24',
      '2024-2-9',
      '2024-02-29T25:00',
      '2024-02-29T15:60',
      '2024-W05',
      'today',
    ]
    const { values, rejects } = await parsed(texts)
    assert.deepEqual(values, [])
    assert.equal(rejects.length, texts.length)
    const { batch } = await runBatch(tableBatch(tableSchema({ when: 'text' }), [['today']]), [
      { type: 'DateFormatTransform', field: 'when' },
    ])
    assert.deepEqual(batch.rejects[0], {
      row: 1,
      field: 'when',
      value: 'today',
      reason: 'The value is not an ISO 8601 date or date and time',
      properties: { when: 'today' },
    })
  })

  it('reads whole numbers as their digits, and leaves dates alone', async () => {
    const batch = tableBatch(tableSchema({ a: 'int32', b: 'date' }), [[20_240_229, 5]])
    const { batch: changed } = await runBatch(batch, [
      { type: 'DateFormatTransform', field: 'a', format: 'yyyyMMdd' },
      { type: 'DateFormatTransform', field: 'b' },
    ])
    assert.deepEqual(tableRows(changed), [[19_782, 5]])
  })
})
