import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runBatch, tableBatch, tableSchema } from '../../tests/support/table-batches.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import { writeGeometryText } from '../geo/wkb-to-wkt.ts'
import { chainSchema } from './chain.ts'

const jts = 'org.locationtech.jts.geom.'
const remap = (field: string, type: string) => ({
  type: 'AttributeRemapTransform',
  field,
  target: `${jts}${type}`,
})

function texts({ geometry, rowCount }: FeatureBatch): (string | null)[] {
  assert.ok(geometry !== undefined)
  return Array.from({ length: rowCount }, (_, row) => {
    const start = geometry.offsets[row] as number
    const end = geometry.offsets[row + 1] as number
    return start === end ? null : writeGeometryText(geometry.bytes.subarray(start, end))
  })
}

function wktBatch(...cells: (string | null)[]): FeatureBatch {
  return tableBatch(
    tableSchema({ id: 'int32', shape: 'text' }),
    cells.map((cell, index) => [index + 1, cell]),
  )
}

describe('AttributeRemapTransform to a geometry class', () => {
  it('makes the geometry of a field with WKT and removes the field', async () => {
    const { batch } = await runBatch(wktBatch('POINT (1 2)', null, ' ', 'SRID=4326;POINT(3 4)'), [
      remap('shape', 'Point'),
    ])
    assert.deepEqual(batch.schema.attributes, [{ name: 'id', type: 'int32' }])
    const { name, type, hasZ } = batch.schema.geometry ?? {}
    assert.deepEqual([name, type, hasZ], ['shape', 'Point', false])
    assert.deepEqual(texts(batch), ['POINT (1 2)', null, null, 'POINT (3 4)'])
  })

  it('rejects rows that hold no geometry, or one that does not go into the type', async () => {
    const { batch } = await runBatch(
      wktBatch('POINT (1 2)', 'nowhere', 'LINESTRING (0 0, 1 1)', 'MULTIPOINT ((5 6))', 'POINT Z (1 2 3)'),
      [remap('shape', 'Point')],
    )
    assert.deepEqual(texts(batch), ['POINT (1 2)', 'POINT (5 6)'])
    assert.deepEqual(
      batch.rejects.map(({ row }) => row).sort((a, b) => a - b),
      [2, 3, 5],
    )
    const reasons = batch.rejects.map(({ reason }) => reason).join('\n')
    assert.match(reasons, /A LineString cannot become a Point/)
    assert.match(reasons, /The geometry has Z, which the column has not/)
  })

  it('keeps Z and M where the example of the field has them', async () => {
    const batch = wktBatch('POINT ZM (1 2 3 4)', 'POINT (1 2)')
    const schema = {
      ...batch.schema,
      attributes: batch.schema.attributes.map((one) =>
        one.name === 'shape' ? { ...one, example: 'POINT ZM (1 2 3 4)' } : one,
      ),
    }
    const { batch: changed } = await runBatch({ ...batch, schema }, [remap('shape', 'Point')])
    assert.deepEqual(texts(changed), ['POINT ZM (1 2 3 4)', 'POINT ZM (1 2 0 0)'])
  })

  it('makes the geometry of a binary field with WKB', async () => {
    const wkb = new Uint8Array(21)
    wkb[0] = 1
    const view = new DataView(wkb.buffer)
    view.setUint32(1, 1, true)
    view.setFloat64(5, 7, true)
    view.setFloat64(13, 8, true)
    const batch = tableBatch(tableSchema({ shape: 'binary' }), [[wkb], [new Uint8Array([9, 9])]])
    const { batch: changed } = await runBatch(batch, [remap('shape', 'MultiPoint')])
    assert.deepEqual(texts(changed), ['MULTIPOINT ((7 8))'])
    assert.equal(changed.rejects[0]?.row, 2)
  })

  it('changes the type of the geometry itself', async () => {
    const { batch } = await runBatch(wktBatch('POINT (1 2)', 'LINESTRING (0 0, 1 1)'), [
      remap('shape', 'Geometry'),
      remap('shape', 'MultiPoint'),
      remap('shape', 'GeometryCollection'),
    ])
    assert.equal(batch.schema.geometry?.type, 'GeometryCollection')
    assert.deepEqual(texts(batch), ['GEOMETRYCOLLECTION (MULTIPOINT ((1 2)))'])
    assert.deepEqual(
      batch.rejects.map(({ row, reason }) => [row, reason]),
      [[2, 'A LineString cannot become a MultiPoint']],
    )
  })

  it('refuses numbers, and a second geometry', () => {
    const table = tableSchema({ n: 'int32', shape: 'text', other: 'text' })
    assert.throws(() => chainSchema(table, [remap('n', 'Point')]), { code: 'unsuitable-field' })
    assert.throws(() => chainSchema(table, [remap('shape', 'Point'), remap('other', 'Point')]), {
      code: 'unsuitable-field',
      message: /"shape" is the geometry already/,
    })
  })
})
