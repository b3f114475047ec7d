import type { SeriesDatabase } from '../series/series-database.ts'
import { allServices } from '../series/usage-close.ts'
import type { UsageScope } from '../series/usage-counts.ts'
import { usageScopes } from '../series/usage-counts.ts'
import { UsageRow } from '../series/usage-row.ts'

/** Days that begin in `[from, to)`, in seconds since 1970. */
export interface UsageSpan {
  from: number
  to: number
}

/** A stored row of one service and key. */
interface PeriodRow {
  keyId: number
  serviceId: number
  /** Start of its day or month, in seconds since 1970. */
  start: number
  row: UsageRow
}

/** Receives rows of services, and rows of visitors to subtract from their sum. */
export interface PeriodRowTaker {
  add(row: PeriodRow): void
  /** If present, receives encoded rows of closed days instead of `add`. */
  addStored?(row: Omit<PeriodRow, 'row'> & { cells: Uint8Array }): void
  takeOff(shared: PeriodRow): void
}

/** Returns the id of a zone with stored usage and its first day; undefined if there is none. */
export async function findZone(
  database: SeriesDatabase,
  zone: string,
): Promise<{ id: number; since: number; until: number } | undefined> {
  const [found] = await database.arrays('select id, since from monitoring_usage_zones where name = ?', [zone])
  if (found === undefined) return undefined
  const id = Number(found[0])
  const newest = await Promise.all(
    ['monitoring_usage', 'monitoring_usage_open'].map((table) =>
      database.arrays(`select max(day) from ${table} where zone_id = ?`, [id]),
    ),
  )
  const until = Math.max(0, ...newest.map(([row]) => Number(row?.[0] ?? 0)))
  // Late requests may be older than the first counted day.
  const [oldest] = await database.arrays(`select min(day) from monitoring_usage where zone_id = ?`, [id])
  return { id, since: Math.min(Number(found[1]), Number(oldest?.[0] ?? found[1])), until }
}

/** Reads the rows of a scope over a period, in the order of keys within a day. */
export async function readUsagePeriod(
  database: SeriesDatabase,
  { zoneId, scope, from, to }: UsageSpan & { zoneId: number; scope: UsageScope },
  taker: PeriodRowTaker,
): Promise<void> {
  const values = [zoneId, usageScopes[scope], from, to]
  const read = (table: string) =>
    database.arrays(
      `select key_id, service_id, day, cells from ${table} where zone_id = ? and scope = ? and day >= ? and day < ?
       order by day, key_id, service_id`,
      values,
    )
  for (const [keyId, serviceId, day, cells] of await read('monitoring_usage')) {
    if (!(cells instanceof Uint8Array)) continue
    const key = { keyId: Number(keyId), serviceId: Number(serviceId), start: Number(day) }
    if (serviceId === allServices) taker.takeOff({ ...key, row: UsageRow.decode(cells) })
    else if (taker.addStored === undefined) taker.add({ ...key, row: UsageRow.decode(cells) })
    else taker.addStored({ ...key, cells })
  }
  const open = await read('monitoring_usage_open')
  for (const rows of Map.groupBy(open, ([keyId, , day]) => `${day} ${keyId}`).values()) takeOpen(rows, taker)
}

/**
 * Passes on the rows of one open day and key. Visitors that services share are computed from the rows
 * themselves.
 */
function takeOpen(rows: readonly (readonly unknown[])[], taker: PeriodRowTaker): void {
  const decoded = rows.flatMap(([keyId, serviceId, day, cells]) =>
    cells instanceof Uint8Array ? [toPeriodRow(keyId, serviceId, day, cells)] : [],
  )
  const [first] = decoded
  if (first === undefined) return
  for (const one of decoded) taker.add(one)
  const shared = decoded.length > 1 ? UsageRow.shared(decoded.map(({ row }) => row)) : undefined
  if (shared !== undefined) taker.takeOff({ ...first, row: shared })
}

function toPeriodRow(keyId: unknown, serviceId: unknown, start: unknown, cells: Uint8Array): PeriodRow {
  return {
    keyId: Number(keyId),
    serviceId: Number(serviceId),
    start: Number(start),
    row: UsageRow.decode(cells),
  }
}
