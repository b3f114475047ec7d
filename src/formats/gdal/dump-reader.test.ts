import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { tableRows } from '../../../tests/support/table-batches.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { FormatError } from '../format.ts'
import { readDumpHeader, readGdalDump } from './dump-reader.ts'

const header = [
  'SET standard_conforming_strings = OFF;',
  'BEGIN;',
  'CREATE TABLE "public"."t" ( "ogc_fid" SERIAL, CONSTRAINT "t_pk" PRIMARY KEY ("ogc_fid") );',
  `SELECT AddGeometryColumn('public','t','it''s',4326,'MULTIPOINT',3);`,
  'ALTER TABLE "public"."t" ADD COLUMN "a ""b""" VARCHAR NOT NULL;',
  'ALTER TABLE "public"."t" ADD COLUMN "n" INT8;',
  'ALTER TABLE "public"."t" ADD COLUMN "at" timestamp with time zone;',
  'COPY "public"."t" ("it\'s", "a ""b""", "n", "at") FROM STDIN;',
]
const signal = new AbortController().signal

async function* pieces(text: string | Uint8Array, size = 1 << 16): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(text: string | Uint8Array, size?: number): Promise<FeatureBatch[]> {
  const { schema } = await readDumpHeader(pieces(header.join('\n'), size))
  const batches: FeatureBatch[] = []
  for await (const batch of readGdalDump(pieces(text, size), schema, signal)) batches.push(batch)
  return batches
}

const dump = (...rows: string[]): string => `${[...header, ...rows].join('\n')}\n\\.\nEND;\nCOMMIT;\n`

describe('the dump that GDAL writes', () => {
  it('tells the schema', async () => {
    const { schema } = await readDumpHeader(pieces(header.join('\n')))
    assert.deepEqual(schema, {
      attributes: [
        { name: 'a "b"', type: 'text' },
        { name: 'n', type: 'int64' },
        { name: 'at', type: 'timestamp' },
      ],
      geometry: { name: "it's", type: 'MultiPoint', hasZ: true, hasM: false, crs: undefined },
    })
  })

  it('gives values without escapes, nulls, times and 64-bit integers, wherever a piece ends', async () => {
    const rows = [
      '\\N\tx\\\ty\\\nz\\\\\t9223372036854775807\t2020/01/02 10:11:12.5+0530',
      '\\N\t\\N\t\\N\t\\N',
    ]
    for (const size of [1, 7, 1 << 16]) {
      const [batch] = await read(dump(...rows), size)
      assert.deepEqual(batch && tableRows(batch), [
        ['x\ty\nz\\', 2n ** 63n - 1n, BigInt(Date.parse('2020-01-02T04:41:12.5Z')) * 1000n],
        [null, null, null],
      ])
    }
  })

  it('rejects rows with values or geometries that do not fit, and goes on', async () => {
    const [batch] = await read(dump('\\N\tx\tmany\t\\N', '0107\ty\t1\t\\N', '\\N\tz\t2\t\\N'))
    assert.deepEqual(batch && [...batch.rowNumbers], [3])
    assert.deepEqual(
      batch?.rejects.map(({ row, field, value }) => [row, field, value]),
      [
        [1, 'n', 'many'],
        [2, "it's", undefined],
      ],
    )
  })

  it('does not take a dump that breaks off for a whole one', async () => {
    const text = dump('\\N\tx\t1\t\\N')
    await assert.rejects(read(text.slice(0, text.indexOf('\\.'))), FormatError)
  })

  it('refuses rows of another schema than the one described', async () => {
    await assert.rejects(read(dump().replaceAll('"n"', '"m"')), { code: 'file-changed' })
  })

  it('accounts for every row of damaged bytes, without crash', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 50 }),
        async (rows, size) => {
          const body = rows.map((row) => Buffer.from(row.filter((byte) => byte !== 0x0a && byte !== 0x5c)))
          const lines = body.filter((line) => line.length > 0)
          const text = Buffer.concat([
            Buffer.from(`${header.join('\n')}\n`),
            ...lines.flatMap((line) => [line, Buffer.from('\n')]),
            Buffer.from('\\.\n'),
          ])
          const batches = await read(text, size)
          const found = batches.reduce((sum, batch) => sum + batch.rowCount + batch.rejects.length, 0)
          assert.equal(found, lines.length)
        },
      ),
      { numRuns: 100 },
    ))
})
