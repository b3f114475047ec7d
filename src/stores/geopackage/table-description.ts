import type { DatabaseSync } from 'node:sqlite'
import { findTable } from '../../formats/geopackage/tables.ts'
import type { TableDescription } from '../store.ts'

/** Returns the description of a table; undefined if there is none. */
export function describeTable(db: DatabaseSync, name: string): TableDescription | undefined {
  const table = findTable(db, name)
  if (table === undefined) return undefined
  const { idColumn, envelope, schema } = table
  return { name: table.name, schema, primaryKey: idColumn, envelope }
}
