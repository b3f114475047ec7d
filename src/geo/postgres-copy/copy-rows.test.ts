import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../core/errors/errors.ts'
import type { FeatureBatch } from '../batch.ts'
import { columnValue } from '../column.ts'
import type { Schema } from '../schema.ts'
import type { RowForm } from './copy-rows.ts'
import { readCopyRows } from './copy-rows.ts'

const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const trailer = Buffer.from([0xff, 0xff])

const schema: Schema = {
  attributes: [
    { name: 'id', type: 'int32' },
    { name: 'text', type: 'text' },
  ],
  geometry: undefined,
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function tuple(...fields: (Buffer | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeInt16BE(fields.length)
  const parts = fields.map((field) =>
    field === null ? int32(-1) : Buffer.concat([int32(field.length), field]),
  )
  return Buffer.concat([count, ...parts])
}

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function readAll(chunks: AsyncIterable<Uint8Array>, form: RowForm): Promise<FeatureBatch[]> {
  const batches: FeatureBatch[] = []
  for await (const batch of readCopyRows(chunks, form)) batches.push(batch)
  return batches
}

function valuesOf(batches: FeatureBatch[]): unknown[][] {
  return batches.flatMap((batch) =>
    Array.from({ length: batch.rowCount }, (_, row) =>
      batch.columns.map((column) => columnValue(column, row)),
    ),
  )
}

describe('rows of a binary COPY', () => {
  it('are the same however the bytes are cut into chunks', async () => {
    const rows = Array.from(
      { length: 50 },
      (_, i) => [i - 25, i % 7 === 0 ? null : 'ä'.repeat(i * 3)] as const,
    )
    const tuples = rows.map(([id, text]) => tuple(int32(id), text === null ? null : Buffer.from(text)))
    const bytes = Buffer.concat([header, ...tuples, trailer])
    for (const size of [1, 2, 3, 7, 64, 1000, bytes.length]) {
      assert.deepEqual(valuesOf(await readAll(chunksOf(bytes, size), { schema })), rows)
    }
  })

  it('are refused when they break off', async () => {
    const bytes = Buffer.concat([header, tuple(int32(1), Buffer.from('a'))])
    await assert.rejects(readAll(chunksOf(bytes, 100), { schema }), /end after row 1/)
  })

  it('reject what is not UTF-8, and are read on', async () => {
    const rows = [tuple(int32(1), Buffer.from([0xff])), tuple(int32(2), Buffer.from('b'))]
    const [batch] = await readAll(chunksOf(Buffer.concat([header, ...rows, trailer]), 8), { schema })
    assert.equal(batch?.rowCount, 1)
    assert.deepEqual(batch?.rejects[0]?.row, 1)
    assert.equal(batch?.rejects[0]?.field, 'text')
    assert.deepEqual(batch?.rejects[0]?.properties, { id: 1, text: null })
  })

  it('reject a geometry of another SRID than the table has', async () => {
    const point = Buffer.concat([Buffer.from([1, 1, 0, 0, 0]), Buffer.alloc(16)])
    const geometry = { name: 'g', type: 'Point', hasZ: false, hasM: false, crs: undefined } as const
    const form = { schema: { attributes: [], geometry }, srids: new Set([4326]) }
    const rows = [tuple(point, int32(4326)), tuple(point, int32(3857)), tuple(null, null)]
    const [batch] = await readAll(chunksOf(Buffer.concat([header, ...rows, trailer]), 8), form)
    assert.equal(batch?.rowCount, 2)
    assert.match(batch?.rejects[0]?.reason ?? '', /SRID 3857.*4326/)
  })

  it('end in rows or a failure whatever the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.integer({ min: 1, max: 50 }),
        async (bytes, size) => {
          const read = readAll(chunksOf(Buffer.concat([header, bytes]), size), { schema })
          await read.catch((error: unknown) => assert.ok(error instanceof Failure, String(error)))
        },
      ),
      { numRuns: 500 },
    )
  })
})
