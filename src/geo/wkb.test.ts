import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { GeometryBuilder } from './geometry-builder.ts'
import { GeometryError, normalizeWkb, WkbScanner, walkCoordinates, wkbEnvelope } from './wkb.ts'

const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const littlePoint = fromHex('01 01000000 000000000000F03F 0000000000000040')
const bigPoint = fromHex('00 00000001 3FF0000000000000 4000000000000000')
const ewkbPointZ = fromHex('01 010000A0 E6100000 000000000000F03F 0000000000000040 0000000000000840')

describe('well-known binary', () => {
  it('rewrites big-endian as little-endian', () => {
    assert.deepEqual(normalizeWkb(bigPoint), littlePoint)
  })

  it('rewrites the Z and SRID flags of EWKB as an ISO type number', () => {
    const normalized = normalizeWkb(ewkbPointZ)
    assert.equal(viewOf(normalized).getUint32(1, true), 1001)
    assert.equal(normalized.length, 29)
  })

  it('finds the envelope of nested parts', () => {
    const collection = Buffer.concat([fromHex('01 07000000 02000000'), littlePoint, bigPoint])
    assert.deepEqual(wkbEnvelope(collection), { minX: 1, minY: 2, maxX: 1, maxY: 2 })
  })

  it('knows an empty point by its NaN coordinates', () => {
    assert.equal(wkbEnvelope(fromHex('01 01000000 000000000000F87F 000000000000F87F')), undefined)
  })

  it('refuses a coordinate that is not finite', () => {
    const infinite = fromHex('01 01000000 000000000000F07F 0000000000000040')
    assert.throws(() => wkbEnvelope(infinite), /not finite: Infinity 2/)
  })

  it('refuses a count that the bytes cannot hold before reading on', () => {
    assert.throws(() => wkbEnvelope(fromHex('01 02000000 FFFFFFFF')), GeometryError)
  })

  it('refuses nesting without end', () => {
    const nested = Buffer.concat([
      ...Array.from({ length: 100 }, () => fromHex('01 07000000 01000000')),
      littlePoint,
    ])
    assert.throws(() => wkbEnvelope(nested), /nested/)
  })

  it('never fails otherwise than by a geometry error on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 40 }), (bytes, at) => {
        const mutated = new Uint8Array(Buffer.concat([littlePoint, bigPoint, bytes]))
        mutated[at] = bytes[0] ?? 7
        try {
          new WkbScanner().scan(viewOf(mutated), 0)
        } catch (error) {
          assert.ok(error instanceof GeometryError)
        }
      }),
    )
  })

  it('walks every coordinate of what a builder wrote', () => {
    const builder = new GeometryBuilder(2)
    builder.header(5, true, false)
    builder.count(1)
    builder.header(2, true, false)
    builder.count(2)
    for (const [x, y] of [
      [1, 2],
      [3, 4],
    ] as const) {
      builder.coordinate(x, y)
      builder.ordinate(9)
    }
    builder.endGeometry()
    const column = builder.finish()
    const view = viewOf(column.bytes)
    const seen: number[] = []
    const end = walkCoordinates(view, 0, (at, count, dimensions) => {
      for (let i = 0; i < count * dimensions; i += 1) seen.push(view.getFloat64(at + i * 8, true))
    })
    assert.deepEqual(seen, [1, 2, 9, 3, 4, 9])
    assert.equal(end, column.bytes.length)
    assert.deepEqual([...column.envelopes], [1, 2, 3, 4])
  })

  it('leaves a row unwritten whose bytes are no geometry', () => {
    const builder = new GeometryBuilder(2)
    assert.throws(() => builder.appendWkb(fromHex('01 0100')), GeometryError)
    builder.appendWkb(littlePoint)
    assert.deepEqual(builder.finish().bytes, littlePoint)
  })
})
