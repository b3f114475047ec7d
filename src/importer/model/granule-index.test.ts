import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { without } from '../../core/values/defined.ts'
import { batchRows } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import { writeGeometryJson } from '../../geo/wkb-to-geojson.ts'
import { indexBatches, indexSchema } from './granule-index.ts'

const row = {
  file: '0/a.tif',
  location: '/data/0/ä.tif',
  timeMs: -1,
  width: 4,
  height: 3,
  sizeBytes: 5_000_000_000,
  footprint: [
    [0, 3],
    [0, 0],
    [4, 0],
    [4, 3],
  ] as const,
}

describe('the index of granules', () => {
  it('has a row with the footprint, the place and the time of each', async () => {
    const timeless = without(row, 'timeMs')
    const [batch] = await Array.fromAsync(indexBatches([row, timeless], indexSchema({ srs: 'EPSG:32618' })))
    assert.ok(batch !== undefined)
    const values = batch.columns.map((column) => columnValue(column, 0))
    assert.deepEqual(values, ['0/a.tif', '/data/0/ä.tif', -1000n, 4, 3, 5_000_000_000n])
    assert.equal(batch.columns[2] && columnValue(batch.columns[2], 1), null)
    const { geometry } = batch
    const json = writeGeometryJson(geometry?.bytes.subarray(0, geometry.offsets[1]) ?? new Uint8Array())
    assert.deepEqual(JSON.parse(json), {
      type: 'Polygon',
      coordinates: [[...row.footprint, [0, 3]].map((point) => [...point])],
    })
  })

  it('comes in batches, each row once', async () => {
    const rows = Array.from({ length: batchRows * 2 + 1 }, () => row)
    const batches = await Array.fromAsync(indexBatches(rows, indexSchema(undefined)))
    assert.equal(batches.length, 3)
    assert.equal(batches.flatMap(({ rowNumbers }) => [...rowNumbers]).at(-1), rows.length)
  })
})
