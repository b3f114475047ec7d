import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupSidecars } from './sidecars.ts'

function grouped(paths: string[]): Record<string, string[]> {
  return Object.fromEntries(
    groupSidecars(paths).map((file) => [file.path, Object.keys(file.sidecars).sort()]),
  )
}

describe('groupSidecars', () => {
  it('joins files of one base name in any letter case', () => {
    assert.deepEqual(grouped(['/d/Roads.SHP', '/d/roads.dbf', '/d/ROADS.Prj', '/d/Roads.shp.xml']), {
      '/d/Roads.SHP': ['dbf', 'prj', 'shp.xml'],
    })
  })

  it('keeps files of other folders and other base names apart', () => {
    assert.deepEqual(grouped(['/d/a.shp', '/d/b.dbf', '/d/sub/a.dbf']), {
      '/d/a.shp': [],
      '/d/b.dbf': [],
      '/d/sub/a.dbf': [],
    })
  })

  it('gives long texts of a table to it, whether it stands alone or belongs to a Shapefile', () => {
    const paths = ['/d/a.shp', '/d/a.dbf', '/d/a.dbt', '/d/b.dbf', '/d/B.FPT', '/d/b.cpg', '/d/c.fpt']
    assert.deepEqual(grouped(paths), {
      '/d/a.shp': ['dbf', 'dbt'],
      '/d/b.dbf': ['cpg', 'fpt'],
      '/d/c.fpt': [],
    })
    assert.deepEqual(grouped(['/d/r.tif', '/d/r.tif.vat.dbf', '/d/t.tab', '/d/t.dbf']), {
      '/d/r.tif': ['vat.dbf'],
      '/d/t.tab': ['dbf'],
    })
  })

  it('takes metadata beside rasters and Shapefiles, and leaves data that are called .xml', () => {
    assert.deepEqual(grouped(['/d/scene.tif', '/d/scene.xml', '/d/scene2.jp2', '/d/scene2.jp2.xml']), {
      '/d/scene.tif': ['xml'],
      '/d/scene2.jp2': ['xml'],
    })
    assert.deepEqual(grouped(['/d/a.csv', '/d/a.xml', '/d/b.xml']), {
      '/d/a.csv': [],
      '/d/a.xml': [],
      '/d/b.xml': [],
    })
  })

  it('takes no names that every object inherits for endings', () => {
    assert.deepEqual(grouped(['/d/a.shp', '/d/a.constructor']), { '/d/a.shp': [], '/d/a.constructor': [] })
  })

  it('gives a dbf to the Shapefile and not to a CSV of the same name', () => {
    assert.deepEqual(grouped(['/d/a.csv', '/d/a.dbf', '/d/a.shp']), { '/d/a.csv': [], '/d/a.shp': ['dbf'] })
  })

  it('prefers the base name in the same letter case', () => {
    const files = groupSidecars(['/d/a.shp', '/d/A.shp', '/d/a.dbf', '/d/A.dbf'])
    assert.deepEqual(
      files.map((file) => [file.path, file.sidecars.dbf]),
      [
        ['/d/A.shp', '/d/A.dbf'],
        ['/d/a.shp', '/d/a.dbf'],
      ],
    )
  })

  it('finds sidecars that carry the whole name of the main file', () => {
    assert.deepEqual(grouped(['/d/x.tif', '/d/x.tif.aux.xml', '/d/x.tif.ovr', '/d/x.tfw']), {
      '/d/x.tif': ['aux.xml', 'ovr', 'tfw'],
    })
  })

  it('orders files by path without case', () => {
    assert.deepEqual(Object.keys(grouped(['/d/b.csv', '/d/C.csv', '/d/a.csv'])), [
      '/d/a.csv',
      '/d/b.csv',
      '/d/C.csv',
    ])
  })
})
