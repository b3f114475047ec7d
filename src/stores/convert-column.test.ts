import assert from 'node:assert/strict'
import { it } from 'node:test'
import { columnValue } from '../geo/column.ts'
import { createColumnBuilder } from '../geo/column-builder.ts'
import type { AttributeType } from '../geo/schema.ts'
import { attributeTypes } from '../geo/schema.ts'
import { convertColumn, expandDecimal } from './convert-column.ts'

type Value = string | number | bigint | boolean

function convert(from: AttributeType, value: Value, to: AttributeType): unknown {
  const builder = createColumnBuilder(from, 1)
  if (builder.kind === 'big') builder.append(BigInt(value))
  else if (builder.kind === 'fixed') builder.append(Number(value))
  else builder.appendString(String(value))
  let reason: string | undefined
  const column = convertColumn(builder.finish(), 1, { name: 'v', type: to }, (_row, why) => {
    reason = why
  })
  return reason === undefined ? columnValue(column, 0) : undefined
}

type Case = [AttributeType, Value, AttributeType, unknown]

const cases: Case[] = [
  ['text', ' 42 ', 'int32', 42],
  ['text', '2147483648', 'int32', undefined],
  ['text', '9223372036854775807', 'int64', 9223372036854775807n],
  ['text', '1.5', 'int32', undefined],
  ['text', 'n/a', 'float64', undefined],
  ['text', 'Infinity', 'float64', undefined],
  ...attributeTypes
    .filter((type) => type !== 'text')
    .flatMap((type) => ['', '  ', '\t\n'].map((blank): Case => ['text', blank, type, null])),
  ['text', '.', 'decimal', undefined],
  ['text', 'yes', 'boolean', true],
  ['text', 'maybe', 'boolean', undefined],
  ['text', '2024-02-29', 'date', 19782],
  ['text', '2023-02-29', 'date', undefined],
  ['text', '2024-02-29T12:00:00+02:00', 'timestamp', 1709200800000000n],
  ['text', '2024-02-29 12:00:00.5', 'timestamp', 1709208000500000n],
  ['text', '2024-02-29T12:00', 'date', undefined],
  ['text', '23:59:59.999999', 'time', 86399999999n],
  ['text', '24:00', 'time', undefined],
  ['int64', 9007199254740993n, 'float64', undefined],
  ['int64', 9007199254740992n, 'float64', 9007199254740992],
  ['int64', 40000n, 'int16', undefined],
  ['int32', 2, 'boolean', undefined],
  ['int32', 1, 'boolean', true],
  ['boolean', true, 'int16', 1],
  ['boolean', true, 'text', 'true'],
  ['float64', 3, 'int32', 3],
  ['float64', 3.5, 'int32', undefined],
  ['float64', 1e300, 'float32', undefined],
  ['float64', 1e-7, 'decimal', '0.0000001'],
  ['float64', Number.NaN, 'int32', undefined],
  ['decimal', '-1e3', 'float64', -1000],
  ['decimal', '12.000', 'int16', 12],
  ['date', 1, 'timestamp', 86400000000n],
  ['timestamp', 86400000000n, 'date', 1],
  ['timestamp', 86400000001n, 'date', undefined],
  ['date', 19782, 'text', '2024-02-29'],
  ['date', 1, 'int32', undefined],
]

for (const [from, value, to, expected] of cases) {
  it(`${from} ${value} ${expected === undefined ? 'is refused as' : 'becomes'} ${to}`, () => {
    assert.deepEqual(convert(from, value, to), expected)
  })
}

it('writes exponents out', () => {
  assert.equal(expandDecimal('-1.25e-3'), '-0.00125')
  assert.equal(expandDecimal('1.25e1'), '12.5')
  assert.equal(expandDecimal('1E4'), '10000')
  assert.equal(expandDecimal('1e99999'), undefined)
})
