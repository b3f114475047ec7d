import { DemandRow } from './demand-row.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'
import type { SeriesState } from './series-state.ts'
import { UsageRow } from './usage-row.ts'
import { demandColumns, usageColumns } from './usage-store.ts'

/**
 * A day is closed two days after its end, when the salts of its visitors are deleted; a day has at most 25
 * hours.
 */
const openSeconds = 2 * 86_400 + 25 * 3600
/** Service id of rows with the visitors that several services share. */
export const allServices = 0

interface Closing {
  database: SeriesDatabase
  state: SeriesState
  /** Maximum number of stored cells per layer and day. */
  demandCells: number
  /** Present time, in seconds since 1970. */
  now: number
}

/**
 * Closes the usage of a day that ended more than two days ago: retains the number of visitors and the most
 * frequent cells. Returns true if there may be more days.
 */
export async function closeUsagePiece({ database, state, demandCells, now }: Closing): Promise<boolean> {
  const from = state.get('usage_closed_before')
  const to = now - openSeconds
  if (to <= from) return false
  const [found] = await database.arrays(`select min(day) from monitoring_usage_open`)
  const day = found?.[0] == null ? undefined : Number(found[0])
  if (day === undefined || day >= to) {
    // Rounds to whole hours, so that the number is not written at every call.
    await state.set('usage_closed_before', Math.max(from, to - (to % 3600)))
    return false
  }
  await closeRows(database, day)
  await closeDemand(database, day, demandCells)
  await state.set('usage_closed_before', day + 1)
  return true
}

async function closeRows(database: SeriesDatabase, day: number): Promise<void> {
  const stored = await database.arrays(
    `select zone_id, scope, key_id, service_id, cells from monitoring_usage_open
     where zone_id in (select id from monitoring_usage_zones) and day = ?
     order by zone_id, scope, key_id, service_id`,
    [day],
  )
  const values: SqlValue[][] = []
  for (const rows of Map.groupBy(stored, ([zone, scope, key]) => `${zone} ${scope} ${key}`).values()) {
    const decoded = rows.flatMap(([, , , , cells]) =>
      cells instanceof Uint8Array ? UsageRow.decode(cells) : [],
    )
    const shared = decoded.length > 1 ? UsageRow.shared(decoded) : undefined
    const [zone = 0, scope = 0, key = 0] = rows[0] ?? []
    if (shared !== undefined) values.push([zone, day, scope, key, allServices, 0, shared.encode()])
    for (const [at, row] of decoded.entries()) {
      row.close()
      values.push([zone, day, scope, key, rows[at]?.[3] ?? 0, row.requests, row.encode()])
    }
  }
  await database.insert('monitoring_usage', usageColumns, values)
  await removeOpen(database, 'monitoring_usage_open', day)
}

async function closeDemand(database: SeriesDatabase, day: number, maxCells: number): Promise<void> {
  const stored = await database.arrays(
    `select zone_id, resource_id, service_id, cells from monitoring_demand_open
     where zone_id in (select id from monitoring_usage_zones) and day = ?
     order by zone_id, resource_id, service_id`,
    [day],
  )
  const values = stored.map(([zone = 0, resource = 0, service = 0, cells]): SqlValue[] => {
    const row = cells instanceof Uint8Array ? DemandRow.decode(cells) : new DemandRow()
    row.close(maxCells)
    return [zone, day, resource, service, row.encode()]
  })
  await database.insert('monitoring_demand', demandColumns, values)
  await removeOpen(database, 'monitoring_demand_open', day)
}

async function removeOpen(database: SeriesDatabase, table: string, day: number): Promise<void> {
  await database.run(
    `delete from ${table} where zone_id in (select id from monitoring_usage_zones) and day = ?`,
    [day],
  )
}
