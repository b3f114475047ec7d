import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../formats/geopackage/index.ts'
import { differencesTable } from '../compare/find-differences.ts'
import { sameValue } from '../compare/same-values.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { rtreeName } from '../rtree-sql.ts'

/** Updates the R*Tree for the written rows. */
export function moveBoxes(
  db: DatabaseSync,
  { table, geometry, id, isIndexed, request }: GeoPackageLoadPlan,
): void {
  if (!isIndexed || geometry === undefined) return
  const rtree = `main.${quoteName(rtreeName({ table, geometry: geometry.name }))}`
  db.exec(`DELETE FROM ${rtree} WHERE id IN (SELECT target FROM ${differencesTable} WHERE staged IS NULL)`)
  const columns = '(id, minx, maxx, miny, maxy)'
  db.exec(
    `INSERT INTO ${rtree} ${columns} SELECT a.id, b.minx, b.maxx, b.miny, b.maxy
     FROM side.added a CROSS JOIN side.boxes b ON b.id = a.staged`,
  )
  if (request.schema.geometry === undefined) return
  const same = sameValue('geometry', 's.c0', `o.${quoteName(geometry.name)}`)
  db.exec(
    `DROP TABLE IF EXISTS side.moved; CREATE TABLE side.moved (id INTEGER PRIMARY KEY, staged INTEGER);
     INSERT INTO side.moved SELECT c.id, c.staged FROM side.changed c CROSS JOIN side.t s ON s.id = c.staged
       CROSS JOIN side.old_rows o ON o.${quoteName(id)} = c.id WHERE NOT ${same};
     DELETE FROM ${rtree} WHERE id IN (SELECT id FROM side.moved);
     INSERT INTO ${rtree} ${columns} SELECT m.id, b.minx, b.maxx, b.miny, b.maxy
       FROM side.moved m CROSS JOIN side.boxes b ON b.id = m.staged`,
  )
}
