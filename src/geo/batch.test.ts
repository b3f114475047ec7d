import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BatchBuilder } from './batch.ts'
import type { Column } from './column.ts'
import { columnValue } from './column.ts'
import type { BigBuilder, FixedBuilder, VarBuilder } from './column-builder.ts'
import type { Schema } from './schema.ts'
import { selectRows } from './select-rows.ts'
import { wkbEnvelope } from './wkb.ts'

const schema: Schema = {
  attributes: [
    { name: 'id', type: 'int64' },
    { name: 'name', type: 'text' },
    { name: 'height', type: 'float64' },
  ],
  geometry: { name: 'geom', type: 'Point', hasZ: false, hasM: false, crs: { srs: 'EPSG:4326' } },
}

interface Row {
  id?: number
  name?: string
  height?: number
  point?: [number, number]
}

function append(builder: BatchBuilder, row: Row): void {
  const [id, name, height] = builder.columns as [BigBuilder, VarBuilder, FixedBuilder]
  if (row.id !== undefined) id.appendNumber(row.id)
  if (row.name !== undefined) name.appendString(row.name)
  if (row.height !== undefined) height.append(row.height)
  if (row.point !== undefined && builder.geometry !== undefined) {
    builder.geometry.header(1, false, false)
    builder.geometry.coordinate(...row.point)
    builder.geometry.endGeometry()
  }
}

function build(rows: Row[]): BatchBuilder {
  const builder = new BatchBuilder(schema)
  rows.forEach((row, index) => {
    append(builder, row)
    builder.endRow(index + 1)
  })
  return builder
}

const values = (column: Column | undefined, rows: number): unknown[] =>
  Array.from({ length: rows }, (_, row) => (column === undefined ? undefined : columnValue(column, row)))

describe('a batch', () => {
  it('sets what a row leaves out to null', () => {
    const batch = build([
      { id: -5, name: 'é' },
      { height: 1.5, point: [1, 2] },
    ]).finish()
    assert.deepEqual(values(batch.columns[0], 2), [-5n, null])
    assert.deepEqual(values(batch.columns[1], 2), ['é', null])
    assert.deepEqual(values(batch.columns[2], 2), [null, 1.5])
    assert.equal(batch.geometry?.nullCount, 1)
    assert.deepEqual([...(batch.geometry?.envelopes.subarray(4) ?? [])], [1, 2, 1, 2])
  })

  it('takes back a rejected row whole, an unfinished geometry included', () => {
    const builder = build([{ id: 1, name: 'a', point: [1, 1] }])
    append(builder, { id: 2, name: 'lost' })
    builder.geometry?.header(1, false, false)
    builder.rejectRow({ row: 2, reason: 'no good' })
    append(builder, { id: 3, name: 'c', point: [3, 3] })
    builder.endRow(3)
    const batch = builder.finish()
    assert.equal(batch.rowCount, 2)
    assert.deepEqual(values(batch.columns[1], 2), ['a', 'c'])
    assert.deepEqual([...batch.rowNumbers], [1, 3])
    assert.deepEqual(batch.rejects, [{ row: 2, reason: 'no good' }])
    const geometry = batch.geometry
    assert.deepEqual(
      wkbEnvelope(geometry?.bytes.subarray(geometry.offsets[1], geometry.offsets[2]) ?? new Uint8Array()),
      { minX: 3, minY: 3, maxX: 3, maxY: 3 },
    )
  })

  it('holds safe integers of both signs without a bigint', () => {
    const ids = [0, 1, -1, 2 ** 32, -(2 ** 32) - 7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
    const batch = build(ids.map((id) => ({ id }))).finish()
    assert.deepEqual(values(batch.columns[0], ids.length), ids.map(BigInt))
  })

  it('is full when its texts reach a mebibyte', () => {
    const builder = build([{ name: 'x'.repeat(1 << 20) }])
    assert.equal(builder.isFull, true)
  })

  it('selects rows with nulls, texts and envelopes in the order wanted', () => {
    const batch = build([
      { name: 'a', point: [1, 1] },
      { id: 2 },
      { id: 3, name: 'ccc', point: [3, 4] },
    ]).finish()
    const selected = selectRows(batch, Uint32Array.of(2, 1))
    assert.equal(selected.rowCount, 2)
    assert.deepEqual(values(selected.columns[0], 2), [3n, 2n])
    assert.deepEqual(values(selected.columns[1], 2), ['ccc', null])
    assert.equal(selected.columns[1]?.nullCount, 1)
    assert.deepEqual([...selected.rowNumbers], [3, 2])
    assert.deepEqual([...(selected.geometry?.envelopes.subarray(0, 4) ?? [])], [3, 4, 3, 4])
    assert.equal(selected.geometry?.nullCount, 1)
  })
})
