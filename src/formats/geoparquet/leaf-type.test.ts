import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SchemaElement } from 'hyparquet'
import { parquetSchema } from '../../../tests/support/geoparquet-writer.ts'
import { columnOf, readParquet } from '../../../tests/support/read-parquet.ts'
import { decimalText } from './special-values.ts'

describe('types of Parquet', () => {
  async function column(
    element: Omit<SchemaElement, 'name'>,
    data: unknown[],
  ): Promise<{ type: string | undefined; values: unknown[] }> {
    const read_ = await readParquet({
      columnData: [{ name: 'a', data: data as never }],
      schema: parquetSchema({ name: 'a', repetition_type: 'OPTIONAL', ...element }),
      statistics: false,
    })
    return { type: read_.layer.schema.attributes[0]?.type, values: columnOf(read_) }
  }

  it('holds integers of every width, unsigned 64-bit ones as decimals', async () => {
    const integer = (bitWidth: number, isSigned: boolean) =>
      ({ logical_type: { type: 'INTEGER', bitWidth, isSigned } }) as const
    const types = [
      [{ type: 'INT32' }, 'int32'],
      [{ type: 'INT32', ...integer(8, true) }, 'int16'],
      [{ type: 'INT32', ...integer(16, true) }, 'int16'],
      [{ type: 'INT32', ...integer(8, false) }, 'int16'],
      [{ type: 'INT32', ...integer(16, false) }, 'int32'],
      [{ type: 'INT32', converted_type: 'INT_16' }, 'int16'],
    ] as const
    for (const [element, type] of types) {
      assert.deepEqual(await column(element, [1, null, 127]), { type, values: [1, null, 127] })
    }
    const uint32 = { type: 'INT32', converted_type: 'UINT_32' } as const
    assert.deepEqual(await column(uint32, [4_294_967_295]), { type: 'int64', values: [4_294_967_295n] })
    const big = 2n ** 63n - 1n
    assert.deepEqual(await column({ type: 'INT64' }, [big, -big]), { type: 'int64', values: [big, -big] })
    const uint64 = { type: 'INT64', converted_type: 'UINT_64' } as const
    assert.deepEqual(await column(uint64, [2n ** 64n - 1n]), {
      type: 'decimal',
      values: ['18446744073709551615'],
    })
  })

  it('holds booleans, floats of every width, texts, bytes and UUIDs', async () => {
    assert.deepEqual(await column({ type: 'BOOLEAN' }, [true, null, false]), {
      type: 'boolean',
      values: [true, null, false],
    })
    assert.deepEqual(await column({ type: 'FLOAT' }, [1.5]), { type: 'float32', values: [1.5] })
    assert.deepEqual(await column({ type: 'DOUBLE' }, [0.1]), { type: 'float64', values: [0.1] })
    const half = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } } as const
    assert.deepEqual(await column(half, [1.5, -2]), { type: 'float32', values: [1.5, -2] })
    const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
    assert.deepEqual(await column(text, ['é😀', '']), { type: 'text', values: ['é😀', ''] })
    assert.deepEqual(await column({ type: 'BYTE_ARRAY' }, [new Uint8Array([0, 255])]), {
      type: 'binary',
      values: [new Uint8Array([0, 255])],
    })
    const uuid = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } } as const
    const id = '0188a7e4-1c2d-7000-8abc-0123456789ab'
    assert.deepEqual(await column(uuid, [id]), { type: 'text', values: [id] })
  })

  it('keeps every digit of decimals', async () => {
    const decimal = { converted_type: 'DECIMAL', precision: 18, scale: 4 } as const
    const int64 = { type: 'INT64', ...decimal } as const
    const { type, values: found } = await column(int64, [123.4567, -0.0001])
    assert.equal(type, 'decimal')
    assert.deepEqual(found, ['123.4567', '-0.0001'])
    assert.equal(decimalText(-(10n ** 37n) - 1n, 38), `-0.1${'0'.repeat(36)}1`)
    const bytes = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, ...decimal, precision: 38 } as const
    assert.deepEqual((await column(bytes, [1.5, -1.5])).values, ['1.5000', '-1.5000'])
  })

  it('holds dates, times and timestamps of every unit', async () => {
    const moment = new Date('2024-02-29T12:34:56.789Z')
    const micros = BigInt(moment.getTime()) * 1000n
    assert.deepEqual(await column({ type: 'INT32', converted_type: 'DATE' }, [moment]), {
      type: 'date',
      values: [19_782],
    })
    const unit = (name: 'MILLIS' | 'MICROS' | 'NANOS') =>
      ({ type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: name } }) as const
    for (const name of ['MILLIS', 'MICROS', 'NANOS'] as const) {
      assert.deepEqual(await column(unit(name), [moment]), { type: 'timestamp', values: [micros] }, name)
    }
    const time = { type: 'INT32', converted_type: 'TIME_MILLIS' } as const
    assert.deepEqual(await column(time, [45_296_789]), { type: 'time', values: [45_296_789_000n] })
  })

  it('holds lists, structures and maps as JSON text', async () => {
    const read_ = await readParquet({
      columnData: [
        { name: 'list', data: [[1n, null, 9_007_199_254_740_993n], [], null] },
        { name: 'struct', data: [{ a: 'x"', b: { c: 1.5 } }, { a: null, b: null }, null] },
      ],
      schema: [
        { name: 'root', num_children: 2 },
        { name: 'list', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
        { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
        { name: 'element', type: 'INT64', repetition_type: 'OPTIONAL' },
        { name: 'struct', num_children: 2, repetition_type: 'OPTIONAL' },
        { name: 'a', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
        { name: 'b', num_children: 1, repetition_type: 'OPTIONAL' },
        { name: 'c', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
      ],
      statistics: false,
    })
    assert.deepEqual(read_.layer.schema.attributes, [
      { name: 'list', type: 'text' },
      { name: 'struct', type: 'text' },
    ])
    assert.deepEqual(
      read_.rows.map((row) => row.values),
      [
        ['[1,null,9007199254740993]', '{"a":"x\\"","b":{"c":1.5}}'],
        ['[]', '{"a":null,"b":null}'],
        [null, null],
      ],
    )
  })
})
