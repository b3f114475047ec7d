import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { schemaOf, wkb } from '../../tests/support/batches.ts'
import { decodeTile, encodeRows } from '../../tests/support/tiles.ts'
import { createReprojector } from '../geo/crs-reproject.ts'

const flat = schemaOf({}, 'Geometry')
const world = { z: 0, x: 0, y: 0 }
const crs = { crs: 'EPSG:4326', reprojector: await createReprojector('EPSG:4326', 'EPSG:3857') }

const square = (x: number, y: number, size: number): number[][] => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
]

describe('the features of a tile', () => {
  it('keeps the largest rows within its limits, and the same ones however rows come', async () => {
    const rows = Array.from({ length: 500 }, (_, at) => ({
      geometry: wkb('Polygon', [
        square((at % 25) * 6 - 80, Math.floor(at / 25) * 5 - 60, 1 + ((at * 7) % 50) / 20),
      ]),
      values: [`name ${at}`, 'same'],
    }))
    const schema = schemaOf({ name: 'text', same: 'text' }, 'Polygon')
    for (const limits of [{ features: 40 }, { vertices: 163 }, { bytes: 700 }]) {
      const { bytes, counts } = await encodeRows(rows, { schema, tile: world, limits, ...crs })
      const features = decodeTile(bytes)
      assert.equal(counts.drawn, features.length)
      assert.equal(counts.drawn + counts.overLimit, 500)
      assert.ok(features.length >= 25 && features.length <= 40, `${features.length}`)
      assert.ok(features.every(({ id, properties }) => properties['name'] === `name ${Number(id) - 1}`))
      const least = Math.min(...features.map(({ id }) => ((Number(id) - 1) * 7) % 50))
      assert.ok(least >= 45, `${least}`)
    }
  })

  it('leaves out whatever comes behind the first row that is too much, however rows come', async () => {
    const shape = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 4, max: 60 }))
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 80 }), async (shapes) => {
        const rows = shapes.map(([radius, corners], at) => {
          const [x, y] = [(at % 10) * 15 - 70, Math.floor(at / 10) * 15 - 60]
          const ring = Array.from({ length: corners + 1 }, (_, corner) => {
            const angle = ((corner % corners) / corners) * 2 * Math.PI
            return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
          })
          return { geometry: wkb('Polygon', [ring]), values: [] }
        })
        const options = { schema: flat, tile: world, ...crs }
        const all = decodeTile((await encodeRows(rows, options)).bytes)
        const vertices = all.map(({ paths }) => paths.flat().length)
        const order = all.map((_, at) => at).sort((a, b) => sizeOf(rows, b) - sizeOf(rows, a) || a - b)
        const sums = order.map((_, place) => sumOf(order.slice(0, place + 1).map((at) => vertices[at] ?? 0)))
        const end = sums.findIndex((sum, place) => sum > 150 && place > 0)
        const expected = (end < 0 ? order : order.slice(0, end)).map((at) => at + 1).sort((a, b) => a - b)
        const { bytes, counts } = await encodeRows(rows, { ...options, limits: { vertices: 150 } })
        assert.deepEqual(
          decodeTile(bytes).map(({ id }) => id),
          expected,
        )
        assert.equal(counts.overLimit, rows.length - expected.length)
      }),
      { numRuns: 60, seed: 11 },
    )
  })

  it('counts the values of features among its bytes, each once', async () => {
    const schema = schemaOf({ text: 'text' }, 'Polygon')
    const rowsOf = (textOf: (at: number) => string) =>
      Array.from({ length: 300 }, (_, at) => ({
        geometry: wkb('Polygon', [
          square((at % 25) * 6 - 80, Math.floor(at / 25) * 5 - 60, 1 + (at % 97) / 40),
        ]),
        values: [textOf(at)],
      }))
    const long = (letter: string) => letter.repeat(1000)
    const limits = { bytes: 20_000 }
    const shared = await encodeRows(
      rowsOf(() => long('a')),
      { schema, tile: world, limits, ...crs },
    )
    assert.equal(shared.counts.overLimit, 0)
    const own = rowsOf((at) => `${at} ${long('b')}`)
    const { bytes, counts } = await encodeRows(own, { schema, tile: world, limits, ...crs })
    assert.ok(bytes.length < 20_000 + 300, `${bytes.length}`)
    const shown = decodeTile(bytes)
    assert.deepEqual([shown.length, counts.drawn, counts.overLimit], [19, 19, 281])
    for (const { id, properties } of shown) assert.equal(properties['text'], `${Number(id) - 1} ${long('b')}`)
    const order = own.map((_, at) => at).sort((a, b) => (b % 97) - (a % 97) || a - b)
    assert.deepEqual(
      shown.map(({ id }) => Number(id) - 1),
      order.slice(0, 19).sort((a, b) => a - b),
    )
  })

  it('leaves out texts with which a feature would hold more than a megabyte of them, and counts them', async () => {
    const schema = schemaOf({ first: 'text', second: 'text', third: 'text' }, 'GeometryCollection')
    const geometry = collectionOf([
      wkb('Point', [1, 1]),
      wkb('LineString', [
        [0, 0],
        [30, 30],
      ]),
    ])
    const values = ['a'.repeat(600_000), 'b'.repeat(600_000), 'c']
    const { bytes, counts } = await encodeRows([{ geometry, values }], { schema, tile: world, ...crs })
    assert.deepEqual([counts.drawn, counts.overLimit, counts.longTexts], [1, 0, 1])
    for (const { properties } of decodeTile(bytes))
      assert.deepEqual(properties, { first: values[0], third: 'c' })
  })

  it('draws the parts of a row all or none', async () => {
    const collection = (x: number) =>
      collectionOf([
        wkb('Point', [x, 1]),
        wkb('LineString', [
          [x, 0],
          [x + 5, 30],
        ]),
      ])
    const rows = Array.from({ length: 9 }, (_, at) => ({ geometry: collection(at * 10), values: [] }))
    const { bytes, counts } = await encodeRows(rows, {
      schema: flat,
      tile: world,
      limits: { features: 5 },
      ...crs,
    })
    assert.deepEqual([counts.drawn, counts.overLimit], [2, 7])
    assert.deepEqual(
      decodeTile(bytes).map(({ id }) => id),
      [1, 1, 2, 2],
    )
  })
})

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** Returns the longer side of the envelope of a row, a polygon. */
function sizeOf(rows: { geometry: Uint8Array }[], row: number): number {
  const bytes = rows[row]?.geometry ?? new Uint8Array(0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = view.getUint32(9, true)
  const sides = [0, 8].map((axis) => {
    const values = Array.from({ length: count }, (_, at) => view.getFloat64(13 + at * 16 + axis, true))
    return Math.max(...values) - Math.min(...values)
  })
  return Math.max(...sides)
}

function collectionOf(parts: Uint8Array[]): Uint8Array {
  return Buffer.concat([new Uint8Array([1, 7, 0, 0, 0, parts.length, 0, 0, 0]), ...parts])
}
