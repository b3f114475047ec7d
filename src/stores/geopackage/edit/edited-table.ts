import type { DatabaseSync } from 'node:sqlite'
import { conflict, Failure } from '../../../core/errors/errors.ts'
import {
  appendRow,
  findTable,
  type GeoPackageTable,
  iterateRows,
  quoteName,
  selectList,
} from '../../../formats/geopackage/index.ts'
import { BatchBuilder } from '../../../geo/batch.ts'
import type { FeaturePage } from '../../store.ts'
import { generatedColumns, refuseVirtual } from '../foreign-code.ts'
import { hasRtree } from '../rtree-sql.ts'

/** A table whose rows are edited individually. */
export interface EditedRows {
  name: string
  id: string
  table: GeoPackageTable
  /** Columns that SQLite computes itself. */
  generated: ReadonlySet<string>
  isIndexed: boolean
}

/** Returns why the rows of a table cannot be changed; undefined if they can. */
export function whyNotEdited(db: DatabaseSync, name: string): string | undefined {
  try {
    getEditedRows(db, name)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

/** Throws `Failure` if the rows cannot be changed. */
export function getEditedRows(db: DatabaseSync, name: string): EditedRows {
  const table = findTable(db, name)
  if (table === undefined) throw readOnly(`The GeoPackage has no table "${name}"`)
  const id = table.idColumn
  if (table.kind === 'view' || id === undefined)
    throw readOnly(`"${table.name}" cannot be changed: it is a view, or has no integer primary key`)
  const generated = generatedColumns(db, table.name)
  const geometry = table.schema.geometry?.name
  if (geometry !== undefined && generated.has(geometry))
    throw readOnly(`"${table.name}" cannot be changed: its geometry is computed`)
  refuseVirtual(db, { table: table.name, geometry })
  const isIndexed = geometry !== undefined && hasRtree(db, { table: table.name, geometry })
  return { name: table.name, id, table, generated, isIndexed }
}

function readOnly(text: string): Failure {
  return conflict('table-read-only', text)
}

/** Returns the rowid in SQLite; undefined for an invalid id. */
export function parseRowid(featureId: string): bigint | undefined {
  if (!/^-?(?:0|[1-9]\d{0,18})$/.test(featureId)) return undefined
  const id = BigInt(featureId)
  return BigInt.asIntN(64, id) === id ? id : undefined
}

/** Returns one row; undefined if it does not exist. */
export function readRow(db: DatabaseSync, { table, id }: EditedRows, rowid: bigint): FeaturePage | undefined {
  const statement = db.prepare(
    `SELECT ${selectList(table)} FROM main.${quoteName(table.name)} WHERE ${quoteName(id)} = ?`,
  )
  const builder = new BatchBuilder(table.schema, 1)
  for (const values of iterateRows(statement, rowid)) {
    if (appendRow(builder, values, 1)) return { batch: builder.finish(), ids: [String(rowid)] }
    const { reason, field } = builder.rejects[0] ?? { reason: 'It cannot be read' }
    const suffix = field === undefined ? '' : ` in column "${field}"`
    throw conflict(
      'feature-unreadable',
      `Feature ${rowid} of "${table.name}" holds a value${suffix} that no reader takes: ${reason}`,
    )
  }
  return undefined
}
