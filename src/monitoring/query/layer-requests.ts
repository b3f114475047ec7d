import { ZoneDays } from '../../core/values/zone-days.ts'
import { resourceTypeId } from '../model/resource-types.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { usageScopes } from '../series/usage-counts.ts'
import { countAtMost } from './answer-size.ts'
import type { SeriesReadLimits } from './reads.ts'
import { HeavyRead } from './reads.ts'
import { integers } from './series-sql.ts'

const daySeconds = 86_400
/** Maximum difference between the start of a day in a time zone and in UTC. */
const zoneSeconds = 15 * 3600
const storedUsage = '(select * from monitoring_usage union all select * from monitoring_usage_open)'
const usageOfLayers = `u.scope = ${usageScopes.resource} and u.zone_id =
  (select id from monitoring_usage_zones where name = ?)`
/**
 * Rows from before migration 5. The condition must be written exactly as in the partial index, or the index
 * is not used.
 */
const earlierUses = "u.zone = '' and u.split = 0 and u.resource_id > 0"

/** Query for requests by layer over a number of days of a time zone, of which `from` is the first. */
export interface LayerRequestsQuery {
  /** Midnight in UTC of the date, in seconds since 1970. */
  from: number
  days: number
  /** IANA name of the time zone. */
  zone: string
  serviceIds: readonly number[]
}

/** Layers with requests, by name: `days` numbers per layer, in sequence. */
export interface LayerRequests {
  names: string[]
  requests: Float64Array
}

/** Reads the requests of every layer by day. Throws `HeavyRead`. */
export async function readLayerRequests(
  database: SeriesDatabase,
  { from, days, zone, serviceIds }: LayerRequestsQuery,
  { isLight, rowsPerRead }: SeriesReadLimits,
): Promise<LayerRequests> {
  const to = from + days * daySeconds
  const dates = new ZoneDays(zone)
  const [first, last] = [from - zoneSeconds, to + zoneSeconds]
  if (isLight) {
    const stored = `select 1 from ${storedUsage} u where u.scope = ${usageScopes.resource}
      and u.zone_id in (select id from monitoring_usage_zones)
      and u.day >= ${integers([first])} and u.day < ${integers([last])}`
    if ((await countAtMost(database, stored, rowsPerRead)) > rowsPerRead) throw new HeavyRead()
  }
  if (serviceIds.length === 0) return { names: [], requests: new Float64Array(0) }
  const ofLayers = `u.service_id in (${integers(serviceIds)}) and r.type = ${resourceTypeId('layer')}`
  const counted = await database.arrays(
    `select r.name, u.day, u.requests from ${storedUsage} u join monitoring_resources r on r.id = u.key_id
     where ${usageOfLayers} and u.day >= ? and u.day < ? and ${ofLayers}`,
    [zone, first, last],
  )
  const earlier = await database.arrays(
    `select r.name, u.day, u.requests from monitoring_uses u join monitoring_resources r on r.id = u.resource_id
     where ${earlierUses} and u.day >= ? and u.day < ? and ${ofLayers}`,
    [from, to],
  )
  const requests = new LayerDays(from, days)
  const dateOf = new Map<number, number>()
  for (const [name, start, count] of counted) {
    const day = Number(start)
    const date = dateOf.get(day) ?? dates.dateNumber(day) * daySeconds
    dateOf.set(day, date)
    requests.add(String(name), date, Number(count))
  }
  for (const [name, day, count] of earlier) requests.add(String(name), Number(day), Number(count))
  return requests.finish()
}

/** Sums requests by layer and date. */
class LayerDays {
  readonly #from: number
  readonly #days: number
  readonly #byName = new Map<string, Float64Array>()

  constructor(from: number, days: number) {
    this.#from = from
    this.#days = days
  }

  add(name: string, date: number, count: number): void {
    const at = (date - this.#from) / daySeconds
    if (at < 0 || at >= this.#days) return
    const counts = this.#byName.get(name) ?? new Float64Array(this.#days)
    this.#byName.set(name, counts)
    counts[at] = (counts[at] ?? 0) + count
  }

  finish(): LayerRequests {
    const requests = new Float64Array(this.#byName.size * this.#days)
    let at = 0
    for (const counts of this.#byName.values()) {
      requests.set(counts, at)
      at += this.#days
    }
    return { names: [...this.#byName.keys()], requests }
  }
}
