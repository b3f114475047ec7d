import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Row, Value } from '../../../tests/support/batches.ts'
import { batchesOf, schemaOf, wkb } from '../../../tests/support/batches.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import type { ShownCells } from '../attributes.ts'
import { isText } from '../attributes.ts'
import { CellMessages } from '../cell-messages.ts'
import { createTileEncoder } from '../encode-tile.ts'
import { getTileMatrixSet } from '../tile-matrix-sets.ts'
import { NearRows, RowMemory, writeChunk } from './row-chunk.ts'
import {
  readDirectory,
  readDirectoryHead,
  roundedSides,
  touchingRows,
  widenedBoxes,
  writeDirectory,
  writeHead,
} from './row-directory.ts'

const schema = schemaOf(
  {
    yes: 'boolean',
    small: 'int16',
    mid: 'int32',
    large: 'int64',
    single: 'float32',
    double: 'float64',
    exact: 'decimal',
    words: 'text',
    day: 'date',
    at: 'time',
    moment: 'timestamp',
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
  fc.record({ geometry: fc.tuple(place, place).map((position) => wkb('Point', position)), values }),
  { minLength: 1, maxLength: 70 },
)

async function batchOf(rows: Row[]): Promise<FeatureBatch> {
  for await (const batch of batchesOf(schema, rows)) return batch
  throw new Error('There are rows')
}

/** Returns chunks as read from a file, after other bytes; with all of their rows. */
function readAgain(chunks: Uint8Array[]): NearRows {
  const memory = new RowMemory(chunks.reduce((sum, { length }) => sum + length, 64))
  const rows = new NearRows(memory)
  let at = 32
  for (const chunk of chunks) {
    memory.bytes.set(chunk, at)
    rows.add(at, chunk.length, widenedBoxes([everywhere]))
    at += chunk.length
  }
  rows.sort()
  return rows
}

const everywhere = { minX: -1e9, minY: -1e9, maxX: 1e9, maxY: 1e9 }
const set = getTileMatrixSet('WebMercatorQuad')
const tile = { z: 0, x: 0, y: 0 }

/** Returns the shown columns. */
function shownOf(names: readonly string[]): ShownCells {
  const attributes = schema.attributes.filter(({ name }) => names.includes(name))
  return {
    schema: { ...schema, attributes },
    numberOf: Int16Array.from(schema.attributes, (attribute) => attributes.indexOf(attribute)),
    areTexts: Uint8Array.from(schema.attributes, ({ type }) => (isText(type) ? 1 : 0)),
  }
}

/** Returns the rows in two chunks: every third one, and the others. */
function chunksOf(batch: FeatureBatch, ids: string[]): Uint8Array[] {
  const all = Array.from({ length: batch.rowCount }, (_, row) => row)
  const cells = new CellMessages(batch.schema)
  return [all.filter((row) => row % 3 === 0), all.filter((row) => row % 3 > 0)]
    .filter((rows) => rows.length > 0)
    .map((rows) => {
      const places = Uint32Array.from(rows, (row) => row * 5)
      const envelopes = Float64Array.from(
        rows.flatMap((row) => [...(batch.geometry?.envelopes.subarray(row * 4, row * 4 + 4) ?? [])]),
      )
      return writeChunk({ batch, rows, ids, places, sides: roundedSides(envelopes), cells })
    })
}

/** Returns the tile with the rows of a batch, as rendered from a table with these columns. */
function tileOf(batch: FeatureBatch, ids: string[], shown: Schema): Uint8Array {
  const encoder = createTileEncoder({ name: 'rows', schema: shown, set, tile })
  const columns = shown.attributes.map(
    (attribute) => batch.columns[batch.schema.attributes.indexOf(attribute)],
  )
  void encoder.add({ batch: { ...batch, schema: shown, columns: columns as FeatureBatch['columns'] }, ids })
  return encoder.finish().bytes
}

function tileOfNear(rows: NearRows, shown: ShownCells): Uint8Array {
  const encoder = createTileEncoder({ name: 'rows', schema: shown.schema, set, tile })
  encoder.addNear(rows, 0, rows.count, shown)
  return encoder.finish().bytes
}

const names = schema.attributes.map(({ name }) => name)

describe('a chunk of rows', () => {
  it('makes the tile that its rows make, whatever is shown of them', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, fc.boolean(), fc.subarray(names), async (rows, areNumbers, some) => {
        const batch = await batchOf(rows)
        const ids = rows.map((_, row) => (areNumbers ? String(row * 7) : `ä${row}`))
        const near = readAgain(chunksOf(batch, ids))
        assert.equal(near.count, rows.length)
        for (const columns of [names, some]) {
          const shown = shownOf(columns)
          assert.deepEqual(tileOfNear(near, shown), tileOf(batch, ids, shown.schema))
        }
      }),
    )
  })

  it('leaves out the same of texts that are too long', async () => {
    const lengths = [1 << 20, (1 << 20) + 1, 300_000, 900_000, 120, 126, 127, 128, 16_379, 16_384]
    const texts = lengths.map((length) => 'x'.repeat(length))
    const rows = texts.flatMap((exact) =>
      texts.map((words) => ({
        geometry: wkb('Point', [1, 2]),
        values: [true, 1, 2, 3n, 4, 5, exact, words, 6, 7n, 8n],
      })),
    )
    const shown = shownOf(names)
    const [encoder, other] = [0, 1].map(() =>
      createTileEncoder({ name: 'rows', schema, set, tile, limits: { bytes: 1 << 29 } }),
    )
    for await (const batch of batchesOf(schema, rows)) {
      const ids = Array.from({ length: batch.rowCount }, (_, row) => String(row))
      const near = readAgain(chunksOf(batch, ids))
      encoder?.addNear(near, 0, near.count, shown)
      void other?.add({ batch, ids })
    }
    const [ours, theirs] = [encoder?.finish(), other?.finish()]
    assert.deepEqual(ours?.counts, theirs?.counts)
    assert.ok((ours?.counts.longTexts ?? 0) > 20)
    assert.ok(Buffer.from(ours?.bytes ?? []).equals(Buffer.from(theirs?.bytes ?? [])))
  })

  it('is told from one that is damaged, wherever that is, or makes a tile', async () => {
    const rows = [1, 2, 3].map((n) => ({
      geometry: wkb('Point', [n, n]),
      values: Array<Value>(11).fill(null),
    }))
    const batch = await batchOf(rows)
    const [chunk] = chunksOf(batch, ['1', '2', '3'])
    const shown = shownOf(names)
    let refused = 0
    for (let at = 0; at < (chunk?.length ?? 0); at += 1) {
      const broken = Uint8Array.from(chunk ?? [])
      broken[at] = 0xff
      try {
        tileOfNear(readAgain([broken]), shown)
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error))
        refused += 1
      }
    }
    assert.ok(refused > 4, `${refused} were refused`)
  })

  it('takes rows without values, and without a geometry', async () => {
    const values = Array<null>(11).fill(null)
    const batch = await batchOf([
      { geometry: wkb('Point', [1, 2]), values },
      { geometry: null, values },
    ])
    const near = readAgain([
      writeChunk({
        batch,
        rows: [0, 1],
        ids: ['', 'b'],
        places: Uint32Array.of(0, 1),
        sides: roundedSides(Float64Array.of(1, 2, 1, 2, 0, 0, 0, 0)),
        cells: new CellMessages(schema),
      }),
    ])
    assert.deepEqual(tileOfNear(near, shownOf(names)), tileOf(batch, ['', 'b'], schema))
  })
})

