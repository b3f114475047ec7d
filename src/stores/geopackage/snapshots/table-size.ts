import type { DatabaseSync } from 'node:sqlite'
import { type GeoPackageTable, quoteName } from '../../../formats/geopackage/index.ts'
import { sumOfTerms } from '../reading/joined-conditions.ts'

const probes = 100
/**
 * Approximate unused bytes of the last page of a B-tree, and the number of B-trees of a table with an R*Tree.
 */
const emptyBytes = 2048
const treesWithIndex = 4
/** Overhead of a row, and of its R*Tree entry, in bytes. */
const rowBytes = 12
const indexedBytes = 48

/** Estimates the size of a table in the file from sampled rows. */
export function estimateSize(db: DatabaseSync, { name, idColumn, columns, schema }: GeoPackageTable): number {
  const table = `main.${quoteName(name)}`
  const id = quoteName(idColumn ?? 'rowid')
  const ends = db.prepare(`SELECT count(*) AS n, min(${id}) AS first, max(${id}) AS last FROM ${table}`).get()
  const [count, first, last] = [Number(ends?.['n']), Number(ends?.['first']), Number(ends?.['last'])]
  if (count === 0) return 0
  const lengths = sumOfTerms(columns.map((column) => `coalesce(octet_length(${quoteName(column.name)}), 0)`))
  const probe = db.prepare(`SELECT ${lengths} AS bytes FROM ${table} WHERE ${id} >= ? ORDER BY ${id} LIMIT 1`)
  let bytes = 0
  for (let step = 0; step < probes; step += 1) {
    bytes += Number(probe.get(Math.floor(first + ((last - first) * step) / probes))?.['bytes'] ?? 0)
  }
  const each = bytes / probes + rowBytes + (schema.geometry === undefined ? 0 : indexedBytes)
  const empty = emptyBytes * (schema.geometry === undefined ? 1 : treesWithIndex)
  return Math.round(each * count + empty)
}

/** Returns a text that differs for a table to which rows were added, or from which rows were removed. */
export function tallyRows(db: DatabaseSync, { name, idColumn }: GeoPackageTable): string {
  const id = quoteName(idColumn ?? 'rowid')
  const row = db.prepare(`SELECT count(*) AS n, total(${id}) AS sum FROM main.${quoteName(name)}`).get()
  return `${row?.['n']} ${row?.['sum']}`
}
