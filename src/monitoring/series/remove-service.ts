import { resolutions, tableOf } from './schema.ts'
import type { SeriesDatabase } from './series-database.ts'
import type { SeriesState } from './series-state.ts'
import { allServices } from './usage-close.ts'
import { usageTables } from './usage-store.ts'

const seriesPerPiece = 32
const rowsPerPiece = 1000

interface Work {
  database: SeriesDatabase
  state: SeriesState
}

/** Removes a part of the data of a service; returns true if more remains. */
export async function removeServicePiece(work: Work, serviceId: number): Promise<boolean> {
  const { database } = work
  await database.run('delete from monitoring_dirty where service_id = ?', [serviceId])
  for (const table of ['monitoring_requests', 'monitoring_exceptions']) {
    const removed = await database.run(
      `delete from ${table} where id in (select id from ${table} where service_id = ? limit ${rowsPerPiece})`,
      [serviceId],
    )
    if (removed > 0) return true
  }
  const [day] = await database.arrays('select min(day) from monitoring_uses where service_id = ?', [
    serviceId,
  ])
  if (day?.[0] != null) {
    await database.run('delete from monitoring_uses where service_id = ? and day = ?', [
      serviceId,
      Number(day[0]),
    ])
    return true
  }
  if (await removeUsage(database, serviceId)) return true
  return removeSeries(work, serviceId)
}

/** Removes the usage of one day. The number of visitors shared with other services is unknown afterwards. */
async function removeUsage(database: SeriesDatabase, serviceId: number): Promise<boolean> {
  for (const table of usageTables) {
    const [found] = await database.arrays(`select zone_id, day from ${table} where service_id = ? limit 1`, [
      serviceId,
    ])
    if (found === undefined) continue
    const isAny = table === 'monitoring_usage' ? `service_id in (?, ${allServices})` : 'service_id = ?'
    await database.run(`delete from ${table} where ${isAny} and zone_id = ? and day = ?`, [
      serviceId,
      ...found,
    ])
    return true
  }
  return false
}

async function removeSeries({ database, state }: Work, serviceId: number): Promise<boolean> {
  const ids = await database.arrays(
    `select id from monitoring_series where service_id = ? limit ${seriesPerPiece}`,
    [serviceId],
  )
  if (ids.length === 0) return false
  const placeholders = ids.map(() => '?').join(',')
  for (const resolution of resolutions)
    await database.run(`delete from ${tableOf[resolution]} where series_id in (${placeholders})`, ids.flat())
  await database.run(`delete from monitoring_series where id in (${placeholders})`, ids.flat())
  await state.set('dictionary', state.get('dictionary') + 1)
  return true
}
