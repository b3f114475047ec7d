import { renewTotals } from '../series/roll-up.ts'
import { resolutions, tableOf } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'

const seriesPerPiece = 64

/**
 * Replaces rows of earlier loads by rows of this load with the same series, label and time, so that a newer
 * dump of a system can be loaded over an older one. Call it when the load has its services.
 */
export async function replaceEarlier(database: SeriesDatabase, loadId: number): Promise<void> {
  const pairs = await database.arrays(
    `select earlier.id, later.id from monitoring_series later join monitoring_series earlier
       on earlier.metric_id = later.metric_id and earlier.is_total = later.is_total
       and earlier.event_type = later.event_type and earlier.resource_id = later.resource_id
       and earlier.service_id = later.service_id and earlier.load_id not in (0, later.load_id)
     where later.load_id = ? and later.is_total = 0`,
    [loadId],
  )
  for (const older of resolutions) {
    const changed: number[] = []
    for (const [earlier, later] of pairs) {
      let removed = 0
      for (const newer of resolutions)
        removed += await database.run(
          `delete from ${tableOf[older]} where series_id = ? and exists (
             select 1 from ${tableOf[newer]} n where n.series_id = ? and n.label_id = ${tableOf[older]}.label_id
               and n.period > ${tableOf[older]}.period - ${newer}
               and n.period < ${tableOf[older]}.period + ${older})`,
          [earlier ?? 0, later ?? 0],
        )
      if (removed > 0) changed.push(Number(earlier))
    }
    await renewTotalsOf(database, tableOf[older], changed)
  }
}

async function renewTotalsOf(database: SeriesDatabase, table: string, ids: number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += seriesPerPiece) {
    const where = `id in (${ids.slice(start, start + seriesPerPiece).join(', ')})`
    const range = { validFrom: 0, validTo: Number.MAX_SAFE_INTEGER }
    await renewTotals(database, { table, series: { where, values: [] }, ...range })
  }
}

/** Removes exceptions that an earlier load or this server already stored. */
export async function dropKnownExceptions(
  database: SeriesDatabase,
  move: { hiddenId: number; serviceId: number },
): Promise<void> {
  await database.run(
    `delete from monitoring_exceptions where service_id = ? and exists (
       select 1 from monitoring_exceptions known where known.service_id = ?
         and known.created = monitoring_exceptions.created
         and known.error_type = monitoring_exceptions.error_type
         and known.message = monitoring_exceptions.message)`,
    [move.hiddenId, move.serviceId],
  )
}
