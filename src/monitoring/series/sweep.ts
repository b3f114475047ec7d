import type { Retention } from '../../core/config/monitoring-settings.ts'
import { dayOfMinute } from './minute-rows.ts'
import type { SeriesDatabase } from './series-database.ts'
import type { SeriesState } from './series-state.ts'

const idsPerPiece = 2000

interface Span {
  after: number
  upTo: number
}

const hasNoRows = ['minutes', 'hours', 'days']
  .map((name) => `not exists (select 1 from monitoring_${name} where series_id = monitoring_series.id)`)
  .join(' and ')

/** Tables to sweep, in sequence. */
const steps: { table: string; remove(work: SweepWork, span: Span): Promise<number> }[] = [
  {
    table: 'monitoring_series',
    remove: ({ database }, { after, upTo }) =>
      database.run(`delete from monitoring_series where id > ? and id <= ? and ${hasNoRows}`, [after, upTo]),
  },
  { table: 'monitoring_resources', remove: removeResources },
  {
    table: 'monitoring_labels',
    remove: ({ database, state }, { after, upTo }) =>
      database.run('delete from monitoring_labels where id > ? and id <= ? and used < ?', [
        after,
        upTo,
        state.get('days_kept_from'),
      ]),
  },
]

interface SweepWork {
  database: SeriesDatabase
  state: SeriesState
}

/** Once a day: deletes series, resources and labels without rows. */
export async function sweepPiece({ database, state, now }: RetainWork): Promise<boolean> {
  if (state.get('swept_day') >= dayOfMinute(now)) return false
  const step = steps[state.get('sweep_step')]
  if (step === undefined) {
    await state.set('sweep_step', 0)
    await state.set('swept_day', dayOfMinute(now))
    return true
  }
  const after = state.get('sweeping_id')
  const [found] = await database.arrays(
    `select max(id) from (select id from ${step.table} where id > ? order by id limit ${idsPerPiece}) as piece`,
    [after],
  )
  if (found?.[0] == null) {
    await state.set('sweep_step', state.get('sweep_step') + 1)
    await state.set('sweeping_id', 0)
    return true
  }
  const removed = await step.remove({ database, state }, { after, upTo: Number(found[0]) })
  // Other writers may cache ids that no longer exist.
  if (removed > 0) await state.set('dictionary', state.get('dictionary') + 1)
  await state.set('sweeping_id', Number(found[0]))
  return true
}

/** A resource may also be named by an exception. */
async function removeResources({ database }: SweepWork, { after, upTo }: Span): Promise<number> {
  const unused = await database.arrays(
    `select id from monitoring_resources where id > ? and id <= ?
     and id not in (select resource_id from monitoring_series where resource_id > 0)`,
    [after, upTo],
  )
  if (unused.length === 0) return 0
  const exceptions = await database.arrays(
    "select distinct resource_ids from monitoring_exceptions where resource_ids <> '[]'",
  )
  const named = new Set(exceptions.flatMap(([ids]): number[] => JSON.parse(String(ids))))
  let removed = 0
  for (const [id] of unused) {
    if (named.has(Number(id))) continue
    removed += await database.run('delete from monitoring_resources where id = ?', [Number(id)])
  }
  return removed
}

/** Context of one deleting transaction. */
export interface RetainWork {
  database: SeriesDatabase
  state: SeriesState
  keep: Retention
  /** Maximum number of cells per layer and day in `monitoring_demand`. */
  demandCells: number
  /** Present time, in seconds since 1970. */
  now: number
}
