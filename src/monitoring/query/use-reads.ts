import type { UsedResource } from '../series/request-event.ts'
import type { SeriesDatabase, SqlValue } from '../series/series-database.ts'
import type { Use, UseSplit } from '../series/use-counts.ts'
import { useSplits } from '../series/use-counts.ts'
import { useColumns, useOf } from '../series/use-rows.ts'
import { readLabels, readResources } from './names.ts'
import { integers } from './series-sql.ts'

/** Asks what resources were used for, day by day. */
export interface UseQuery {
  /** Seconds since 1970: days that begin in `[from, to)`. */
  from: number
  to: number
  /** Days of this zone, as `TERRANE_ZONE` had it when they were counted; default: days of UTC. */
  zone?: string
  /** `all`, or by robots and people (`kind`), own networks and others (`network`), `referrer` or `country`. */
  split: UseSplit
  /** True: a row for each resource; otherwise one for all requests. */
  isByResource: boolean
  /** Default: all services. */
  serviceIds?: readonly number[]
}

/** What the requests of one day come to; `use.times` and `use.visitors` can be merged over rows by `mergeUse`. */
export interface UseRow {
  serviceId: number
  /** Seconds since 1970; a day of a zone may have 23 or 25 hours. */
  day: number
  dayEnd: number
  /** Undefined where all requests are one row. */
  resource: UsedResource | undefined
  /** Such as `robots`, `own`, `maps.example.org` or `DEU`; `(none)` and `(other)` as in metric data; empty for `all`. */
  label: string
  use: Use
}

/**
 * The uses of layers and other resources by day, for reports: requests, errors, bytes, times, last use, visitors. Rows of
 * one split sum up to those of `all`; a request with two layers is in the rows of both. In the order of days.
 */
export async function readUses(database: SeriesDatabase, query: UseQuery): Promise<UseRow[]> {
  const { from, to, zone = '', split, isByResource, serviceIds } = query
  const services = serviceIds === undefined ? '' : `and service_id in (${integers(serviceIds)})`
  const rows = await database.arrays(
    `select ${useColumns.join(', ')} from monitoring_uses
     where zone = ? and day >= ? and day < ? and split = ? and resource_id ${isByResource ? '>' : '='} 0 ${services}
     order by day, service_id, resource_id, label_id`,
    [zone, from, to, useSplits[split]],
  )
  const idsAt = (place: number): number[] => [...new Set(rows.map((row) => Number(row[place])))]
  const resources = await readResources(database, isByResource ? idsAt(3) : [])
  const labels = await readLabels(database, idsAt(5))
  return rows.map((row) => toUseRow(row, resources, labels))
}

function toUseRow(
  row: SqlValue[],
  resources: ReadonlyMap<number, UsedResource>,
  labels: ReadonlyMap<number, { name: string }>,
): UseRow {
  const [serviceId, , day, resourceId, , labelId, dayEnd] = row
  const resource = resources.get(Number(resourceId))
  return {
    ...{ serviceId: Number(serviceId), day: Number(day), dayEnd: Number(dayEnd) },
    resource: resource === undefined ? undefined : { type: resource.type, name: resource.name },
    label: labels.get(Number(labelId))?.name ?? '',
    use: useOf(row.slice(7)),
  }
}
