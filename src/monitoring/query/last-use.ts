import { everyRequest } from '../metrics/metrics.ts'
import { eventTypeId } from '../model/event-types.ts'
import { resourceTypeId } from '../model/resource-types.ts'
import { pagesOffset } from '../model/service-types.ts'
import { resolutions, tableOf } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'

const namesPerStatement = 500

/**
 * Returns the start of the newest stored minute, hour or day with a request for each of the layers, by name, in seconds since
 * 1970. A layer without requests is absent.
 */
export async function readLastUse(
  database: SeriesDatabase,
  { layers }: { layers: readonly string[] },
): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  const newest = resolutions.map(
    (one) => `(select max(period) from ${tableOf[one]} where series_id = s.id) as newest_${one}`,
  )
  for (let at = 0; at < layers.length; at += namesPerStatement) {
    const names = layers.slice(at, at + namesPerStatement)
    const rows = await database.arrays(
      `select r.name, ${newest.join(', ')} from monitoring_resources r
       join monitoring_series s on s.resource_id = r.id and s.metric_id = ? and s.is_total = 0 and s.event_type = ?
       where r.type = ? and s.service_id < ${pagesOffset} and r.name in (${names.map(() => '?').join(',')})`,
      [everyRequest.id, eventTypeId('all'), resourceTypeId('layer'), ...names],
    )
    for (const [name, ...periods] of rows) {
      const key = String(name)
      const last = Math.max(...periods.map(Number))
      if (last > (found[key] ?? 0)) found[key] = last
    }
  }
  return found
}
