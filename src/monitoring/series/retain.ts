import type { Retention } from '../../core/config/monitoring-settings.ts'
import { dayOfMinute } from './minute-rows.ts'
import { removeLoadedPiece } from './retain-loads.ts'
import { oldestPeriod } from './roll-days.ts'
import type { SeriesDatabase } from './series-database.ts'
import { usedBytes } from './series-size.ts'
import type { SeriesState, StateName } from './series-state.ts'
import type { RetainWork } from './sweep.ts'
import { sweepPiece } from './sweep.ts'
import { closeUsagePiece } from './usage-close.ts'
import { usageTables } from './usage-store.ts'

const daySeconds = 86_400
const longestStep = 2 * daySeconds
const seriesPerPiece = 16
const rowsPerPiece = 500

interface Table {
  name: 'minutes' | 'hours' | 'days'
  days: (keep: Retention) => number
  /** State with the day from which on rows are not yet in the coarser tables. */
  before: StateName | undefined
}

const tables: Table[] = [
  { name: 'minutes', days: (keep) => keep.minuteDays, before: 'hours_rolled_before' },
  { name: 'hours', days: (keep) => keep.hourDays, before: 'days_rolled_before' },
  { name: 'days', days: (keep) => keep.dayDays, before: undefined },
]

/** Processes one piece; returns true if there may be more. */
export async function retainPiece(work: RetainWork): Promise<boolean> {
  const { database, state, now } = work
  if (await isClockDoubtful(state, now)) return false
  await moveLimits(work)
  for (const { name } of tables) if (await removeRowsPiece(database, state, name)) return true
  if (await removeUsesPiece(database, state)) return true
  if (await removeUsagePiece(database, state)) return true
  if (await closeUsagePiece(work)) return true
  if (await removeRequestsPiece(database, state)) return true
  if (await removeExceptionsPiece(work)) return true
  if (await removeLoadedPiece(work)) return true
  if (await sweepPiece(work)) return true
  return shrink(work)
}

/**
 * True if the clock has moved more than two days ahead since the last call. Such a clock may be wrong, and
 * removed data cannot be restored, so nothing is removed until the clock has advanced another day.
 */
async function isClockDoubtful(state: SeriesState, now: number): Promise<boolean> {
  const last = state.get('retained_at')
  const hasLeapt = state.has('retained_at') && now - last > longestStep
  const since = hasLeapt ? now : state.get('jumped_at')
  const isDoubtful = since > 0 && now >= since && now < since + daySeconds
  await state.set('jumped_at', isDoubtful ? since : 0)
  await state.set('retained_at', now - (now % 3600))
  return isDoubtful
}

/** Advances the retention limits, which never move backward. */
async function moveLimits({ state, keep, now }: RetainWork): Promise<void> {
  for (const { name, days, before } of tables) {
    if (days(keep) === 0) continue
    const limit = dayOfMinute(now - days(keep) * daySeconds)
    await advance(
      state,
      `${name}_kept_from`,
      before === undefined ? limit : Math.min(limit, state.get(before)),
    )
  }
  if (keep.requestDays > 0)
    await advance(state, 'requests_kept_from', dayOfMinute(now - keep.requestDays * daySeconds))
}

async function advance(state: SeriesState, name: StateName, value: number): Promise<void> {
  if (value > state.get(name)) await state.set(name, value)
}

async function removeRowsPiece(
  database: SeriesDatabase,
  state: SeriesState,
  name: Table['name'],
): Promise<boolean> {
  const limit = state.get(`${name}_kept_from`)
  if (limit <= state.get(`${name}_removed_to`)) return false
  const after = state.get('removing_series')
  if (after === 0) await state.set('removing_to', limit)
  const ids = await database.arrays(
    `select id from monitoring_series where load_id = 0 and id > ? order by id limit ${seriesPerPiece}`,
    [after],
  )
  const last = ids.at(-1)?.[0]
  if (last === undefined) {
    await state.set(`${name}_removed_to`, state.get('removing_to'))
    await state.set('removing_series', 0)
    return true
  }
  const placeholders = ids.map(() => '?').join(',')
  await database.run(`delete from monitoring_${name} where series_id in (${placeholders}) and period < ?`, [
    ...ids.flat(),
    state.get('removing_to'),
  ])
  await state.set('removing_series', Number(last))
  return true
}

