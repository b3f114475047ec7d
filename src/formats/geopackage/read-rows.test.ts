import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { geopackage } from './geopackage.ts'

const stations = join(import.meta.dirname, '../../../tests/fixtures/geopackage/stations.gpkg')

/** Asserts that a file gives the same rows and rejects when read from pages as through SQLite. */
async function agrees(path: string): Promise<number> {
  const [own, plain] = await Promise.all(
    [false, true].map((isPlain) => readLayer(geopackage, path, { isPlain })),
  )
  assert.deepEqual(own, plain)
  return own?.rows.length ?? 0
}

describe('rows of a GeoPackage', () => {
  it('are the same from its pages as through SQLite alone', async () => {
    assert.ok((await agrees(stations)) > 0)
  })

  it('are the same where values overflow a page, are null, or are none of their type', async (test) => {
    const path = join(temporaryFolder(test), 'x.gpkg')
    const db = new DatabaseSync(path)
    db.exec(`CREATE TABLE gpkg_spatial_ref_sys (srs_id INTEGER PRIMARY KEY);
      CREATE TABLE gpkg_contents (table_name, data_type, min_x, min_y, max_x, max_y);
      INSERT INTO gpkg_contents VALUES ('t', 'attributes', 0, 0, 0, 0);
      CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, ratio DOUBLE, day DATE, at DATETIME)`)
    const insert = db.prepare('INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)')
    for (let id = 1; id <= 3000; id += 1) {
      const name = id % 50 === 0 ? 'long '.repeat(id) : `name ${id}`
      const size = id % 97 === 0 ? 'many' : id % 7 === 0 ? null : -(id ** 4)
      const at = ['2024-02-29T23:59:60Z', '2024-02-29T24:00:00Z', '2024-02-30', '2024-02-29T12:00:00+99:00'][
        id % 4
      ]
      insert.run(id * 3, name, size, id / 3, `2024-01-${String((id % 35) + 1).padStart(2, '0')}`, at ?? null)
    }
    db.close()
    const rows = await agrees(path)
    assert.ok(rows > 1000 && rows < 3000)
  })
})
