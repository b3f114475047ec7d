import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { findObject, type GeoPackageTable, listTables, quoteName } from '../../formats/geopackage/index.ts'
import type { TableProblem, TableSummary } from '../table-summary.ts'

/** Returns the tables and views that the GeoPackage lists as features or attributes. */
export function summarizeTables(db: DatabaseSync): TableSummary[] {
  return listTables(db).map((table) => {
    const { name, kind, schema, idColumn } = table
    const summary: TableSummary = {
      name,
      table: name,
      kind,
      columnsMark: columnsMark(table),
      problems: problemsOf(db, table),
    }
    if (idColumn !== undefined) summary.key = idColumn
    const estimatedRows = storedCount(db, name)
    if (estimatedRows !== undefined) summary.estimatedRows = estimatedRows
    const { geometry } = schema
    if (geometry !== undefined) {
      const type = `${geometry.type}${geometry.hasZ ? 'Z' : ''}${geometry.hasM ? 'M' : ''}`
      summary.geometry = { column: geometry.name, type, srs: geometry.crs?.srs }
    }
    return summary
  })
}

function columnsMark({ schema, columns }: GeoPackageTable): string {
  const types = schema.attributes.map(({ name, type }) => `${name} ${type}`)
  const text = JSON.stringify([columns.map(({ name }) => name), types, schema.geometry?.type])
  return createHash('md5').update(text).digest('hex')
}

/** Returns the row count that GDAL stores; its triggers keep it current. */
function storedCount(db: DatabaseSync, table: string): number | undefined {
  if (findObject(db, 'gpkg_ogr_contents') === undefined) return undefined
  const row = db
    .prepare('SELECT feature_count AS n FROM gpkg_ogr_contents WHERE lower(table_name) = lower(?)')
    .get(table)
  return typeof row?.['n'] === 'number' ? row['n'] : undefined
}

function problemsOf(db: DatabaseSync, { name, kind, schema, idColumn }: GeoPackageTable): TableProblem[] {
  const problems: TableProblem[] = []
  if (idColumn === undefined)
    problems.push({
      code: 'no-key',
      message:
        'It has no key of one integer column: features are numbered by their position and cannot be edited.',
    })
  const { geometry } = schema
  if (geometry === undefined) return problems
  if (geometry.crs === undefined)
    problems.push({
      code: 'no-srid',
      message: `Column "${geometry.name}" declares no CRS: name the CRS when you publish the table.`,
    })
  const index = `rtree_${name}_${geometry.name}`
  if (kind === 'table' && findObject(db, index) === undefined)
    problems.push({
      code: 'no-index',
      message: `Column "${geometry.name}" has no spatial index (${quoteName(index)}): boxes, tiles and maps read the whole table.`,
    })
  return problems
}
