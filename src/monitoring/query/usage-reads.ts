import { resourceTypeId } from '../model/resource-types.ts'
import { DemandRow } from '../series/demand-row.ts'
import type { UsedResource } from '../series/request-event.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { allServices } from '../series/usage-close.ts'
import type { UsageScope } from '../series/usage-counts.ts'
import { usageScopes } from '../series/usage-counts.ts'
import { UsageRow } from '../series/usage-row.ts'
import { readLabelNames, readResources } from './names.ts'

/** Query for the usage of days that begin in `[from, to)`, in seconds since 1970. */
export interface UsageQuery {
  from: number
  to: number
  /** Time zone of the days: the value of `TERRANE_ZONE` when they were counted; default: UTC. */
  zone?: string
  scope: UsageScope
}

/** The requests of one service, day and key; merge rows over days and keys with `UsageRow.merge`. */
export interface StoredUsage {
  serviceId: number
  /** Seconds since 1970. */
  day: number
  /** Resource of the scope `resource`. */
  resource: UsedResource | undefined
  /** Label, for scopes by label, such as `DEU`, `(none)` or `(other)`; otherwise empty. */
  label: string
  row: UsageRow
}

/** Visitors that services have in common, to be subtracted from the sum of the services' visitors. */
export interface SharedUsage extends Omit<StoredUsage, 'serviceId'> {}

/** Reads the usage of all services by day, in the order of days. */
export async function readUsage(
  database: SeriesDatabase,
  { from, to, zone = 'UTC', scope }: UsageQuery,
): Promise<{ rows: StoredUsage[]; shared: SharedUsage[] }> {
  const stored = await database.arrays(
    `select service_id, day, key_id, cells from (
       select * from monitoring_usage union all select * from monitoring_usage_open) as usage
     where zone_id = (select id from monitoring_usage_zones where name = ?) and scope = ? and day >= ? and day < ?
     order by day, key_id, service_id`,
    [zone, usageScopes[scope], from, to],
  )
  const ids = [...new Set(stored.map(([, , id]) => Number(id)))]
  const resources = scope === 'resource' ? await readResources(database, ids) : new Map()
  const labels = scope === 'resource' || scope === 'all' ? new Map() : await readLabelNames(database, ids)
  const all = stored.map(([serviceId, day, keyId, cells]): StoredUsage => {
    const resource = resources.get(Number(keyId))
    return {
      serviceId: Number(serviceId),
      day: Number(day),
      resource: resource === undefined ? undefined : { type: resource.type, name: resource.name },
      label: labels.get(Number(keyId))?.name ?? '',
      row: cells instanceof Uint8Array ? UsageRow.decode(cells) : new UsageRow(),
    }
  })
  return {
    rows: all.filter(({ serviceId }) => serviceId !== allServices),
    shared: all.filter(({ serviceId }) => serviceId === allServices),
  }
}

/** Requested areas of a layer on one day. */
export interface StoredDemand {
  serviceId: number
  /** Seconds since 1970. */
  day: number
  resource: UsedResource
  row: DemandRow
}

/** Reads the requested areas of layers, in the order of days. */
export async function readDemand(
  database: SeriesDatabase,
  { from, to, zone = 'UTC' }: Omit<UsageQuery, 'scope'>,
): Promise<StoredDemand[]> {
  const stored = await database.arrays(
    `select service_id, day, resource_id, cells from (
       select * from monitoring_demand union all select * from monitoring_demand_open) as demand
     where zone_id = (select id from monitoring_usage_zones where name = ?) and day >= ? and day < ?
     order by day, resource_id, service_id`,
    [zone, from, to],
  )
  const resources = await readResources(database, [...new Set(stored.map(([, , id]) => Number(id)))])
  return stored.flatMap(([serviceId, day, id, cells]) => {
    const found = resources.get(Number(id))
    if (found === undefined || !(cells instanceof Uint8Array)) return []
    const resource = { type: found.type, name: found.name }
    return [{ serviceId: Number(serviceId), day: Number(day), resource, row: DemandRow.decode(cells) }]
  })
}

/** Query for the requested areas of one layer. */
export interface LayerDemandQuery {
  layer: string
  /** IANA name of the zone. */
  zone: string
  /** Starts of the days, in seconds since 1970. */
  days: readonly number[]
}

/** Requests for one cell of zoom 8. */
export interface DemandCellSum {
  /** Row * 256 + column, counted from the north-west. */
  cell: number
  requests: number
  /** Visitors of days, summed over days. */
  visits: number
  /** Maximum number of distinct visitors on one day and service: a lower bound of the number of people. */
  maxVisitors: number
}

/** Requested areas of a layer, with requests that have no cell. */
export interface LayerDemand {
  cells: DemandCellSum[]
  /** Requests for cells beyond the stored number, and for areas too large to be assigned to cells. */
  other: number
  wide: number
}

/** Sums the requested areas of one layer over days. */
export async function readLayerDemand(
  database: SeriesDatabase,
  { layer, zone, days }: LayerDemandQuery,
): Promise<LayerDemand> {
  const cells = new Map<number, DemandCellSum>()
  const demand: LayerDemand = { cells: [], other: 0, wide: 0 }
  const dayList = days.map(Number).join(',')
  if (dayList === '') return demand
  for (const table of ['monitoring_demand', 'monitoring_demand_open']) {
    const stored = await database.arrays(
      `select cells from ${table} where zone_id = (select id from monitoring_usage_zones where name = ?)
       and day in (${dayList}) and resource_id = (select id from monitoring_resources where type = ? and name = ?)`,
      [zone, resourceTypeId('layer'), layer],
    )
    for (const [bytes] of stored)
      if (bytes instanceof Uint8Array) addDemand(demand, cells, DemandRow.decode(bytes))
  }
  demand.cells = [...cells.values()].sort((a, b) => a.cell - b.cell)
  return demand
}

function addDemand(demand: LayerDemand, cells: Map<number, DemandCellSum>, row: DemandRow): void {
  demand.wide += row.wide
  demand.other += row.other.requests
  for (const [cell, { requests, visitors }] of row.cells) {
    const sum = cells.get(cell) ?? { cell, requests: 0, visits: 0, maxVisitors: 0 }
    cells.set(cell, sum)
    const { count } = visitors
    sum.requests += requests
    sum.visits += count
    sum.maxVisitors = Math.max(sum.maxVisitors, count)
  }
}
