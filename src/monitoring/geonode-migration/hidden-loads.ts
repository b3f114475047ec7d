import { resolutions, tableOf } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { dropKnownExceptions, replaceEarlier } from './replace-previous.ts'

/** A load that was published before. */
export interface PublishedLoad {
  /** Milliseconds since 1970. */
  loaded: number
}

export interface ServiceMove {
  hiddenId: number
  serviceId: number
}

const seriesPerPiece = 50

export async function findLoad(database: SeriesDatabase, digest: string): Promise<PublishedLoad | undefined> {
  const sql = 'select loaded from monitoring_loads where digest = ?'
  return (await database.all<PublishedLoad>(sql, [digest]))[0]
}

/** A number that no load has had. */
export async function nextLoadId(database: SeriesDatabase): Promise<number> {
  const sql = `select coalesce(max(id), 0) + 1 as id from (
    select load_id as id from monitoring_series union all select id from monitoring_loads) loads`
  return (await database.all<{ id: number }>(sql))[0]?.id ?? 1
}

/** Takes away what a load that broke off has left. */
export async function sweepHidden(database: SeriesDatabase): Promise<void> {
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

/** Makes a load visible as a whole, replacing the same data of earlier loads, and records it. */
export async function publishHidden(
  database: SeriesDatabase,
  load: { id: number; digest: string; loaded: number },
  moves: readonly ServiceMove[],
): Promise<void> {
  await database.transaction(async (inside) => {
    for (const move of moves) {
      await dropKnownExceptions(inside, move)
      const ids = [move.serviceId, move.hiddenId]
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
