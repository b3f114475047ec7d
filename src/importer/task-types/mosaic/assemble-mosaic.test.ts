import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defined } from '../../../core/values/defined.ts'
import type { GranuleRecord } from '../../model/granule-record.ts'
import type { TaskRecord } from '../../model/task-record.ts'
import { assembleMosaic, mosaicName } from './assemble-mosaic.ts'

const empty: TaskRecord = {
  importId: 0,
  id: 0,
  state: 'PENDING',
  sortKey: '',
  revision: 0,
  updatedAt: '',
  updateMode: 'CREATE',
  folder: '/data',
  isUploaded: false,
  files: [],
  isDirect: false,
  transforms: [],
  nextTransformId: 0,
  messages: [],
}

function granule(fileId: string, srs: string | undefined): GranuleRecord {
  const crs = srs === undefined ? {} : { crs: { srs } }
  return {
    importId: 0,
    taskId: 0,
    fileId,
    file: { path: `/data/${fileId}`, sidecars: {} },
    sizeBytes: 1,
    format: 'GeoTIFF',
    envelope: { minX: 0, minY: 0, maxX: 1, maxY: 1 },
    raster: { width: 1, height: 1, bands: [{ dataType: 'Byte' }], overviews: [], ...crs },
    ...defined({ srs }),
  }
}

const settle = (task: TaskRecord, granules: GranuleRecord[]): TaskRecord =>
  assembleMosaic(task, granules, { name: 'm', time: { mode: 'none' } }).task

const utm18 = 'EPSG:32618'
const utm19 = 'EPSG:32619'

describe('a mosaic whose granules change', () => {
  const mixed = [granule('a', utm18), granule('b', utm18), granule('c', utm19)]

  it('takes the CRS of most of them', () => {
    const task = settle(empty, mixed)
    assert.equal(task.layer?.srs, utm18)
    assert.equal(task.mosaic?.faults, 1)
  })

  it('follows them to another CRS when others are left', () => {
    const task = settle(settle(empty, mixed), [granule('c', utm19)])
    assert.equal(task.layer?.srs, utm19)
    assert.equal(task.mosaic?.faults, 0)
  })

  it('keeps the CRS that the client has set', () => {
    const before = settle(empty, [granule('a', undefined)])
    assert.equal(before.layer?.srs, undefined)
    const layer = before.layer === undefined ? {} : { layer: { ...before.layer, srs: utm19 } }
    const task = settle({ ...before, ...layer }, [granule('a', undefined), granule('b', undefined)])
    assert.equal(task.layer?.srs, utm19)
  })

  it('keeps the name that the client has set', () => {
    const before = settle(empty, mixed)
    const layer = before.layer === undefined ? {} : { layer: { ...before.layer, name: 'mine' } }
    assert.equal(settle({ ...before, ...layer }, [granule('c', utm19)]).layer?.name, 'mine')
  })

  it('names at most a hundred faults, and says how many more there are', () => {
    const odd = Array.from({ length: 150 }, (_, index) => granule(`odd${index}`, undefined))
    const many = Array.from({ length: 200 }, (_, index) => granule(`good${index}`, utm18))
    const { messages, mosaic } = settle(empty, [...odd, ...many])
    assert.equal(messages.length, 101)
    assert.match(messages.at(-1)?.message ?? '', /^50 more files/)
    assert.match(mosaic?.reason ?? '', /^150 of 350 files cannot be granules .*and 145 more/)
  })
})

describe('the name of a mosaic', () => {
  it('is that of its folder or archive', () => {
    const names = ['/a/tiles', '/a/tiles.zip', '/a/tiles.tar.gz', '/a/ndvi.v2', undefined].map(mosaicName)
    assert.deepEqual(names, ['tiles', 'tiles', 'tiles', 'ndvi.v2', 'mosaic'])
  })
})
