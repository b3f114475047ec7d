import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { parquetMetadata } from 'hyparquet'
import { ByteWriter } from 'hyparquet-writer'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import { FormatError } from '../../../src/formats/format.ts'
import { decompress } from '../../../src/formats/geoparquet/decompress.ts'
import { DeltaReader } from '../../../src/formats/geoparquet/delta-reader.ts'
import { geoparquet } from '../../../src/formats/geoparquet/geoparquet.ts'
import { lz4Block, lz4Framed } from '../../../src/formats/geoparquet/lz4.ts'
import { RleReader } from '../../../src/formats/geoparquet/rle-reader.ts'
import { thriftEnd } from '../../../src/formats/geoparquet/thrift-walk.ts'
import { geoParquetBytes, pointWkb } from '../../support/geoparquet-writer.ts'
import { mutation, readDamaged } from '../../support/mutations.ts'
import { readLayer } from '../../support/read-layer.ts'

const folder = mkdtempSync(join(tmpdir(), 'geoparquet-damage-'))
after(() => rmSync(folder, { recursive: true }))
const fixtures = join(import.meta.dirname, '../../../tests/fixtures/geoparquet')
const path = join(folder, 'a.parquet')

function sample(): Buffer {
  const count = 60
  const list = Array.from({ length: count }, (_, row) => (row % 5 === 0 ? null : [row, null, -row]))
  const bytes = geoParquetBytes({
    columnData: [
      { name: 'geometry', data: list.map((_, row) => pointWkb(row, row)) },
      { name: 'number', data: list.map((_, row) => BigInt(row) * 1000n), encoding: 'DELTA_BINARY_PACKED' },
      { name: 'text', data: list.map((_, row) => `t${row % 3}`) },
      { name: 'list', data: list },
    ],
    schema: [
      { name: 'root', num_children: 4 },
      { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
      { name: 'number', type: 'INT64', repetition_type: 'OPTIONAL' },
      { name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
      { name: 'list', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
      { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
      { name: 'element', type: 'INT32', repetition_type: 'OPTIONAL' },
    ],
    codec: 'UNCOMPRESSED',
    statistics: false,
    rowGroupSize: 25,
    geo: { encoding: 'WKB', geometry_types: [] },
  })
  return Buffer.from(bytes)
}

/** Replaces the footer of the bytes. */
function withMetadata(
  bytes: Buffer,
  change: (metadata: ReturnType<typeof parquetMetadata>) => unknown,
): Uint8Array {
  const metadata = parquetMetadata(Uint8Array.from(bytes), { geoparquet: false })
  const writer = new ByteWriter()
  writer.appendBytes(bytes.subarray(0, bytes.length - 8 - metadata.metadata_length))
  change(metadata)
  writeMetadata(writer, metadata)
  writer.appendUint32(0x31524150)
  return writer.getBytes()
}

describe('a damaged Parquet file', () => {
  it('is read or refused, and every row accounted for, whatever bytes change', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(sample(), readFileSync(join(fixtures, 'example.parquet'))),
        mutation,
        async (bytes, changes) => {
          writeFileSync(
            path,
            changes.reduce((changed, change) => change(changed), bytes),
          )
          await readDamaged(geoparquet, path)
        },
      ),
      { numRuns: 400 },
    ))

  it('is read or refused whatever its footer says', () => {
    const bytes = sample()
    const footerBytes = bytes.readUInt32LE(bytes.length - 8)
    const footerAt = bytes.length - 8 - footerBytes
    return fc.assert(
      fc.asyncProperty(fc.nat(footerBytes - 1), fc.nat(255), async (at, byte) => {
        const changed = Buffer.from(bytes)
        changed[footerAt + at] = byte
        writeFileSync(path, changed)
        await readDamaged(geoparquet, path)
      }),
      { numRuns: 400 },
    )
  })

  it('is refused when its counts, columns or bounds cannot be true', async () => {
    const bytes = sample()
    const refusals: [RegExp, Parameters<typeof withMetadata>[1]][] = [
      [
        /declares 61 rows, its row groups have 60/,
        (metadata) => {
          metadata.num_rows = 61n
        },
      ],
      [
        /more than it can hold/,
        (metadata) => {
          metadata.num_rows = 10_000_000_000n
          metadata.row_groups.splice(1)
          if (metadata.row_groups[0] !== undefined) metadata.row_groups[0].num_rows = 10_000_000_000n
        },
      ],
      [
        /has 26 rows, a column of it only 25/,
        (metadata) => {
          metadata.num_rows = 61n
          if (metadata.row_groups[0] !== undefined) metadata.row_groups[0].num_rows = 26n
        },
      ],
      [
        /reaches beyond its data/,
        (metadata) => {
          const data = metadata.row_groups[0]?.columns[0]?.meta_data
          if (data !== undefined) data.total_compressed_size = 1n << 40n
        },
      ],
      [/not a tree/, (metadata) => metadata.schema.push({ name: 'more', type: 'INT32' })],
      [/has 3 columns, the schema 4/, (metadata) => metadata.row_groups[0]?.columns.pop()],
      [
        /keeps its data in other files/,
        (metadata) => {
          if (metadata.row_groups[0]?.columns[0] !== undefined)
            metadata.row_groups[0].columns[0].file_path = '/etc/passwd'
        },
      ],
    ]
    for (const [message, change] of refusals) {
      writeFileSync(path, withMetadata(bytes, change))
      await assert.rejects(readLayer(geoparquet, path), (error) => {
        assert.ok(error instanceof FormatError)
        assert.match(error.message, message)
        return true
      })
    }
  })
})

describe('pages that ask for too much', () => {
  it('are not expanded beyond the size that they declare', () => {
    const bomb = Buffer.alloc(50_000_000)
    for (const [codec, packed] of [
      ['GZIP', gzipSync(bomb)],
      ['ZSTD', zstdCompressSync(bomb)],
      ['BROTLI', brotliCompressSync(bomb)],
    ] as const) {
      assert.equal(decompress(codec, packed, bomb.length).length, bomb.length)
      assert.throws(() => decompress(codec, packed, 1000), FormatError, codec)
      assert.throws(() => decompress(codec, packed, bomb.length + 1), FormatError, codec)
    }
    assert.throws(() => decompress('LZO', bomb, 10), { code: 'not-supported' })
  })

  it('of LZ4 are read bare and framed, and never write beyond their end', () => {
    // "ab" and a match of 6 bytes, 2 back.
    const block = Uint8Array.from([0x22, 0x61, 0x62, 2, 0])
    const text = new TextEncoder().encode('abababab')
    assert.deepEqual(lz4Block(block, 8), text)
    assert.deepEqual(lz4Framed(Uint8Array.from([0, 0, 0, 8, 0, 0, 0, 5, ...block]), 8), text)
    assert.deepEqual(lz4Framed(block, 8), text)
    assert.throws(() => lz4Block(block, 7))
    assert.throws(() => lz4Block(block, 9))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(300), (bytes, size) => {
        try {
          assert.equal(lz4Framed(bytes, size).length, size)
        } catch (error) {
          assert.match(String(error), /LZ4/)
        }
      }),
    )
  })

  it('with runs of a thousand million values cost no memory', () => {
    const run = new RleReader(Uint8Array.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 1]), 0, 1)
    for (let count = 0; count < 1000; count += 1) assert.equal(run.next(), 1)
    const deltas = new DeltaReader(
      Uint8Array.from([0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 0x0f, 2, 2, 0, 0, 0, 0]),
      0,
    )
    for (let count = 0; count < 100; count += 1) assert.equal(deltas.next(), BigInt(count + 1))
  })

  it('with numbers of more than 24 bits are read', () => {
    const value = 0x89abcdef
    const packed = Buffer.alloc(33)
    packed[0] = 3
    for (let index = 0; index < 8; index += 1) packed.writeUInt32LE(value - index, 1 + index * 4)
    const reader = new RleReader(packed, 0, 32)
    for (let index = 0; index < 8; index += 1) assert.equal(reader.next(), value - index)
    assert.throws(() => reader.next(), FormatError)
  })
})

describe('thriftEnd', () => {
  const end = (...bytes: number[]) => thriftEnd(Uint8Array.from(bytes), 0, bytes.length, 100)

  it('finds the end of a struct, or tells that bytes are missing', () => {
    assert.equal(end(0x15, 2, 0, 9, 9), 3)
    assert.equal(end(0x15), undefined)
    assert.equal(end(0x18, 200, 1, 0), undefined)
  })

  it('refuses what is nested deeply, counts too many values, or has numbers without end', () => {
    assert.throws(() => end(...new Array(60).fill(0x1c)), { code: 'damaged-file' })
    assert.throws(() => end(0x19, 0xf3, 120, ...new Array(130).fill(1)), { code: 'too-large' })
    assert.throws(() => end(0x15, ...new Array(20).fill(0xff)), { code: 'damaged-file' })
    assert.throws(() => end(0x1b, 0), { code: 'damaged-file' })
    assert.equal(end(0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f, 0), undefined)
  })
})
