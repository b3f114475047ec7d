import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../core/errors/errors.ts'
import { quoteName } from '../../formats/geopackage/index.ts'

/** A table whose geometry column has, or will have, an R*Tree. */
export interface IndexedTable {
  table: string
  geometry: string
  id: string
}

export function rtreeName({ table, geometry }: { table: string; geometry: string }): string {
  return `rtree_${table}_${geometry}`
}

function rtreeDefinition(indexed: IndexedTable): string {
  return `CREATE VIRTUAL TABLE ${quoteName(rtreeName(indexed))} USING rtree(id, minx, maxx, miny, maxy)`
}

/** Creates an empty R*Tree and declares it (OGC 12-128r18, annex F.3). */
export function createRtree(db: DatabaseSync, indexed: IndexedTable): void {
  db.exec(rtreeDefinition(indexed))
  declareRtree(db, indexed)
}

function declareRtree(db: DatabaseSync, indexed: IndexedTable): void {
  db.prepare(
    `INSERT OR REPLACE INTO gpkg_extensions (table_name, column_name, extension_name, definition, scope)
     VALUES (?, ?, 'gpkg_rtree_index', 'http://www.geopackage.org/spec120/#extension_rtree', 'write-only')`,
  ).run(indexed.table, indexed.geometry)
}

/** Shadow tables of an R*Tree, as SQLite creates them. */
const shadowColumns = {
  node: 'nodeno INTEGER PRIMARY KEY,data',
  rowid: 'rowid INTEGER PRIMARY KEY,nodeno',
  parent: 'nodeno INTEGER PRIMARY KEY,parentnode',
}

/**
 * Creates the R*Tree of a new table, with an empty first node, and its triggers. Objects without pages of
 * their own are inserted into the schema table directly: SQLite reads the whole schema for each `CREATE`,
 * which is slow in a file with many tables. This connection does not know the R*Tree and the triggers; every
 * other connection does.
 */
export function enterRtree(db: DatabaseSync, indexed: IndexedTable): void {
  const name = rtreeName(indexed)
  db.exec('PRAGMA writable_schema = ON')
  try {
    const insert = db.prepare('INSERT INTO main.sqlite_schema VALUES (?, ?, ?, 0, ?)')
    insert.run('table', name, name, rtreeDefinition(indexed))
    for (const trigger of rtreeTriggers(indexed))
      insert.run('trigger', trigger.name, indexed.table, trigger.sql)
  } finally {
    db.exec('PRAGMA writable_schema = OFF')
  }
  for (const [suffix, columns] of Object.entries(shadowColumns)) {
    db.exec(`CREATE TABLE main.${quoteName(`${name}_${suffix}`)}(${columns})`)
  }
  db.exec(`INSERT INTO main.${quoteName(`${name}_node`)} VALUES (1, NULL)`)
  declareRtree(db, indexed)
}

/** Throws `Failure` if a name for a new table or its index is in use, which `enterRtree` does not detect. */
export function checkFree(db: DatabaseSync, indexed: IndexedTable): void {
  const names = [indexed.table, rtreeName(indexed), ...rtreeTriggers(indexed).map(({ name }) => name)]
  const taken = db
    .prepare(
      `SELECT name FROM main.sqlite_schema WHERE lower(name) IN (${names.map(() => 'lower(?)').join(', ')})`,
    )
    .get(...names)
  if (taken === undefined) return
  const message = `The GeoPackage has a "${taken['name']}" already: the table "${indexed.table}" cannot be made`
  throw conflict('table-exists', message)
}

/** Returns the triggers that maintain the R*Tree when other programs write (annex F.3). */
function rtreeTriggers(indexed: IndexedTable): { name: string; sql: string }[] {
  const name = rtreeName(indexed)
  const [rtree, table, id, geometry] = [name, indexed.table, indexed.id, indexed.geometry].map(quoteName)
  const hasShape = `(NEW.${geometry} NOTNULL AND NOT ST_IsEmpty(NEW.${geometry}))`
  const hasNoShape = `(NEW.${geometry} ISNULL OR ST_IsEmpty(NEW.${geometry}))`
  const insert = `INSERT OR REPLACE INTO ${rtree} VALUES (NEW.${id},
    ST_MinX(NEW.${geometry}), ST_MaxX(NEW.${geometry}),
    ST_MinY(NEW.${geometry}), ST_MaxY(NEW.${geometry}));`
  const remove = `DELETE FROM ${rtree} WHERE id = OLD.${id};`
  const bodies = {
    insert: `AFTER INSERT ON ${table} WHEN ${hasShape} BEGIN ${insert} END`,
    update1: `AFTER UPDATE OF ${geometry} ON ${table}
  WHEN OLD.${id} = NEW.${id} AND ${hasShape} BEGIN ${insert} END`,
    update2: `AFTER UPDATE OF ${geometry} ON ${table}
  WHEN OLD.${id} = NEW.${id} AND ${hasNoShape} BEGIN ${remove} END`,
    update3: `AFTER UPDATE ON ${table}
  WHEN OLD.${id} != NEW.${id} AND ${hasShape} BEGIN ${remove} ${insert} END`,
    update4: `AFTER UPDATE ON ${table}
  WHEN OLD.${id} != NEW.${id} AND ${hasNoShape}
  BEGIN DELETE FROM ${rtree} WHERE id IN (OLD.${id}, NEW.${id}); END`,
    delete: `AFTER DELETE ON ${table} WHEN OLD.${geometry} NOT NULL BEGIN ${remove} END`,
  }
  return Object.entries(bodies).map(([suffix, body]) => ({
    name: `${name}_${suffix}`,
    sql: `CREATE TRIGGER ${quoteName(`${name}_${suffix}`)} ${body}`,
  }))
}

/** True if the geometry column has an R*Tree. */
export function hasRtree(db: DatabaseSync, indexed: { table: string; geometry: string }): boolean {
  return (
    db
      .prepare(
        `SELECT 1 FROM sqlite_schema WHERE lower(name) = lower(?) AND type = 'table' AND sql LIKE '%rtree%'`,
      )
      .get(rtreeName(indexed)) !== undefined
  )
}
