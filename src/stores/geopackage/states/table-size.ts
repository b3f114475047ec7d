import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../formats/geopackage/sql-names.ts'
import type { GeoPackageTable } from '../../../formats/geopackage/tables.ts'
import { sumOf } from '../balanced-expressions.ts'

const probes = 100
/** What is empty of the last page of a tree, about; and in how many trees a table with an R*Tree is kept. */
const emptyBytes = 2048
const treesWithIndex = 4
/** What a row takes besides its values, and in an R*Tree. */
const rowBytes = 12
const indexedBytes = 48

/** What a table takes in the file, about: by some rows from all over it. */
export function estimateSize(db: DatabaseSync, { name, idColumn, columns, schema }: GeoPackageTable): number {
  const table = `main.${quoteName(name)}`
  const id = quoteName(idColumn ?? 'rowid')
  const ends = db.prepare(`SELECT count(*) AS n, min(${id}) AS first, max(${id}) AS last FROM ${table}`).get()
  const [count, first, last] = [Number(ends?.['n']), Number(ends?.['first']), Number(ends?.['last'])]
  if (count === 0) return 0
  const lengths = sumOf(columns.map((column) => `coalesce(octet_length(${quoteName(column.name)}), 0)`))
  const probe = db.prepare(`SELECT ${lengths} AS bytes FROM ${table} WHERE ${id} >= ? ORDER BY ${id} LIMIT 1`)
  let bytes = 0
  for (let step = 0; step < probes; step += 1) {
    bytes += Number(probe.get(Math.floor(first + ((last - first) * step) / probes))?.['bytes'] ?? 0)
  }
  const each = bytes / probes + rowBytes + (schema.geometry === undefined ? 0 : indexedBytes)
  const empty = emptyBytes * (schema.geometry === undefined ? 1 : treesWithIndex)
  return Math.round(each * count + empty)
}

/** Another text for a table to which rows were added, or from which some went. */
export function tallyRows(db: DatabaseSync, { name, idColumn }: GeoPackageTable): string {
  const id = quoteName(idColumn ?? 'rowid')
  const row = db.prepare(`SELECT count(*) AS n, total(${id}) AS sum FROM main.${quoteName(name)}`).get()
  return `${row?.['n']} ${row?.['sum']}`
}
