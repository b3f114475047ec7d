import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fileSets } from './file-sets.ts'

function sets(...paths: string[]): string[] {
  const files = paths.map((path) => ({
    name: path.slice(path.lastIndexOf('/') + 1),
    folder: path.slice(0, Math.max(0, path.lastIndexOf('/'))),
  }))
  return fileSets(files).map(
    ({ main, parts, missing }) =>
      `${[main, ...parts].map(({ name }) => name).join('+')}${missing.map((one) => ` no ${one}`).join('')}`,
  )
}

it('joins the parts of a Shapefile and names those that are missing', () => {
  assert.deepEqual(sets('a.shp', 'a.dbf', 'a.SHX', 'a.prj', 'a.cpg'), ['a.shp+a.SHX+a.cpg+a.dbf+a.prj'])
  assert.deepEqual(sets('a.shp', 'a.shp.xml'), ['a.shp+a.shp.xml no shx no dbf no prj'])
  assert.deepEqual(sets('a.shx', 'a.dbf'), ['a.dbf+a.shx no shp'])
})

it('keeps apart what only looks alike', () => {
  assert.deepEqual(sets('x/a.shp', 'y/a.dbf'), ['a.shp no shx no dbf no prj', 'a.dbf'])
  assert.deepEqual(sets('a.geojson', 'a.csv', 'b.gpkg'), ['a.csv', 'a.geojson', 'b.gpkg'])
  assert.deepEqual(sets('a.shp', 'a.csv', 'a.shx', 'a.dbf', 'a.prj'), ['a.shp+a.dbf+a.prj+a.shx', 'a.csv'])
})

it('joins what stands beside rasters and tables', () => {
  assert.deepEqual(sets('r.tif', 'r.tfw', 'r.tif.aux.xml', 'r.tif.ovr'), [
    'r.tif+r.tfw+r.tif.aux.xml+r.tif.ovr',
  ])
  assert.deepEqual(sets('t.csv', 't.csvt', 'readme'), ['t.csv+t.csvt', 'readme'])
  assert.deepEqual(sets('roads.2026.shp', 'roads.2026.dbf', 'roads.2026.shx', 'roads.2026.prj'), [
    'roads.2026.shp+roads.2026.dbf+roads.2026.prj+roads.2026.shx',
  ])
  assert.deepEqual(sets('d/city.gdb/a0001.gdbtable', 'd/city.gdb/a0001.gdbtablx', 'd/b.csv'), [
    'a0001.gdbtable+a0001.gdbtablx',
    'b.csv',
  ])
  assert.deepEqual(sets(), [])
})
