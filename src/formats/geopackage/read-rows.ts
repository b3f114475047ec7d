import type { DatabaseSync } from 'node:sqlite'
import type { FeatureBatch } from '../../geo/batch.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import { RecordReader } from './record-reader.ts'
import { quoteName } from './sql-names.ts'
import { appendRow, iterateRows, selectList } from './sql-rows.ts'
import { PageSource } from './sqlite-pages/page-source.ts'
import { TableScan } from './sqlite-pages/table-scan.ts'
import type { GeoPackageTable } from './tables.ts'

/** Reads the records of a table from its pages: see decision 181. */
export async function* readPages(
  path: string,
  table: GeoPackageTable,
  signal: AbortSignal,
): AsyncGenerator<FeatureBatch> {
  const { name, rootPage } = table
  if (rootPage === undefined) throw new Error(`"${name}" has no pages of its own`)
  const pages = new PageSource(path)
  try {
    const scan = new TableScan(pages, rootPage)
    const reader = new RecordReader(scan, table)
    let builder = new BatchBuilder(table.schema)
    for (let rowNumber = 1; scan.next(); rowNumber += 1) {
      reader.append(builder, rowNumber)
      if (!builder.isFull) continue
      yield builder.finish()
      signal.throwIfAborted()
      builder = builder.next()
    }
    if (!builder.isEmpty) yield builder.finish()
  } finally {
    pages.close()
  }
}

/**
 * Reads through SQLite: for tables without pages of their own, such as views, and as an alternative with the
 * same batches.
 */
export async function* readByQuery(
  db: DatabaseSync,
  table: GeoPackageTable,
  signal: AbortSignal,
): AsyncGenerator<FeatureBatch> {
  const order =
    table.kind === 'table' && table.idColumn !== undefined ? ` ORDER BY ${quoteName(table.idColumn)}` : ''
  const statement = db.prepare(`SELECT ${selectList(table)} FROM ${quoteName(table.name)}${order}`)
  let builder = new BatchBuilder(table.schema)
  let rowNumber = 0
  for (const values of iterateRows(statement)) {
    rowNumber += 1
    appendRow(builder, values, rowNumber)
    if (!builder.isFull) continue
    yield builder.finish()
    signal.throwIfAborted()
    builder = builder.next()
  }
  if (!builder.isEmpty) yield builder.finish()
}
