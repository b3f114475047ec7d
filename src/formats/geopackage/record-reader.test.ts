import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { BatchBuilder } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import { RecordReader } from './record-reader.ts'
import { appendRow, iterateRows, selectList } from './sql-rows.ts'
import { PageSource } from './sqlite-pages/page-source.ts'
import { TableScan } from './sqlite-pages/table-scan.ts'
import type { GeoPackageTable } from './tables.ts'
import { findTable } from './tables.ts'

const types = [
  'BOOLEAN',
  'SMALLINT',
  'MEDIUMINT',
  'INTEGER',
  'FLOAT',
  'DOUBLE',
  'TEXT',
  'BLOB',
  'DATE',
  'DATETIME',
]
const value = fc.oneof(
  fc.constant(null),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.constantFrom(0, 1, -1, 127, 128, -128, -129, 2 ** 31, 2 ** 47, -(2 ** 47) - 1),
  fc.double(),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.uint8Array({ maxLength: 60 }),
  fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
)
const id = fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
const row = fc.tuple(id, fc.array(value, { minLength: types.length, maxLength: types.length }))

function contents(builder: BatchBuilder): unknown {
  const batch = builder.finish()
  const rows = Array.from({ length: batch.rowCount }, (_, at) =>
    batch.columns.map((column) => columnValue(column, at)),
  )
  return { rows, rejects: batch.rejects, rowNumbers: [...batch.rowNumbers] }
}

describe('RecordReader', () => {
  it('reads from pages what SQLite reads by query, whatever stands in the columns', () => {
    const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
    const path = join(folder, 'x.gpkg')
    const columns = types.map((type, index) => `c${index} ${type}`).join(', ')
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        rmSync(path, { force: true })
        const db = new DatabaseSync(path)
        db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
          CREATE TABLE gpkg_contents (table_name, data_type, min_x, min_y, max_x, max_y);
          CREATE TABLE gpkg_spatial_ref_sys (srs_id);
          INSERT INTO gpkg_contents VALUES ('t', 'attributes', 0, 0, 0, 0);
          CREATE TABLE t (fid INTEGER PRIMARY KEY, ${columns})`)
        const insert = db.prepare(
          `INSERT OR IGNORE INTO t VALUES (CAST(? AS INTEGER), ${types.map(() => '?').join(', ')})`,
        )
        for (const [fid, values] of rows) insert.run(fid, ...values)
        const table = findTable(db, 't') as GeoPackageTable
        const queried = new BatchBuilder(table.schema, 32)
        let rowNumber = 0
        for (const found of iterateRows(db.prepare(`SELECT ${selectList(table)} FROM t`))) {
          rowNumber += 1
          appendRow(queried, found, rowNumber)
        }
        db.close()
        const pages = new PageSource(path)
        const scan = new TableScan(pages, table.rootPage as number)
        const reader = new RecordReader(scan, table)
        const read = new BatchBuilder(table.schema, 32)
        for (let number = 1; scan.next(); number += 1) reader.append(read, number)
        pages.close()
        assert.deepEqual(contents(read), contents(queried))
      }),
      { numRuns: 100 },
    )
    rmSync(folder, { recursive: true })
  })
})
