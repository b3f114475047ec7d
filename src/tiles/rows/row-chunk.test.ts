import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Row, Value } from '../../../tests/support/batches.ts'
import { batchesOf, rowsOf, schemaOf, wkb } from '../../../tests/support/batches.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { RowChunk, writeChunk } from './row-chunk.ts'
import {
  readDirectory,
  readHead,
  roundedSides,
  touching,
  writeDirectory,
  writeHead,
} from './row-directory.ts'

const schema = schemaOf(
  {
    ...({ yes: 'boolean', small: 'int16', mid: 'int32', large: 'int64', single: 'float32' } as const),
    ...({ double: 'float64', exact: 'decimal', words: 'text', day: 'date', at: 'time' } as const),
    ...({ moment: 'timestamp' } as const),
  },
  'Point',
)
const whole = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 })
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const values: fc.Arbitrary<Value[]> = fc.tuple(
  ...[fc.boolean(), whole(16), whole(32), long, fc.float({ noNaN: true }), fc.double({ noNaN: true })].map(
    (value) => fc.option(value as fc.Arbitrary<Value>),
  ),
  ...[fc.integer().map(String), fc.string({ unit: 'binary' }), whole(32), long, long].map((value) =>
    fc.option(value as fc.Arbitrary<Value>),
  ),
)
const place = fc.double({ min: -1e6, max: 1e6, noNaN: true })
const someRows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    geometry: fc.tuple(place, place).map((position) => wkb('Point', position)),
    values,
  }),
  { minLength: 1, maxLength: 70 },
)

async function batchOf(rows: Row[]): Promise<FeatureBatch> {
  for await (const batch of batchesOf(schema, rows)) return batch
  throw new Error('There are rows')
}

/** The chunk as a file gives it: behind others, in memory that holds more. */
function readAgain(bytes: Uint8Array): RowChunk {
  const memory = new ArrayBuffer(bytes.length + 64)
  new Uint8Array(memory).set(bytes, 32)
  return new RowChunk(memory, 32, schema)
}

const all = { schema, numbers: schema.attributes.keys().toArray() }

describe('a chunk of rows', () => {
  it('gives back every value, geometry, id and place', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, fc.boolean(), async (rows, areNumbers) => {
        const batch = await batchOf(rows)
        const ids = rows.map((_, row) => (areNumbers ? String(row * 7) : `ä${row}`))
        const places = Uint32Array.from(rows.keys(), (row) => row * 3)
        const sides = roundedSides(batch.geometry?.envelopes ?? new Float64Array(0))
        const chunk = readAgain(writeChunk({ batch, ids, places, sides }))
        const page = chunk.page(all)
        assert.deepEqual(rowsOf(page.batch), rowsOf(batch))
        assert.deepEqual(page.batch.geometry?.envelopes, batch.geometry?.envelopes)
        assert.deepEqual(Array.from(page.ids, String), ids)
        assert.deepEqual([chunk.places, chunk.sides], [places, sides])
        const some = chunk.page({ schema, numbers: [7, 2] })
        assert.deepEqual(
          rowsOf(some.batch).map((row) => row.values),
          rowsOf(batch).map((row) => [row.values[7], row.values[2]]),
        )
      }),
    )
  })

  it('takes rows without values', async () => {
    const rows = [{ geometry: wkb('Point', [1, 2]), values: Array<null>(11).fill(null) }]
    const batch = await batchOf(rows)
    const sides = roundedSides(batch.geometry?.envelopes ?? new Float64Array(0))
    const chunk = readAgain(writeChunk({ batch, ids: [''], places: Uint32Array.of(0), sides }))
    assert.deepEqual(rowsOf(chunk.page(all).batch)[0]?.values, Array(11).fill(null))
    assert.deepEqual(chunk.page(all).ids, [''])
  })
})

describe('the directory of a row file', () => {
  it('is read as it was written, and not where it was cut or is another file', () => {
    const directory = {
      ...{ schema, starts: Float64Array.of(32, 2 ** 40, 2 ** 41) },
      sides: Float32Array.of(1, 2, 3, 4, -5, -6, 7, 8),
    }
    const head = { chunks: 2, directoryAt: 2 ** 41, sizeBytes: 2 ** 41 + 500 }
    const bytes = writeHead(head)
    assert.deepEqual(readHead(bytes), head)
    assert.deepEqual(readDirectory(writeDirectory(directory), head), directory)
    assert.equal(readHead(bytes.subarray(0, 31)), undefined)
    assert.equal(readHead(new Uint8Array(32)), undefined)
    bytes[8] = 99
    assert.equal(readHead(bytes), undefined)
  })

  it('finds every envelope that touches a box, however it was rounded', () => {
    const side = fc.double({ min: -180, max: 180, noNaN: true })
    const box = fc.tuple(side, side, side, side).map(([a, b, c, d]) => ({
      ...{ minX: Math.min(a, c), minY: Math.min(b, d), maxX: Math.max(a, c), maxY: Math.max(b, d) },
    }))
    fc.assert(
      fc.property(fc.array(box), fc.array(box), (envelopes, boxes) => {
        const exact = Float64Array.from(
          envelopes.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]),
        )
        const found = new Set<number>()
        touching(roundedSides(exact), boxes, (at) => found.add(at))
        for (const [at, one] of envelopes.entries()) {
          const isTouching = boxes.some(
            (other) =>
              one.minX <= other.maxX &&
              one.maxX >= other.minX &&
              one.minY <= other.maxY &&
              one.maxY >= other.minY,
          )
          assert.ok(!isTouching || found.has(at))
        }
      }),
    )
  })
})
