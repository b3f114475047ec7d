import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { invalid } from '../../../core/errors/errors.ts'
import { type GeometryBox, geometryBox, quoteName } from '../../../formats/geopackage/index.ts'
import type { FeatureBatch } from '../../../geo/batch.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { unionEnvelope } from '../../../geo/envelope.ts'
import { setLastChange } from '../contents.ts'
import { refuseCascades } from '../foreign-code.ts'
import { rtreeName } from '../rtree-sql.ts'
import { reachesEdge, tableBounds } from '../upsert/upsert-bounds.ts'
import type { EditedRows } from './edited-table.ts'
import { geometryBlob, sqlValue } from './sql-values.ts'

interface Written {
  names: string[]
  values: SQLInputValue[]
  /** Bounding box of the written geometry. */
  box: GeometryBox | undefined
  hasGeometry: boolean
}

/**
 * Returns the written columns with their values. Throws `Failure` for a column that the table lacks or
 * computes.
 */
function writtenColumns({ table, generated, name }: EditedRows, row: FeatureBatch): Written {
  const written: Written = { names: [], values: [], box: undefined, hasGeometry: false }
  row.schema.attributes.forEach((attribute, index) => {
    const column = row.columns[index]
    if (column === undefined || generated.has(attribute.name))
      throw invalid('invalid-property', `"${attribute.name}" of "${name}" is computed: it cannot be given`)
    written.names.push(attribute.name)
    written.values.push(sqlValue(attribute.name, column))
  })
  const { geometry } = table.schema
  if (row.schema.geometry === undefined || geometry === undefined) return written
  const { blob, box } = geometryBlob(row, geometry, table.srsId ?? 0)
  return {
    names: [...written.names, geometry.name],
    values: [...written.values, blob],
    box,
    hasGeometry: true,
  }
}

/** Inserts a row; returns its id. */
export function addRow(db: DatabaseSync, rows: EditedRows, row: FeatureBatch): bigint {
  const written = writtenColumns(rows, row)
  const list = written.names.map(quoteName).join(', ')
  const placeholders = written.names.map(() => '?').join(', ')
  const insert = db.prepare(
    `INSERT INTO main.${quoteName(rows.name)} ${list === '' ? 'DEFAULT VALUES' : `(${list}) VALUES (${placeholders})`}`,
  )
  insert.setReadBigInts(true)
  const rowid = BigInt(insert.run(...written.values).lastInsertRowid)
  indexBox(db, rows, rowid, written.box)
  return rowid
}

export function changeRow(db: DatabaseSync, rows: EditedRows, rowid: bigint, row: FeatureBatch): void {
  const written = writtenColumns(rows, row)
  const set = written.names.map((name) => `${quoteName(name)} = ?`).join(', ')
  if (set === '') return
  db.prepare(`UPDATE main.${quoteName(rows.name)} SET ${set} WHERE ${quoteName(rows.id)} = ?`).run(
    ...written.values,
    rowid,
  )
  if (!written.hasGeometry) return
  unindexBox(db, rows, rowid)
  indexBox(db, rows, rowid, written.box)
}

export function removeRow(db: DatabaseSync, rows: EditedRows, rowid: bigint): void {
  refuseCascades(db, rows.name)
  db.prepare(`DELETE FROM main.${quoteName(rows.name)} WHERE ${quoteName(rows.id)} = ?`).run(rowid)
  unindexBox(db, rows, rowid)
}

function rtreeOf({ name, table, isIndexed }: EditedRows): string | undefined {
  const geometry = table.schema.geometry?.name
  if (!isIndexed || geometry === undefined) return undefined
  return `main.${quoteName(rtreeName({ table: name, geometry }))}`
}

function unindexBox(db: DatabaseSync, rows: EditedRows, rowid: bigint): void {
  const rtree = rtreeOf(rows)
  if (rtree !== undefined) db.prepare(`DELETE FROM ${rtree} WHERE id = ?`).run(rowid)
}

function indexBox(db: DatabaseSync, rows: EditedRows, rowid: bigint, box: GeometryBox | undefined): void {
  const rtree = rtreeOf(rows)
  if (rtree === undefined || box === undefined) return
  const [minX, minY, maxX, maxY] = box
  db.prepare(`INSERT INTO ${rtree} (id, minx, maxx, miny, maxy) VALUES (?, ?, ?, ?, ?)`).run(
    rowid,
    minX,
    maxX,
    minY,
    maxY,
  )
}

/** Returns the bounding box of the present geometry of a row. */
export function boxOfRow(
  db: DatabaseSync,
  { name, id, table }: EditedRows,
  rowid: bigint,
): GeometryBox | undefined {
  const geometry = table.schema.geometry?.name
  if (geometry === undefined) return undefined
  const row = db
    .prepare(`SELECT ${quoteName(geometry)} AS g FROM main.${quoteName(name)} WHERE ${quoteName(id)} = ?`)
    .get(rowid)
  return geometryBox(row?.['g'])
}

/** Changes of the extent and the number of rows of a table by edits. */
export interface TableGrowth {
  /** True if a changed or removed geometry reached the edge of the extent. */
  leftEdge: boolean
  /** Envelope of the written geometries. */
  written: Envelope | undefined
  rowsAdded: number
}

/** Notes the bounding boxes of an edited row. */
export function growTable(
  growth: TableGrowth,
  { table }: EditedRows,
  { before, after }: { before: GeometryBox | undefined; after: GeometryBox | undefined },
): void {
  if (before !== undefined && table.envelope !== undefined && reachesEdge(before, table.envelope))
    growth.leftEdge = true
  if (after === undefined) return
  const [minX, minY, maxX, maxY] = after
  const box = { minX, minY, maxX, maxY }
  growth.written = growth.written === undefined ? box : unionEnvelope(growth.written, box)
}

/** Updates the catalogue tables after edits. Returns the bounds of the table. */
export function updateCatalogue(
  db: DatabaseSync,
  { name, table, id, isIndexed }: EditedRows,
  { leftEdge, written, rowsAdded }: TableGrowth,
  lastChange: string,
): Envelope | undefined {
  const { geometry } = table.schema
  const known = table.envelope
  setLastChange(db, name, lastChange)
  countRows(db, name, rowsAdded)
  if (geometry === undefined) return undefined
  const bounds =
    known === undefined || leftEdge
      ? tableBounds(db, { table: name, geometry, id, isIndexed })
      : written === undefined
        ? known
        : unionEnvelope(known, written)
  const sides =
    bounds === undefined ? [null, null, null, null] : [bounds.minX, bounds.minY, bounds.maxX, bounds.maxY]
  db.prepare(
    'UPDATE gpkg_contents SET min_x = ?, min_y = ?, max_x = ?, max_y = ? WHERE lower(table_name) = lower(?)',
  ).run(...sides, name)
  return bounds
}

function countRows(db: DatabaseSync, name: string, rowsAdded: number): void {
  const isThere = db.prepare(`SELECT 1 FROM main.sqlite_schema WHERE name = 'gpkg_ogr_contents'`).get()
  if (rowsAdded === 0 || isThere === undefined) return
  db.prepare(
    'UPDATE gpkg_ogr_contents SET feature_count = feature_count + ? WHERE lower(table_name) = lower(?)',
  ).run(rowsAdded, name)
}
