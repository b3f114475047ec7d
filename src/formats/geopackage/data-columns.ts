import type { DatabaseSync } from 'node:sqlite'
import type { Attribute } from '../../geo/schema.ts'
import type { ColumnTexts } from '../column-messages.ts'
import { withColumnTexts } from '../column-messages.ts'
import type { FormatMessage } from '../format.ts'
import { isSameName } from './sql-names.ts'
import type { GeoPackageTable } from './tables.ts'
import { isPlainTable } from './tables.ts'

/** Maximum number of rows read from the tables of the schema extension. */
const maxRows = 100_000

/**
 * Adds the titles and enumeration labels of the schema extension (OGC 12-128r18, annex F.9) to the attributes
 * of a table, and messages about them.
 */
export function withDataColumns(
  db: DatabaseSync,
  table: GeoPackageTable,
): { attributes: Attribute[]; messages: FormatMessage[] } {
  const { attributes } = table.schema
  if (!isPlainTable(db, 'gpkg_data_columns')) return { attributes, messages: [] }
  const rows = db
    .prepare(`SELECT * FROM gpkg_data_columns WHERE lower(table_name) = lower(?) LIMIT ${maxRows}`)
    .all(table.name)
  const hasConstraints = isPlainTable(db, 'gpkg_data_column_constraints')
  return withColumnTexts(attributes, ({ name }): ColumnTexts => {
    const row = rows.find((one) => isSameName(String(one['column_name']), name))
    const title = [row?.['title'], row?.['name']].find(isText)
    const domain = row?.['constraint_name']
    const labels = hasConstraints && isText(domain) ? readLabels(db, domain) : undefined
    return { title, domain: isText(domain) && labels !== undefined ? { name: domain, labels } : undefined }
  })
}

/** Reads the descriptions of the values of an enumeration. */
function readLabels(db: DatabaseSync, constraint: string): Map<string, string> {
  const rows = db
    .prepare(
      `SELECT value, description FROM gpkg_data_column_constraints
       WHERE lower(constraint_name) = lower(?) AND constraint_type = 'enum' ORDER BY rowid LIMIT ${maxRows}`,
    )
    .all(constraint)
  const labels = new Map<string, string>()
  for (const { value, description } of rows) if (isText(description)) labels.set(String(value), description)
  return labels
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
