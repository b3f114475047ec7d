import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillDimensions } from './fill-dimensions.ts'
import type { GeometryColumn } from './geometry-builder.ts'
import { GeometryBuilder } from './geometry-builder.ts'
import { writeGeometryText } from './wkb-to-wkt.ts'
import { WktReader } from './wkt.ts'

type Dimensions = { hasZ: boolean; hasM: boolean }

const both = { hasZ: true, hasM: true }

/** Reads each text with the dimensions that it has, or with those that are given. */
function columnOf(texts: (string | null)[], dimensions?: Dimensions): GeometryColumn {
  const builder = new GeometryBuilder(texts.length)
  for (const text of texts) {
    if (text === null) {
      builder.appendNull()
      continue
    }
    const own = { hasZ: / ZM? /.test(text), hasM: / Z?M /.test(text) }
    const bytes = Buffer.from(text)
    new WktReader({ isMulti: false, ...(dimensions ?? own) }).read(bytes, 0, bytes.length, builder)
  }
  return builder.finish()
}

function textsOf({ bytes, offsets }: GeometryColumn): string[] {
  return Array.from({ length: offsets.length - 1 }, (_, row) =>
    offsets[row] === offsets[row + 1]
      ? ''
      : writeGeometryText(bytes.subarray(offsets[row], offsets[row + 1])),
  )
}

const texts = [
  'POINT (1 2)',
  'POINT Z (1 2 3)',
  'POINT M (1 2 3)',
  'POINT ZM (1 2 3 4)',
  'POINT EMPTY',
  null,
  'LINESTRING M (0 0 5,1 1 6)',
  'POLYGON ((0 0,4 0,4 4,0 0),(1 1,2 1,2 2,1 1))',
  'MULTIPOINT ((1 2),(3 4))',
  'MULTILINESTRING Z ((0 0 1,1 1 2),(2 2 3,3 3 4))',
  'MULTIPOLYGON (((0 0,4 0,4 4,0 0)),((9 9,10 9,10 10,9 9)))',
  'GEOMETRYCOLLECTION (POINT (1 2),GEOMETRYCOLLECTION (LINESTRING (0 0,1 1)))',
  'MULTIPOLYGON EMPTY',
]

describe('geometries without the Z or M of others', () => {
  it('get 0, as text that is read with those dimensions', () => {
    for (const expected of [both, { hasZ: true, hasM: false }, { hasZ: false, hasM: true }]) {
      const given = texts.filter(
        (text) =>
          text === null || ((expected.hasZ || !/ Z/.test(text)) && (expected.hasM || !/M \(/.test(text))),
      )
      const column = columnOf(given)
      const { geometry, filled } = fillDimensions(column, given.length, expected)
      assert.deepEqual(textsOf(geometry), textsOf(columnOf(given, expected)))
      assert.deepEqual(geometry.envelopes, column.envelopes)
      assert.deepEqual(geometry.validity, column.validity)
      const complete = given.filter(
        (text) => text === null || textsOf(columnOf([text], expected))[0] === text,
      )
      assert.equal(filled, given.length - complete.length)
    }
  })

  it('stay as they are where nothing is missing, and where they have more than is wanted', () => {
    const column = columnOf(['POINT Z (1 2 3)', 'POINT (1 2)'])
    const flat = fillDimensions(column, 2, { hasZ: false, hasM: false })
    assert.equal(flat.geometry, column)
    const measured = fillDimensions(column, 2, { hasZ: false, hasM: true })
    assert.deepEqual(textsOf(measured.geometry), ['POINT Z (1 2 3)', 'POINT M (1 2 0)'])
    assert.equal(measured.filled, 1)
  })
})
