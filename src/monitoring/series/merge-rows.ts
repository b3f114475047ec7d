import { idsWhere } from '../metrics/metrics.ts'
import { OtherSketch } from './other-sketch.ts'
import type { SeriesDatabase } from './series-database.ts'
import type { StoredRow } from './stored-row.ts'
import { decodeSketch, insertStoredRows, mergeSketch } from './stored-row.ts'

const rates = idsWhere(({ type }) => type === 'rate')

const updates = {
  /** Same minute: the new amounts are part of its value. */
  count: `sum = {t}.sum + excluded.sum, min = {t}.sum + excluded.sum, max = {t}.sum + excluded.sum,
    weighted = ({t}.sum + excluded.sum) * ({t}.samples + excluded.samples), samples = {t}.samples + excluded.samples`,
  rate: `sum = ({t}.weighted + excluded.weighted) / ({t}.samples + excluded.samples),
    min = ({t}.weighted + excluded.weighted) / ({t}.samples + excluded.samples),
    max = ({t}.weighted + excluded.weighted) / ({t}.samples + excluded.samples),
    weighted = {t}.weighted + excluded.weighted, samples = {t}.samples + excluded.samples`,
  /** A coarser period: adds the new values. */
  beside: `sum = {t}.sum + excluded.sum, weighted = {t}.weighted + excluded.weighted,
    min = case when {t}.min < excluded.min then {t}.min else excluded.min end,
    max = case when {t}.max > excluded.max then {t}.max else excluded.max end,
    samples = {t}.samples + excluded.samples, count = {t}.count + excluded.count`,
}

/** Adds rows to existing rows of the same minutes. Totals are excluded. */
export async function mergeIntoMinutes(database: SeriesDatabase, rows: readonly StoredRow[]): Promise<void> {
  const own = rows.filter((row) => row.series.isTotal === 0)
  for (const isRate of [true, false]) {
    const some = own.filter((row) => rates.has(row.series.metricId) === isRate)
    await merge(database, 'monitoring_minutes', some, isRate ? updates.rate : updates.count)
  }
}

/** Adds rows of hours or days to existing rows. Totals are excluded. */
export async function mergeIntoPeriods(
  database: SeriesDatabase,
  table: string,
  rows: readonly StoredRow[],
): Promise<void> {
  await merge(
    database,
    table,
    rows.filter((row) => row.series.isTotal === 0),
    updates.beside,
  )
}

async function merge(
  database: SeriesDatabase,
  table: string,
  rows: readonly StoredRow[],
  update: string,
): Promise<void> {
  const merged: StoredRow[] = []
  for (const row of rows) merged.push(row.sketch === null ? row : await withSketch(database, table, row))
  const more = ', labels = excluded.labels, users = excluded.users, sketch = excluded.sketch'
  const conflict = `on conflict (series_id, period, label_id) do update set ${update}${more}`
  await insertStoredRows(database, table, merged, conflict.replaceAll('{t}', table))
}

/** Returns the row with its sketch merged with that of the stored row. */
async function withSketch(database: SeriesDatabase, table: string, row: StoredRow): Promise<StoredRow> {
  const [found] = await database.arrays(
    `select sketch from ${table} where series_id = ? and period = ? and label_id = ?`,
    [row.series.id, row.period, row.label.id],
  )
  const stored = found?.[0]
  if (!(stored instanceof Uint8Array) || row.sketch === null) return row
  const sketch = decodeSketch(row.series.metricId, stored)
  mergeSketch(sketch, row.sketch)
  if (!(sketch instanceof OtherSketch)) return { ...row, sketch }
  return { ...row, sketch, labels: sketch.labels.estimate(), users: sketch.users.estimate() }
}
