import type { DatabaseSync } from 'node:sqlite'
import { geometryBox, quoteName, quoteText } from '../../../formats/geopackage/index.ts'
import { hasRtree, rtreeName } from '../rtree-sql.ts'
import type { RegisteredSnapshot } from './snapshot-registry.ts'
import { addedTable, snapshotTable } from './snapshot-registry.ts'

/** Ids that differ between two states, in a temporary table. */
export const touchedTable = 'temp.touched'

/**
 * Creates the tables of a difference: the previous rows, and the ids of added ones. Both are given as
 * queries.
 */
export function fillDifference(db: DatabaseSync, number: number, id: string, rows: string): void {
  const table = snapshotTable(number)
  db.exec(
    `CREATE TABLE main.${table} AS ${rows};
     CREATE INDEX main.${table}_id ON ${table} (${quoteName(id)});
     CREATE TABLE main.${addedTable(number)} (id INTEGER PRIMARY KEY)`,
  )
}

export function fillAdded(db: DatabaseSync, number: number, ids: string): void {
  db.exec(`INSERT INTO main.${addedTable(number)} ${ids}`)
}

/** Collects the ids of all rows in the differences. */
export function findTouched(db: DatabaseSync, differences: RegisteredSnapshot[]): void {
  db.exec(`DROP TABLE IF EXISTS ${touchedTable}; CREATE TEMP TABLE touched (id INTEGER PRIMARY KEY)`)
  for (const { number, table } of differences) {
    db.exec(
      `INSERT OR IGNORE INTO ${touchedTable} SELECT id FROM main.${addedTable(number)};
       INSERT OR IGNORE INTO ${touchedTable} SELECT ${quoteName(table.idColumn ?? 'rowid')} FROM main.${snapshotTable(number)}`,
    )
  }
}

/**
 * Removes added rows of the table, and restores previous ones; the triggers of the table must be removed
 * first.
 */
export function undoDifferences(db: DatabaseSync, table: string, differences: RegisteredSnapshot[]): void {
  const columns = storedColumns(db, table).map(quoteName).join(', ')
  const target = `main.${quoteName(table)}`
  for (const { number, table: was } of differences) {
    const id = quoteName(was.idColumn ?? 'rowid')
    db.exec(
      `DELETE FROM ${target} WHERE ${id} IN (SELECT id FROM main.${addedTable(number)})
         OR ${id} IN (SELECT ${id} FROM main.${snapshotTable(number)});
       INSERT INTO ${target} (${columns}) SELECT ${columns} FROM main.${snapshotTable(number)}`,
    )
  }
}

function storedColumns(db: DatabaseSync, table: string): string[] {
  const infos = db.prepare(`PRAGMA main.table_xinfo(${quoteText(table)})`).all()
  return infos.filter(({ hidden }) => Number(hidden) === 0).map(({ name }) => String(name))
}

/** Updates the R*Tree for the changed rows. */
export function moveTouchedBoxes(
  db: DatabaseSync,
  table: string,
  geometry: string | undefined,
  id: string,
): void {
  if (geometry === undefined || !hasRtree(db, { table, geometry })) return
  db.function(
    'box_side',
    { deterministic: true, directOnly: true },
    (blob, side) => geometryBox(blob)?.[Number(side)] ?? null,
  )
  const rtree = `main.${quoteName(rtreeName({ table, geometry }))}`
  const shape = `x.${quoteName(geometry)}`
  const sides = [0, 2, 1, 3].map((side) => `box_side(${shape}, ${side})`).join(', ')
  db.exec(
    `DELETE FROM ${rtree} WHERE id IN (SELECT id FROM ${touchedTable});
     INSERT INTO ${rtree} (id, minx, maxx, miny, maxy) SELECT x.${quoteName(id)}, ${sides}
       FROM ${touchedTable} t CROSS JOIN main.${quoteName(table)} x ON x.${quoteName(id)} = t.id
       WHERE box_side(${shape}, 0) IS NOT NULL`,
  )
}
