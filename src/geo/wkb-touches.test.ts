import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GeometryBuilder } from './geometry-builder.ts'
import { exactSideOf } from './validity/orientation.ts'
import { GeometryError } from './wkb.ts'
import { BoxTest } from './wkb-touches.ts'
import { WktReader } from './wkt.ts'

const box = { minX: 2, minY: 2, maxX: 4, maxY: 4 }

function wkb(wkt: string): Uint8Array {
  const builder = new GeometryBuilder(1)
  const bytes = Buffer.from(wkt)
  const [hasZ, hasM] = [/ ZM? /.test(wkt), / Z?M /.test(wkt)]
  new WktReader({ isMulti: false, hasZ, hasM }).read(bytes, 0, bytes.length, builder)
  return builder.finish().bytes
}

const cases: [string, boolean][] = [
  ['POINT (3 3)', true],
  ['POINT (2 4)', true],
  ['POINT (1 3)', false],
  ['POINT EMPTY', false],
  ['POINT Z (3 3 99)', true],
  ['POINT ZM (3 5 3 3)', false],
  ['MULTIPOINT ((0 0), (4 2))', true],
  ['LINESTRING (0 0, 9 9)', true],
  ['LINESTRING (0 5, 5 0)', true],
  ['LINESTRING (0 4, 4 0)', true],
  ['LINESTRING (0 3, 3 0)', false],
  ['LINESTRING M (0 3 3, 3 0 3)', false],
  ['LINESTRING (0 5, 9 5)', false],
  ['LINESTRING (0 4, 9 4)', true],
  ['LINESTRING (0 0, 0 9, 9 9)', false],
  ['MULTILINESTRING ((0 0, 0 9), (0 5, 9 1))', true],
  ['POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0))', true],
  ['POLYGON ((0 0, 9 0, 0 9, 0 0), (1 1, 5 1, 5 3.5, 3.5 5, 1 5, 1 1))', false],
  ['POLYGON ((0 0, 9 0, 0 9, 0 0), (1 1, 5 1, 5 3, 3 5, 1 5, 1 1))', true],
  ['POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 8 1, 8 8, 1 8, 1 1))', false],
  ['POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (2 2, 8 2, 8 8, 2 8, 2 2))', true],
  ['POLYGON ((0 0, 9 0, 9 1, 1 1, 1 9, 0 9, 0 0))', false],
  ['MULTIPOLYGON (((5 5, 6 5, 6 6, 5 5)), ((0 0, 9 0, 9 9, 0 9, 0 0)))', true],
  ['GEOMETRYCOLLECTION (POINT (0 0), LINESTRING (0 5, 5 0))', true],
  ['GEOMETRYCOLLECTION EMPTY', false],
]

describe('whether a geometry touches a box', () => {
  for (const [wkt, isTouching] of cases) {
    it(`${isTouching ? 'finds' : 'leaves out'} ${wkt}`, () => {
      assert.equal(new BoxTest(box).touches(wkb(wkt)), isTouching)
    })
  }

  it('decides where rounding would not', () => {
    const far = 2 ** 53
    assert.equal(exactSideOf(0, 0, far, far - 1, far / 2, far / 2 - 1), -1)
    assert.equal(exactSideOf(2 ** -1000, 0, 3 * 2 ** -1000, 2 ** -999, 2 ** -999, 2 ** -1000), 0)
    assert.equal(exactSideOf(0, 0, 1e308, 1e308, 1e308, 1.1e308), 1)
    assert.equal(exactSideOf(0.1, 0.1, 0.3, 0.3, 0.2, 0.2), 0)
  })

  it('reads big-endian and extended forms, and what does not begin the bytes', () => {
    const big = Buffer.alloc(30)
    big.writeUInt8(0, 5)
    big.writeUInt32BE(0x20000001, 6)
    big.writeUInt32BE(4326, 10)
    big.writeDoubleBE(3, 14)
    big.writeDoubleBE(4, 22)
    assert.equal(new BoxTest(box).touches(big, 5), true)
  })

  it('refuses bytes that are no geometry', () => {
    const line = wkb('LINESTRING (0 0, 1 1)')
    const endless = Uint8Array.from(line)
    endless.fill(0xff, 5, 9)
    const nested = Buffer.concat(Array.from({ length: 40 }, () => Buffer.from([1, 7, 0, 0, 0, 1, 0, 0, 0])))
    const curve = Uint8Array.from(line)
    curve[1] = 8
    const odd = Uint8Array.from(line)
    odd[0] = 2
    for (const bytes of [line.subarray(0, 20), endless, nested, curve, odd, new Uint8Array()])
      assert.throws(() => new BoxTest(box).touches(bytes), GeometryError)
  })
})
