import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../formats/geopackage/sql-names.ts'

/** A table whose geometry column has, or is to have, an R*Tree. */
export interface IndexedTable {
  table: string
  geometry: string
  id: string
}

export function rtreeName({ table, geometry }: { table: string; geometry: string }): string {
  return `rtree_${table}_${geometry}`
}

/** Makes an empty R*Tree and declares it (OGC 12-128r18, annex F.3). */
export function createRtree(db: DatabaseSync, indexed: IndexedTable): void {
  db.exec(`CREATE VIRTUAL TABLE ${quoteName(rtreeName(indexed))} USING rtree(id, minx, maxx, miny, maxy)`)
  db.prepare(
    `INSERT OR REPLACE INTO gpkg_extensions (table_name, column_name, extension_name, definition, scope)
     VALUES (?, ?, 'gpkg_rtree_index', 'http://www.geopackage.org/spec120/#extension_rtree', 'write-only')`,
  ).run(indexed.table, indexed.geometry)
}

/** The triggers that keep the R*Tree right when other programs write (annex F.3). */
export function createRtreeTriggers(db: DatabaseSync, indexed: IndexedTable): void {
  const name = rtreeName(indexed)
  const [rtree, table, id, geometry] = [name, indexed.table, indexed.id, indexed.geometry].map(quoteName)
  const trigger = (suffix: string): string => `CREATE TRIGGER ${quoteName(`${name}_${suffix}`)}`
  const hasShape = `(NEW.${geometry} NOTNULL AND NOT ST_IsEmpty(NEW.${geometry}))`
  const hasNoShape = `(NEW.${geometry} ISNULL OR ST_IsEmpty(NEW.${geometry}))`
  const insert = `INSERT OR REPLACE INTO ${rtree} VALUES (NEW.${id},
    ST_MinX(NEW.${geometry}), ST_MaxX(NEW.${geometry}),
    ST_MinY(NEW.${geometry}), ST_MaxY(NEW.${geometry}));`
  const remove = `DELETE FROM ${rtree} WHERE id = OLD.${id};`
  db.exec(`
${trigger('insert')} AFTER INSERT ON ${table} WHEN ${hasShape} BEGIN ${insert} END;
${trigger('update1')} AFTER UPDATE OF ${geometry} ON ${table}
  WHEN OLD.${id} = NEW.${id} AND ${hasShape} BEGIN ${insert} END;
${trigger('update2')} AFTER UPDATE OF ${geometry} ON ${table}
  WHEN OLD.${id} = NEW.${id} AND ${hasNoShape} BEGIN ${remove} END;
${trigger('update3')} AFTER UPDATE ON ${table}
  WHEN OLD.${id} != NEW.${id} AND ${hasShape} BEGIN ${remove} ${insert} END;
${trigger('update4')} AFTER UPDATE ON ${table}
  WHEN OLD.${id} != NEW.${id} AND ${hasNoShape}
  BEGIN DELETE FROM ${rtree} WHERE id IN (OLD.${id}, NEW.${id}); END;
${trigger('delete')} AFTER DELETE ON ${table} WHEN OLD.${geometry} NOT NULL BEGIN ${remove} END;`)
}

/** Whether the geometry column has an R*Tree. */
export function hasRtree(db: DatabaseSync, indexed: { table: string; geometry: string }): boolean {
  return (
    db
      .prepare(
        `SELECT 1 FROM sqlite_schema WHERE lower(name) = lower(?) AND type = 'table' AND sql LIKE '%rtree%'`,
      )
      .get(rtreeName(indexed)) !== undefined
  )
}

/** Drops the triggers by which a table keeps its R*Tree and its row count, and gives the statements that put them back. */
export function dropBookkeepingTriggers(
  db: DatabaseSync,
  table: string,
  geometry: string | undefined,
): string[] {
  const rows = db
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(?)`)
    .all(table)
  const prefixes = [`trigger_insert_feature_count_${table}`, `trigger_delete_feature_count_${table}`]
  if (geometry !== undefined) prefixes.push(`${rtreeName({ table, geometry })}_`)
  const isBookkeeping = (name: string): boolean =>
    prefixes.some((prefix) => name.toLowerCase().startsWith(prefix.toLowerCase()))
  const own = rows.filter(({ name }) => isBookkeeping(String(name)))
  for (const { name } of own) db.exec(`DROP TRIGGER ${quoteName(String(name))}`)
  return own.map(({ sql }) => String(sql))
}
