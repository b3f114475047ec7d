import type { DatabaseSync } from 'node:sqlite'
import { type GeoPackageTable, quoteName } from '../../../formats/geopackage/index.ts'
import { hasRtree, rtreeName } from '../rtree-sql.ts'
import { RtreeWalk } from './walk-rtree.ts'

/**
 * Opens the R*Tree of a table if it contains the envelopes of all rows: it has maintaining triggers, or as
 * many entries as there are geometries. Undefined also if ids exceed the safe integers of JavaScript.
 */
export function openBoxIndex(db: DatabaseSync, table: GeoPackageTable): RtreeWalk | undefined {
  const { name, kind, idColumn, schema } = table
  const geometry = schema.geometry?.name
  if (kind !== 'table' || idColumn === undefined || geometry === undefined) return undefined
  const rtree = rtreeName({ table: name, geometry })
  if (!hasRtree(db, { table: name, geometry }) || !hasSafeIds(db, name, idColumn)) return undefined
  const columns = db.prepare(`PRAGMA table_xinfo(${quoteName(rtree)})`).all()
  if (columns.length !== 5) return undefined
  const isKept = hasTriggers(db, name, rtree) || countOf(db, `${rtree}_rowid`) === countOf(db, name, geometry)
  return isKept ? new RtreeWalk(db, rtree) : undefined
}

/** SQLite finds the first and last id without scanning the others. */
function hasSafeIds(db: DatabaseSync, table: string, id: string): boolean {
  const [from, column] = [quoteName(table), quoteName(id)]
  return ['min', 'max'].every((side) => {
    const statement = db.prepare(`SELECT ${side}(${column}) AS id FROM ${from}`)
    statement.setReadBigInts(true)
    return Number.isSafeInteger(Number(statement.get()?.['id'] ?? 0))
  })
}

/** Triggers of OGC 12-128r18, annex F.3; those for updates have other names in other versions. */
function hasTriggers(db: DatabaseSync, table: string, rtree: string): boolean {
  const find = db.prepare(
    `SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND lower(name) = lower(?) AND lower(tbl_name) = lower(?)`,
  )
  return ['insert', 'delete'].every((event) => find.get(`${rtree}_${event}`, table) !== undefined)
}

function countOf(db: DatabaseSync, table: string, column?: string): number {
  const counted = column === undefined ? '*' : quoteName(column)
  return Number(db.prepare(`SELECT count(${counted}) AS n FROM ${quoteName(table)}`).get()?.['n'])
}
