import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Returns a GeoPackage with the layer of the fixture and `count` copies of it. */
export function manyLayers(count: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-test-'))
  try {
    const path = join(folder, 'many.gpkg')
    copyFileSync('tests/fixtures/geopackage/stations.gpkg', path)
    const database = new DatabaseSync(path)
    const [row] = database.prepare('select table_name from gpkg_contents').all()
    const table = String(row?.table_name)
    for (let index = 0; index < count; index += 1) {
      database.exec(`create table copy${index} as select * from "${table}"`)
      for (const catalog of ['gpkg_contents', 'gpkg_geometry_columns']) {
        const columns = database.prepare(`pragma table_info(${catalog})`).all()
        const names = columns.map((column) => String(column.name))
        const values = names.map((name) => (/^(table_name|identifier)$/.test(name) ? `'copy${index}'` : name))
        database.exec(
          `insert into ${catalog} (${names.join()}) select ${values.join()} from ${catalog} where table_name = '${table}'`,
        )
      }
    }
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
