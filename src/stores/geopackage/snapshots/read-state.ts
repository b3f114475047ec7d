import type { DatabaseSync } from 'node:sqlite'
import { appendRow, iterateRows, quoteName, selectList } from '../../../formats/geopackage/index.ts'
import { BatchBuilder } from '../../../geo/batch.ts'
import type { FeaturePage, StatePath } from '../../store.ts'
import type { GeoPackageReading } from '../reading/reading.ts'
import { findPath } from './find-path.ts'
import { addedTable, snapshotTable } from './snapshot-registry.ts'

/** Yields the rows of a retained state in the order of their ids, from one state of the file. */
export async function* readState(
  reading: GeoPackageReading,
  { table, states }: { table: string; states: StatePath },
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  yield* reading.stream(({ db }) => pagesOf(db, table, states.at(-1)?.id ?? ''), signal)
}

function* pagesOf(db: DatabaseSync, name: string, id: string): Generator<FeaturePage> {
  const { whole, differences } = findPath(db, name, id)
  const table = (differences.at(-1) ?? whole)?.table
  if (table === undefined) return
  const key = quoteName(table.idColumn ?? 'rowid')
  const columns = table.columns.map((column) => quoteName(column.name)).join(', ')
  const first = whole === undefined ? quoteName(table.name) : snapshotTable(whole.number)
  let rows = `SELECT ${columns} FROM main.${first}`
  for (const { number } of differences) {
    const [added, old] = [`main.${addedTable(number)}`, `main.${snapshotTable(number)}`]
    rows = `SELECT ${columns} FROM (${rows}) WHERE ${key} NOT IN (SELECT id FROM ${added})
      AND ${key} NOT IN (SELECT ${key} FROM ${old}) UNION ALL SELECT ${columns} FROM ${old}`
  }
  let builder = new BatchBuilder(table.schema)
  let ids: string[] = []
  let row = 0
  for (const values of iterateRows(
    db.prepare(`SELECT ${selectList(table)} FROM (${rows}) ORDER BY ${key}`),
  )) {
    row += 1
    if (appendRow(builder, values, row)) ids.push(String(values[0] ?? row))
    if (!builder.isFull) continue
    yield { batch: builder.finish(), ids }
    builder = new BatchBuilder(table.schema)
    ids = []
  }
  if (!builder.isEmpty) yield { batch: builder.finish(), ids }
}
