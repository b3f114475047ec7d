import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TaskLoad, TaskRecord } from '../model/model.ts'
import type { TaskTypeDeps } from './task-types.ts'
import { TaskTypes } from './task-types.ts'

/** Choosing a kind only needs records. */
const kinds = new TaskTypes({} as TaskTypeDeps)

const task: TaskRecord = {
  importId: 0,
  id: 0,
  state: 'PENDING',
  sortKey: '',
  revision: 0,
  updatedAt: '',
  updateMode: 'CREATE',
  folder: '',
  isUploaded: false,
  files: [],
  isDirect: false,
  transforms: [],
  nextTransformId: 0,
  messages: [],
}
const mosaic = { time: { mode: 'none' }, granules: 1, faults: 0, withoutExtent: 0 } as const
const load: TaskLoad = { loadId: 'a', storeId: 1, table: 't', layerName: 't', isNewLayer: true }
const nameOf = (changes: Partial<TaskRecord>): string => kinds.of({ ...task, ...changes }).name

describe('the kind of a task', () => {
  it('is chosen by its record', () => {
    assert.equal(nameOf({ kind: 'vector', format: 'CSV' }), 'vector')
    assert.equal(nameOf({ kind: 'vector', format: 'Shapefile', isDirect: true }), 'served')
    assert.equal(nameOf({ kind: 'vector', table: 'roads' }), 'table')
    assert.equal(nameOf({ kind: 'raster', isDirect: true }), 'raster')
    assert.equal(nameOf({ kind: 'raster', isDirect: true, mosaic }), 'mosaic')
  })

  it('is rows of files where nothing reads the data, or the last granule of a mosaic was taken out', () => {
    assert.equal(nameOf({}), 'vector')
    assert.equal(nameOf({ mosaic }), 'vector')
  })

  it('is a mosaic where a single raster is added to the layer of one', () => {
    const target = { workspace: 'default', name: 'tiles', type: 'ImageMosaic' } as const
    assert.equal(nameOf({ kind: 'raster', isDirect: true, target }), 'mosaic')
  })

  it('of data is that of their source', () => {
    const place = { path: '', isOurs: false }
    assert.equal(kinds.ofSource(undefined).name, 'vector')
    assert.equal(kinds.ofSource({ ...place, type: 'directory' }).name, 'vector')
    assert.equal(kinds.ofSource({ ...place, type: 'mosaic' }).name, 'mosaic')
    const database = { place: { type: 'geopkg', database: 'a.gpkg' }, tables: [] } as const
    assert.equal(
      kinds.ofSource({ ...place, type: 'database', database: { ...database, tables: [] } }).name,
      'table',
    )
  })

  it('of a load that broke off is that of the load, whatever its task is now', () => {
    assert.equal(kinds.ofLoad(load).name, 'vector')
    assert.equal(kinds.ofLoad({ ...load, movedTo: '/stores/a.gpkg' }).name, 'vector')
    assert.equal(kinds.ofLoad({ ...load, granuleFolder: '/stores/a' }).name, 'mosaic')
  })
})
