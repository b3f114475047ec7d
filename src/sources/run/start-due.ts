import type { Database } from '../../core/db/connection.ts'
import type { RunTrigger } from '../model/run.ts'
import type { SourceRecord, Watched } from '../model/source.ts'
import type { RecentRuns } from '../model/state.ts'
import { countOpenRuns, insertRun, insertSkipped } from '../records/run-repository.ts'
import { moveNextRun, moveWatched } from '../records/source-repository.ts'
import { isCron, nextTime } from '../schedule/schedule.ts'

/** One run executes and one waits. */
const maxOpen = 2
/** A next run that is later by more than this was set by a clock that was ahead. */
const wrongClockMs = 24 * 3_600_000

/** Starts the run of a source whose time has come; of several missed times only one. Another server may be first. */
export async function startScheduled(database: Database, source: SourceRecord, now: Date): Promise<void> {
  const { id, nextRun, settings } = source
  const { schedule } = settings
  if (!isCron(schedule) || nextRun === undefined || Date.parse(nextRun) > now.getTime()) return
  const next = nextTime(schedule, now)?.toISOString()
  await database.transaction(async (db) => {
    if (!(await moveNextRun(db, { id, before: nextRun, next }))) return
    await addRun(db, { sourceId: id, trigger: 'schedule', dueAt: nextRun }, now)
  })
}

/** Starts a run for a watched folder whose files are complete. Another server may be first. */
export async function startWatched(
  database: Database,
  { id, watched }: SourceRecord,
  { next, isReady }: { next: Watched; isReady: boolean },
  now: Date,
): Promise<void> {
  await database.transaction(async (db) => {
    if (!(await moveWatched(db, id, watched, next)) || !isReady) return
    await addRun(db, { sourceId: id, trigger: 'file', dueAt: now.toISOString() }, now)
  })
}

async function addRun(
  db: Parameters<typeof insertRun>[0],
  run: { sourceId: number; trigger: RunTrigger; dueAt: string },
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  if ((await countOpenRuns(db, run.sourceId)) < maxOpen) await insertRun(db, { ...run, details: {} }, at)
  else await insertSkipped(db, run, { at, message: 'One run was running and another one waited' })
}

/** Corrects a next run that was computed while the clock of a server was far ahead. */
export async function correctNextRun(
  database: Database,
  { id, nextRun, updatedAt, settings }: SourceRecord,
  { last }: RecentRuns,
  now: Date,
): Promise<void> {
  const { schedule } = settings
  if (!isCron(schedule) || nextRun === undefined) return
  const computedAt = Date.parse(last?.endedAt ?? updatedAt)
  if (computedAt - now.getTime() < wrongClockMs) return
  const next = nextTime(schedule, now)?.toISOString()
  if (next !== undefined && next < nextRun) await moveNextRun(database.kysely, { id, before: nextRun, next })
}
