import type { RecordedPeriods } from '../../../packages/geonode-migration/index.ts'
import { idsWhere } from '../metrics/metrics.ts'
import { eventTypeId } from '../model/event-types.ts'
import type { Resolution } from '../series/schema.ts'
import { resolutions, tableOf } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { SeriesState } from '../series/series-state.ts'

const unsplitIds = [...idsWhere(({ isLabelled }) => !isLabelled)].join(', ')

/**
 * Reads the periods in which a service has data of its own: its minutes, or its hours and days where minutes
 * have been deleted.
 */
export async function readRecordedPeriods(
  database: SeriesDatabase,
  serviceId: number,
): Promise<RecordedPeriods> {
  const state = await SeriesState.read(database)
  const until: Record<Resolution, number> = {
    60: Number.MAX_SAFE_INTEGER,
    3600: state.get('minutes_kept_from'),
    86400: state.get('hours_kept_from'),
  }
  const parts: { resolution: Resolution; starts: number[] }[] = []
  for (const resolution of resolutions) {
    const rows = await database.arrays(
      `select distinct period from ${tableOf[resolution]} where period < ? and series_id in (
         select id from monitoring_series where service_id = ? and load_id = 0 and is_total = 0 and resource_id = 0
           and event_type = ? and metric_id in (${unsplitIds}))
       order by period`,
      [until[resolution], serviceId, eventTypeId('all')],
    )
    parts.push({ resolution, starts: rows.map(([period]) => Number(period)) })
  }
  return {
    overlaps: (from, to) => {
      const end = Math.max(to, from + 1)
      return parts.some(({ resolution, starts }) => hasWithin(starts, from - resolution, end))
    },
  }
}

/** True if one of the sorted numbers is between both limits, which are excluded. */
function hasWithin(sorted: readonly number[], above: number, below: number): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) > above) high = middle
    else low = middle + 1
  }
  const first = sorted[low]
  return first !== undefined && first < below
}