describe('the directory of a row file', () => {
  it('is read as it was written, and not where it was cut or is another file', () => {
    const directory = {
      schema,
      starts: Float64Array.of(32, 2 ** 40, 2 ** 41),
      sides: Float32Array.of(1, 2, 3, 4, -5, -6, 7, 8),
    }
    const head = { chunks: 2, directoryAt: 2 ** 41, sizeBytes: 2 ** 41 + 500 }
    const bytes = writeHead(head)
    assert.deepEqual(readDirectoryHead(bytes), head)
    assert.deepEqual(readDirectory(writeDirectory(directory), head), directory)
    assert.equal(readDirectoryHead(bytes.subarray(0, 31)), undefined)
    assert.equal(readDirectoryHead(new Uint8Array(32)), undefined)
    bytes[8] = 99
    assert.equal(readDirectoryHead(bytes), undefined)
  })

  it('finds every envelope that touches a box, however it was rounded', () => {
    const side = fc.double({ min: -180, max: 180, noNaN: true })
    const box = fc
      .tuple(side, side, side, side)
      .map(([a, b, c, d]) => ({
        minX: Math.min(a, c),
        minY: Math.min(b, d),
        maxX: Math.max(a, c),
        maxY: Math.max(b, d),
      }))
    fc.assert(
      fc.property(fc.array(box), fc.array(box), (envelopes, boxes) => {
        const exact = Float64Array.from(
          envelopes.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]),
        )
        const numbers = new Uint32Array(envelopes.length)
        const query = { from: 0, count: envelopes.length, boxes: widenedBoxes(boxes) }
        const end = touchingRows(roundedSides(exact), query, numbers, 0)
        const found = new Set(numbers.subarray(0, end))
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
