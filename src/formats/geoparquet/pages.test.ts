import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { GeoParquetOptions } from '../../../tests/support/geoparquet-writer.ts'
import { columnOf, readParquet } from '../../../tests/support/read-parquet.ts'

describe('pages of Parquet', () => {
  const count = 5000
  const numbers = Array.from({ length: count }, (_, index) => (index % 7 === 3 ? null : (index * 37) % 1000))
  const texts = Array.from({ length: count }, (_, index) => `name of ${index % 11 === 0 ? 'a' : index}`)

  async function readBack(options: Partial<GeoParquetOptions>, encoding?: string): Promise<void> {
    const own = encoding === undefined ? {} : { encoding: encoding as 'PLAIN' }
    const isText = encoding?.endsWith('BYTE_ARRAY') === true
    const data: (string | number | null)[] = isText ? texts : numbers
    const found = await readParquet({
      columnData: [{ name: 'a', data: data as never, type: isText ? 'STRING' : 'INT32', ...own }],
      pageSize: 2000,
      rowGroupSize: 3000,
      ...options,
    })
    assert.deepEqual(columnOf(found), data)
    assert.deepEqual(
      found.rows.map(({ row }) => row),
      Array.from(data, (_, index) => index + 1),
    )
  }

  it('reads every encoding, over many pages and row groups', async () => {
    const encodings = ['PLAIN', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT', 'RLE_DICTIONARY']
    for (const encoding of [...encodings, 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY']) {
      await readBack({}, encoding)
    }
  })

  it('reads every compression', async () => {
    const compressors = { GZIP: gzipSync, ZSTD: zstdCompressSync, BROTLI: brotliCompressSync }
    await readBack({ codec: 'UNCOMPRESSED' })
    await readBack({ codec: 'SNAPPY' })
    for (const codec of ['GZIP', 'ZSTD', 'BROTLI'] as const) await readBack({ codec, compressors })
  })
})
