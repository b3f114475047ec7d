import { encodeRequests } from './request-block.ts'
import type { SeriesDatabase } from './series-database.ts'

/**
 * Number of the row that stores how many requests of a minute were counted without being logged; no batch has
 * this number.
 */
const forgottenBatch = 0

/** Requests in the log that were counted and must be removed from the log. */
export interface CountedBlock {
  id: number
  serviceId: number
  /** Start of the minute, in seconds since 1970. */
  minute: number
  requests: number
}

/** True if requests of that time were counted and are no longer in the log. */
export async function hasForgotten(
  database: SeriesDatabase,
  { serviceId, validFrom, validTo }: { serviceId: number; validFrom: number; validTo: number },
): Promise<boolean> {
  const found = await database.arrays(
    `select 1 from monitoring_requests
     where service_id = ? and minute >= ? and minute < ? and batch = ${forgottenBatch} limit 1`,
    [serviceId, validFrom, validTo],
  )
  return found.length > 0
}

/** Removes the blocks from the log and stores their number there. */
export async function forgetCounted(
  database: SeriesDatabase,
  blocks: readonly CountedBlock[],
): Promise<void> {
  for (const { id, serviceId, minute, requests } of blocks) {
    await database.run('delete from monitoring_requests where id = ?', [id])
    const known = await database.run(
      `update monitoring_requests set requests = requests + ?
       where service_id = ? and minute = ? and batch = ${forgottenBatch}`,
      [requests, serviceId, minute],
    )
    if (known > 0) continue
    await database.insert(
      'monitoring_requests',
      ['batch', 'service_id', 'minute', 'requests', 'data'],
      [[forgottenBatch, serviceId, minute, requests, encodeRequests([])]],
    )
  }
}
