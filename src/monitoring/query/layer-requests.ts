import { resourceTypeId } from '../model/resource-types.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { countAtMost } from './answer-size.ts'
import type { ReadLimits } from './reads.ts'
import { HeavyRead } from './reads.ts'
import { integers } from './series-sql.ts'

const daySeconds = 86_400
/** The words of the index: another way to say the same would not be answered by it. */
const storedUses = "u.zone = '' and u.split = 0 and u.resource_id > 0"

/** Asks how often layers were asked for on so many days of UTC, of which `from` begins the first; in seconds since 1970. */
export interface LayerRequestsQuery {
  from: number
  days: number
  serviceIds: readonly number[]
}

/** Requests of layers with any, by name: `days` numbers for each, one after the other. */
export interface LayerRequests {
  names: string[]
  requests: Float64Array
}

/** Requests of every layer by day: found by an index whose rows are those of layers and days alone. Throws `HeavyRead`. */
export async function readLayerRequests(
  database: SeriesDatabase,
  { from, days, serviceIds }: LayerRequestsQuery,
  { isLight, rowsPerRead }: ReadLimits,
): Promise<LayerRequests> {
  const to = from + days * daySeconds
  if (isLight) {
    const stored = `select 1 from monitoring_uses u where ${storedUses} and u.day >= ${integers([from])} and u.day < ${integers([to])}`
    if ((await countAtMost(database, stored, rowsPerRead)) > rowsPerRead) throw new HeavyRead()
  }
  const rows =
    serviceIds.length === 0
      ? []
      : await database.arrays(
          `select r.name, u.day, sum(u.requests) from monitoring_uses u
           join monitoring_resources r on r.id = u.resource_id
           where ${storedUses} and u.day >= ? and u.day < ?
             and u.service_id in (${integers(serviceIds)}) and r.type = ${resourceTypeId('layer')}
           group by r.name, u.day`,
          [from, to],
        )
  const places = new Map<string, number>()
  for (const [name] of rows) if (!places.has(String(name))) places.set(String(name), places.size)
  const requests = new Float64Array(places.size * days)
  for (const [name, day, count] of rows)
    requests[(places.get(String(name)) ?? 0) * days + (Number(day) - from) / daySeconds] = Number(count)
  return { names: [...places.keys()], requests }
}
