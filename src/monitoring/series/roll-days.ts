import { dayOfMinute } from './minute-rows.ts'
import { rollUp } from './roll-up.ts'
import type { SeriesDatabase } from './series-database.ts'
import type { SeriesState } from './series-state.ts'

const daySeconds = 86_400
/** Grace period for late log lines. For even later lines the hour and day are rolled up again. */
const graceSeconds = 600
const seriesPerPiece = 64

interface Work {
  database: SeriesDatabase
  state: SeriesState
}

/** True if a day with minutes that are not rolled up has ended; `now` in seconds. */
export function isRollingDue({ state }: Work, now: number): boolean {
  const day = state.get('hours_rolled_before')
  return state.get('newest_minute') >= day && now >= day + daySeconds + graceSeconds
}

/** Rolls up some series of the oldest day that is due; the last piece moves the watermarks. */
export async function rollDayPiece(work: Work): Promise<void> {
  const { database, state } = work
  const day = state.get('hours_rolled_before')
  const after = state.get('rolling_series')
  if (after === 0) {
    const next = dayOfMinute((await oldestPeriod(database, 'monitoring_minutes', day)) ?? day + daySeconds)
    if (next > day) return setRolled(state, next)
  }
  const ids = await database.arrays(
    `select id from monitoring_series where load_id = 0 and is_total = 0 and id > ?
     order by id limit ${seriesPerPiece}`,
    [after],
  )
  const last = ids.at(-1)?.[0]
  if (last === undefined) return setRolled(state, day + daySeconds)
  const series = { where: 'load_id = 0 and id > ? and id <= ?', values: [after, Number(last)] }
  const range = { series, validFrom: day, validTo: day + daySeconds }
  await rollUp(database, { from: 60, to: 3600, ...range })
  await rollUp(database, { from: 3600, to: daySeconds, ...range })
  await state.set('rolling_series', Number(last))
}

/** Returns the oldest period of collected rows, with one index lookup per series. */
export async function oldestPeriod(
  database: SeriesDatabase,
  table: string,
  from = 0,
): Promise<number | undefined> {
  const [found] = await database.arrays(
    `select min(oldest) from (
       select (select min(period) from ${table} where series_id = s.id and period >= ?) as oldest
       from monitoring_series s where load_id = 0) as each_series`,
    [from],
  )
  return found?.[0] == null ? undefined : Number(found[0])
}

async function setRolled(state: SeriesState, before: number): Promise<void> {
  await state.set('hours_rolled_before', before)
  await state.set('days_rolled_before', before)
  await state.set('rolling_series', 0)
}
