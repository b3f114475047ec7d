import { resolutions, tableOf } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { dropKnownExceptions, replaceEarlier } from './replace-previous.ts'

const seriesPerPiece = 50

/** Returns the time at which a dump was loaded, in milliseconds since 1970. */
export async function findLoad(database: SeriesDatabase, digest: string): Promise<number | undefined> {
  const sql = 'select loaded from monitoring_loads where digest = ?'
  return (await database.all<{ loaded: number }>(sql, [digest]))[0]?.loaded
}

/** Returns an unused load id. */
export async function nextLoadId(database: SeriesDatabase): Promise<number> {
  const sql = `select coalesce(max(id), 0) + 1 as id from (
    select load_id as id from monitoring_series union all select id from monitoring_loads) loads`
  return (await database.all<{ id: number }>(sql))[0]?.id ?? 1
}

/** Deletes the hidden rows of a load that failed. */
export async function deleteHidden(database: SeriesDatabase): Promise<void> {
  await database.run('delete from monitoring_exceptions where service_id < 0')
  for (;;) {
    const found = await database.all<{ id: number }>(
      'select id from monitoring_series where service_id < 0 limit ?',
      [seriesPerPiece],
    )
    if (found.length === 0) return
    await database.transaction(async (inside) => {
      for (const { id } of found) {
        for (const resolution of resolutions)
          await inside.run(`delete from ${tableOf[resolution]} where series_id = ?`, [id])
        await inside.run('delete from monitoring_series where id = ?', [id])
      }
    })
  }
}

/**
 * Makes a load visible in one transaction, replaces the same data of earlier loads, and records the load.
 * `services`: hidden id -> id.
 */
export async function publishHidden(
  database: SeriesDatabase,
  load: { id: number; digest: string; loaded: number },
  services: ReadonlyMap<number, number>,
): Promise<void> {
  await database.transaction(async (inside) => {
    for (const [hiddenId, serviceId] of services) {
      await dropKnownExceptions(inside, { hiddenId, serviceId })
      const ids = [serviceId, hiddenId]
      await inside.run('update monitoring_series set service_id = ? where service_id = ?', ids)
      await inside.run('update monitoring_exceptions set load_id = ?, service_id = ? where service_id = ?', [
        load.id,
        ...ids,
      ])
    }
    await replaceEarlier(inside, load.id)
    const values = [load.id, load.digest, load.loaded]
    await inside.insert('monitoring_loads', ['id', 'digest', 'loaded'], [values])
  })
}
