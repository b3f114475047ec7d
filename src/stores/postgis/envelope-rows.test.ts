import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EnvelopeRows } from './envelope-rows.ts'

const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const trailer = Buffer.from([0xff, 0xff])

function field(bytes: Buffer | undefined): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(bytes?.length ?? -1)
  return Buffer.concat([length, bytes ?? Buffer.alloc(0)])
}

function doubles(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8)
  for (const [at, value] of values.entries()) bytes.writeDoubleBE(value, at * 8)
  return bytes
}

function row(key: Buffer, ...rest: (Buffer | undefined)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeInt16BE(1 + rest.length)
  return Buffer.concat([count, field(key), ...rest.map(field)])
}

function key(bytes: 2 | 4 | 8, value: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  if (bytes === 8) buffer.writeBigInt64BE(BigInt(value))
  else buffer.writeIntBE(value, 0, bytes)
  return buffer
}

function readAll(bytes: Buffer, size: number): { ids: number[]; envelopes: number[] } {
  const rows = new EnvelopeRows()
  const read = { ids: [] as number[], envelopes: [] as number[] }
  for (let at = 0; at < bytes.length; at += size) {
    const { ids, envelopes } = rows.take(bytes.subarray(at, at + size))
    read.ids.push(...ids)
    read.envelopes.push(...envelopes)
  }
  rows.end()
  return read
}

describe('EnvelopeRows', () => {
  it('reads keys of every width with boxes, points or sides, however they are cut', () => {
    const bytes = Buffer.concat([
      header,
      // The upper right corner of a box comes first.
      row(key(8, -(2 ** 53) + 1), doubles(3, 4, 1, 2)),
      row(key(2, -7), doubles(7, 8, 5, 6)),
      row(key(4, 9), undefined),
      row(key(4, 10), doubles(-6.5, 48)),
      row(key(4, 70_000), doubles(-1), doubles(-2), doubles(1.5), doubles(2.5)),
      trailer,
    ])
    const expected = {
      ids: [-(2 ** 53) + 1, -7, 10, 70_000],
      envelopes: [1, 2, 3, 4, 5, 6, 7, 8, -6.5, 48, -6.5, 48, -1, -2, 1.5, 2.5],
    }
    for (const size of [1, 2, 19, 50, bytes.length]) assert.deepEqual(readAll(bytes, size), expected)
  })

  it('refuses rows that break off and rows of another kind', () => {
    const whole = row(key(8, 1), doubles(3, 4, 1, 2))
    assert.throws(() => readAll(Buffer.concat([header, whole]), 100), { code: 'database-protocol' })
    const wrong = [row(key(8, 1)), row(key(8, 1), doubles(1)), row(Buffer.alloc(3), doubles(3, 4, 1, 2))]
    for (const bytes of wrong)
      assert.throws(() => readAll(Buffer.concat([header, bytes, trailer]), 1000), {
        code: 'database-protocol',
      })
    assert.throws(() => readAll(Buffer.alloc(100), 100), { code: 'database-protocol' })
  })
})