/** One day at a time. */
async function removeUsesPiece(database: SeriesDatabase, state: SeriesState): Promise<boolean> {
  const [oldest] = await database.arrays('select min(day) from monitoring_uses')
  const day = oldest?.[0] == null ? undefined : Number(oldest[0])
  if (day === undefined || day >= state.get('days_kept_from')) return false
  return (await database.run('delete from monitoring_uses where day = ?', [day])) > 0
}

/** One day at a time. */
async function removeUsagePiece(database: SeriesDatabase, state: SeriesState): Promise<boolean> {
  const zones = 'zone_id in (select id from monitoring_usage_zones)'
  // The day of a time zone ends up to a day after its start in UTC.
  const before = state.get('days_kept_from') - daySeconds
  for (const table of usageTables) {
    const [oldest] = await database.arrays(
      `select min(day) from (select (select min(day) from ${table} where zone_id = z.id) as day
       from monitoring_usage_zones z) as days`,
    )
    if (oldest?.[0] == null || Number(oldest[0]) > before) continue
    await database.run(`delete from ${table} where ${zones} and day = ?`, [Number(oldest[0])])
    return true
  }
  return false
}

/** Removes expired requests from the log, except those of minutes that are not computed yet. */
async function removeRequestsPiece(database: SeriesDatabase, state: SeriesState): Promise<boolean> {
  const removed = await database.run(
    `delete from monitoring_requests where id in (
       select id from monitoring_requests r where minute < ? and not exists (
         select 1 from monitoring_dirty d where d.minute = r.minute and d.service_id = r.service_id)
       order by minute limit ${rowsPerPiece})`,
    [state.get('requests_kept_from')],
  )
  return removed > 0
}

async function removeExceptionsPiece({ database, keep, now }: RetainWork): Promise<boolean> {
  if (keep.exceptionDays === 0) return false
  const before = (now - keep.exceptionDays * daySeconds) * 1000
  return removeExceptions(database, { before, loadedBefore: before })
}

/**
 * Removes expired exceptions. The age of imported ones counts from their import; ids below 0 are still being
 * imported.
 */
async function removeExceptions(
  database: SeriesDatabase,
  { before, loadedBefore }: { before: number; loadedBefore: number },
): Promise<boolean> {
  const removed = await database.run(
    `delete from monitoring_exceptions where id in (
       select id from monitoring_exceptions where created < ? and service_id > 0
         and (load_id = 0 or load_id in (select id from monitoring_loads where loaded < ?))
       order by created limit ${rowsPerPiece})`,
    [before, loadedBefore],
  )
  return removed > 0
}

/**
 * If the series are too large, removes the oldest day of the request log, then of minutes, hours and
 * exceptions.
 */
async function shrink({ database, state, keep, now }: RetainWork): Promise<boolean> {
  if (keep.maxBytes === 0 || (await usedBytes(database)) <= keep.maxBytes) return false
  const [request] = await database.arrays('select min(minute) from monitoring_requests')
  const requestDay = request?.[0] == null ? now : dayOfMinute(Number(request[0]))
  if (requestDay < dayOfMinute(now)) {
    await advance(state, 'requests_kept_from', requestDay + daySeconds)
    return true
  }
  // The size reported by PostgreSQL lags behind.
  if (database.kind === 'postgres' && now - state.get('shrunk_at') < 3600) return false
  await state.set('shrunk_at', now)
  for (const { name, before } of tables) {
    if (before === undefined) continue
    const oldest = await oldestPeriod(database, `monitoring_${name}`)
    if (oldest === undefined || dayOfMinute(oldest) >= state.get(before)) continue
    await advance(state, `${name}_kept_from`, dayOfMinute(oldest) + daySeconds)
    return true
  }
  const [exception] = await database.arrays(
    'select min(created) from monitoring_exceptions where service_id > 0',
  )
  if (exception?.[0] == null) return false
  const day = dayOfMinute(Math.floor(Number(exception[0]) / 1000))
  const before = (day + daySeconds) * 1000
  return removeExceptions(database, { before, loadedBefore: Number.MAX_SAFE_INTEGER })
}
