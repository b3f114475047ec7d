import { inSeries, renewTotals } from './roll-up.ts'
import type { SeriesDatabase } from './series-database.ts'
import { rowColumns } from './stored-row.ts'
import type { RetainWork } from './sweep.ts'

const daySeconds = 86_400
const seriesPerPiece = 64

/**
 * Removes a part of the expired imported rows, whose age counts from the day of the import. Rows that are too
 * old for their table are added to the next coarser one, which does not contain them yet.
 */
export async function removeLoadedPiece({ database, keep, now }: RetainWork): Promise<boolean> {
  const steps = [
    { table: 'monitoring_minutes', coarser: 'monitoring_hours', size: 3600, days: keep.minuteDays },
    { table: 'monitoring_hours', coarser: 'monitoring_days', size: daySeconds, days: keep.hourDays },
    { table: 'monitoring_days', coarser: undefined, size: 0, days: keep.dayDays },
  ]
  for (const { table, coarser, size, days } of steps) {
    if (days === 0) continue
    const ids = await oldSeries(database, table, (now - days * daySeconds) * 1000)
    if (ids.length === 0) continue
    const series = { where: `id in (${ids.join(', ')})`, values: [] }
    if (coarser !== undefined) await moveRows(database, { table, coarser, size }, ids)
    await database.run(`delete from ${table} where ${inSeries(database, series)}`)
    return true
  }
  return false
}

/** Returns some series with rows in the table that were loaded before a time. */
async function oldSeries(database: SeriesDatabase, table: string, before: number): Promise<number[]> {
  const rows = await database.arrays(
    `select s.id from monitoring_loads l join monitoring_series s on s.load_id = l.id
     where l.loaded < ? and exists (select 1 from ${table} where series_id = s.id)
     order by s.is_total, s.id limit ${seriesPerPiece}`,
    [before],
  )
  return rows.map(([id]) => Number(id))
}

interface Move {
  table: string
  coarser: string
  size: number
}

async function moveRows(
  database: SeriesDatabase,
  { table, coarser, size }: Move,
  ids: number[],
): Promise<void> {
  const series = { where: `id in (${ids.join(', ')})`, values: [] }
  const start = `period - period % ${size}`
  await database.run(
    `insert into ${coarser} (${rowColumns.join(', ')})
     select series_id, ${start}, label_id, sum(sum), sum(weighted), min(min), max(max), sum(samples), sum(count), 1,
       max(users), null
     from ${table} where ${inSeries(database, series, 'is_total = 0')} group by series_id, ${start}, label_id
     on conflict (series_id, period, label_id) do update set
       sum = ${coarser}.sum + excluded.sum, weighted = ${coarser}.weighted + excluded.weighted,
       min = case when ${coarser}.min < excluded.min then ${coarser}.min else excluded.min end,
       max = case when ${coarser}.max > excluded.max then ${coarser}.max else excluded.max end,
       samples = ${coarser}.samples + excluded.samples, count = ${coarser}.count + excluded.count`,
  )
  await renewTotals(database, { table: coarser, series, validFrom: 0, validTo: Number.MAX_SAFE_INTEGER })
}
