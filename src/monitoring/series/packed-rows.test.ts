import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { LabelRef, SeriesRef } from './dictionary.ts'
import { PackedRows } from './packed-rows.ts'
import { QuantileSketch } from './quantile-sketch.ts'
import { SqliteSeriesDatabase } from './sqlite-series-database.ts'
import type { StoredRow } from './stored-row.ts'
import { insertStoredRows } from './stored-row.ts'

const table = 'monitoring_minutes'

test('packed rows are stored like single rows, in the order of the key', async () => {
  const rows = makeRows()
  const packed = new PackedRows()
  for (const row of rows) packed.add(row)
  assert.equal(packed.length, rows.length)
  const expected = await storedBy((database) => insertStoredRows(database, table, [...rows]))
  const found = await storedBy((database) => packed.insert(database, table))
  assert.deepEqual(found, expected)
  assert.equal(found.length, rows.length)
})

/** Returns more rows than one statement or one call inserts, of several series in turn. */
function makeRows(): StoredRow[] {
  const series = [30, 10, 20].map((id): SeriesRef => {
    return { id, metricId: 2, isTotal: 0, split: { serviceId: 1, eventTypeId: 1, resource: 0, series: [] } }
  })
  const labels = [7, 5, 6].map((id): LabelRef => ({ id, text: `label ${id}`, user: null, used: 0 }))
  const rows: StoredRow[] = []
  for (let minute = 0; minute < 600; minute += 1)
    for (const [at, one] of series.entries())
      for (const label of labels) rows.push(makeRow(one, label, { minute, at }))
  return rows
}

function makeRow(
  series: SeriesRef,
  label: LabelRef,
  { minute, at }: { minute: number; at: number },
): StoredRow {
  const sum = minute + at / 4
  const sketch = at === 1 ? new QuantileSketch() : null
  sketch?.add(sum)
  const amounts = { sum, weighted: sum * sum, min: sum - 1, max: sum + 1 }
  const counts = { samples: minute, count: at + 1, labels: at + 2, users: at + 3 }
  return { series, label, period: 1_761_955_200 + minute * 60, ...amounts, ...counts, sketch }
}

async function storedBy(write: (database: SqliteSeriesDatabase) => Promise<void>): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-packed-rows-'))
  const database = new SqliteSeriesDatabase(join(folder, 'monitoring.sqlite'))
  try {
    await write(database)
    return await database.arrays(`select * from ${table}`)
  } finally {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
