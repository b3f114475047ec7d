import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Cell } from '../../tests/support/table-batches.ts'
import { runBatch, tableBatch, tableRows, tableSchema } from '../../tests/support/table-batches.ts'
import type { Column } from '../geo/column.ts'
import { createColumnBuilder } from '../geo/column-builder.ts'
import type { AttributeType } from '../geo/schema.ts'
import { attributeTypes } from '../geo/schema.ts'
import { findConverter } from './cell-converters.ts'
import { toJavaClass } from './java-class.ts'

/** Returns the result of each value; 'rejected' if its row was rejected. */
async function remapped(from: AttributeType, target: string, values: Cell[]): Promise<unknown[]> {
  const batch = tableBatch(
    tableSchema({ f: from }),
    values.map((value) => [value]),
  )
  const { batch: changed } = await runBatch(batch, [{ type: 'AttributeRemapTransform', field: 'f', target }])
  const rows = tableRows(changed)
  const result: unknown[] = values.map(() => 'rejected')
  for (const [at, row] of [...changed.rowNumbers].entries()) result[row - 1] = rows[at]?.[0]
  assert.equal(changed.rowCount + changed.rejects.length, values.length)
  return result
}

describe('AttributeRemapTransform', () => {
  it('makes integers of text that is one, within range', async () => {
    const values = ['12', '-7', ' 8 ', '12.0', '1e3', '12.5', 'n/a', '', '2147483648', null]
    assert.deepEqual(await remapped('text', 'java.lang.Integer', values), [
      12,
      -7,
      8,
      12,
      1000,
      'rejected',
      'rejected',
      null,
      'rejected',
      null,
    ])
    assert.deepEqual(await remapped('text', 'java.lang.Short', ['32767', '32768']), [32_767, 'rejected'])
    const long = ['9223372036854775807', '9223372036854775808', '-9223372036854775808']
    const most = 2n ** 63n - 1n
    assert.deepEqual(await remapped('text', 'java.lang.Long', long), [most, 'rejected', -(2n ** 63n)])
  })

  it('narrows integers where nothing is lost', async () => {
    assert.deepEqual(await remapped('int64', 'java.lang.Integer', [5n, 2n ** 31n]), [5, 'rejected'])
    assert.deepEqual(await remapped('float64', 'java.lang.Integer', [5, 5.5, Number.NaN, 1e300]), [
      5,
      'rejected',
      'rejected',
      'rejected',
    ])
    assert.deepEqual(await remapped('int64', 'java.lang.Double', [2n ** 53n, 2n ** 53n + 1n]), [
      2 ** 53,
      'rejected',
    ])
    assert.deepEqual(await remapped('int32', 'java.lang.Float', [16_777_216, 16_777_217]), [
      16_777_216,
      'rejected',
    ])
  })

  it('rounds fractions to single precision, and rejects what that cannot reach', async () => {
    assert.deepEqual(await remapped('float64', 'java.lang.Float', [0.1, 1e300]), [
      Math.fround(0.1),
      'rejected',
    ])
    assert.deepEqual(await remapped('text', 'java.lang.Double', ['1.5', '1,5', 'NaN', '1e999']), [
      1.5,
      'rejected',
      'rejected',
      'rejected',
    ])
  })

  it('writes numbers in their shortest form', async () => {
    assert.deepEqual(await remapped('float64', 'java.lang.String', [0.1, 5, -2.5e-7]), [
      '0.1',
      '5',
      '-2.5e-7',
    ])
    assert.deepEqual(await remapped('float32', 'java.lang.String', [Math.fround(0.1), 16_777_216]), [
      '0.1',
      '16777216',
    ])
    assert.deepEqual(await remapped('int64', 'java.lang.String', [2n ** 60n]), [String(2n ** 60n)])
    assert.deepEqual(await remapped('boolean', 'java.lang.String', [true, false]), ['true', 'false'])
    assert.deepEqual(await remapped('date', 'java.lang.String', [19_782]), ['2024-02-29'])
  })

  it('takes the usual words for true and false', async () => {
    const words = ['true', 'FALSE', '1', '0', 't', 'f', 'Yes', 'no', 'maybe', '2']
    const expected = [true, false, true, false, true, false, true, false, 'rejected', 'rejected']
    assert.deepEqual(await remapped('text', 'java.lang.Boolean', words), expected)
    assert.deepEqual(await remapped('int32', 'java.lang.Boolean', [1, 0, 2]), [true, false, 'rejected'])
  })

  it('keeps every digit of a decimal', async () => {
    const text = ['0012.3400', '1e-3', '+7', '1.2.3', `1${'0'.repeat(40)}`]
    assert.deepEqual(await remapped('text', 'java.math.BigDecimal', text), [
      '12.3400',
      '0.001',
      '7',
      'rejected',
      `1${'0'.repeat(40)}`,
    ])
    assert.deepEqual(await remapped('text', 'java.math.BigInteger', ['12.0', '12.5']), ['12', 'rejected'])
  })

  it('turns dates and times into each other where nothing is lost', async () => {
    const midnight = 19_782n * 86_400_000_000n
    assert.deepEqual(await remapped('date', 'java.util.Date', [19_782]), [midnight])
    assert.deepEqual(await remapped('timestamp', 'java.sql.Date', [midnight, midnight + 1n]), [
      19_782,
      'rejected',
    ])
    assert.deepEqual(await remapped('text', 'java.sql.Timestamp', ['2024-02-29T00:00Z', '29.2.2024']), [
      midnight,
      'rejected',
    ])
    assert.deepEqual(await remapped('text', 'java.sql.Time', ['10:11', '25:00']), [
      36_660_000_000n,
      'rejected',
    ])
  })

  it('loses nothing on the way to text and back', () => {
    const roundTrip = async (from: AttributeType, value: Cell): Promise<void> => {
      const [text] = await remapped(from, 'java.lang.String', [value])
      assert.deepEqual(await remapped('text', toJavaClass(from), [text as string]), [value])
    }
    return fc.assert(
      fc.asyncProperty(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        async (number, big) => {
          await roundTrip('float64', number + 0)
          await roundTrip('float32', Math.fround(number % 1e30) + 0)
          await roundTrip('int64', big)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('appends a value or gives a reason, for every pair of types', () => {
    const samples: Record<string, Cell[]> = {
      text: ['', 'x', '1', '2024-02-29', '-1e5'],
      decimal: ['1', '-0.5', '123456789012345678901234567890'],
      boolean: [true, false],
      binary: [new Uint8Array(2)],
      int64: [0n, -(2n ** 63n)],
      time: [1n],
      timestamp: [0n, 2n ** 62n],
    }
    for (const from of attributeTypes) {
      const values = samples[from] ?? [0, 1, 1.5]
      const batch = tableBatch(
        tableSchema({ f: from }),
        values.map((value) => [value]),
      )
      for (const to of attributeTypes) {
        const convert = findConverter(from, to)
        const target = createColumnBuilder(to, values.length)
        for (const row of values.keys()) {
          const before = target.length
          const reason = convert?.(batch.columns[0] as Column, row, target)
          assert.equal(
            target.length - before,
            convert === undefined || reason !== undefined ? 0 : 1,
            `${from} ${to}`,
          )
        }
      }
    }
  })
})
