import type { DatabaseSync } from 'node:sqlite'
import { type GeometryBox, geometryBox, quoteName } from '../../../formats/geopackage/index.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope, unionEnvelope } from '../../../geo/envelope.ts'
import { extendEnvelope } from '../compare/canonical-geometry.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { rtreeName } from '../rtree-sql.ts'
import { oldRowsTable } from './place-upsert.ts'

/** Returns the envelope of a table after an update. Scans all rows only if a changed row was at its edge. */
export function upsertBounds(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  staged: Envelope | undefined,
): Envelope | undefined {
  const { existing, geometry } = plan
  if (geometry === undefined) return undefined
  const before = existing?.envelope
  if (before === undefined || hadEdge(db, geometry.name, before)) return tableBounds(db, plan)
  return staged === undefined ? before : unionEnvelope(before, staged)
}

/** True if a changed or removed row touched the edge of the envelope. */
function hadEdge(db: DatabaseSync, geometry: string, envelope: Envelope): boolean {
  for (const row of db.prepare(`SELECT ${quoteName(geometry)} AS g FROM ${oldRowsTable}`).iterate()) {
    if (reachesEdge(geometryBox(row['g']), envelope)) return true
  }
  return false
}

/** True if a box touches a side of an envelope. */
export function reachesEdge(box: GeometryBox | undefined, { minX, minY, maxX, maxY }: Envelope): boolean {
  return box !== undefined && (box[0] <= minX || box[1] <= minY || box[2] >= maxX || box[3] >= maxY)
}

/**
 * Returns the exact envelope. The R*Tree rounds outwards, so it only finds the rows that can be at the edge.
 */
export function tableBounds(
  db: DatabaseSync,
  { table, geometry, id, isIndexed }: Pick<GeoPackageLoadPlan, 'table' | 'geometry' | 'id' | 'isIndexed'>,
): Envelope | undefined {
  if (geometry === undefined) return undefined
  const rows = `SELECT ${quoteName(geometry.name)} AS g FROM main.${quoteName(table)}`
  const envelope = emptyEnvelope()
  const take = (sql: string, ...bound: number[]): void => {
    for (const row of db.prepare(sql).iterate(...bound)) extendEnvelope(envelope, geometryBox(row['g']))
  }
  if (!isIndexed) take(rows)
  else {
    const rtree = `main.${quoteName(rtreeName({ table, geometry: geometry.name }))}`
    const sides = db
      .prepare(`SELECT min(minx) AS a, min(miny) AS b, max(maxx) AS c, max(maxy) AS d FROM ${rtree}`)
      .get()
    if (sides === undefined || sides['a'] === null) return undefined
    for (const [condition, side] of [
      ['minx <= ?', 'a'],
      ['miny <= ?', 'b'],
      ['maxx >= ?', 'c'],
      ['maxy >= ?', 'd'],
    ] as const) {
      take(
        `${rows} WHERE ${quoteName(id)} IN (SELECT id FROM ${rtree} WHERE ${condition})`,
        Number(sides[side]),
      )
    }
  }
  return isEmptyEnvelope(envelope) ? undefined : envelope
}
