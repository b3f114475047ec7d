import type { Database, Queryable } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import type { JobSchedule, NewJob } from '../jobs.ts'
import { jobPriorities } from '../jobs.ts'
import { hasJobOfKey } from './job-repository.ts'

type ScheduleDatabase = Pick<Database, 'kysely' | 'kind'>

/**
 * Stores the schedules and makes them due at once: a process that died may have left what their jobs clean up.
 * Servers that start together run one job of each.
 */
export async function storeSchedules(
  { kysely, kind }: ScheduleDatabase,
  schedules: readonly JobSchedule[],
): Promise<void> {
  for (const { name } of schedules) {
    const next_at = databaseTime(kind)
    await kysely
      .insertInto('schedules')
      .values({ name, next_at, last_at: null })
      .onConflict((conflicting) => conflicting.column('name').doUpdateSet({ next_at }))
      .execute()
  }
}

/**
 * Queues the jobs of schedules that are due, each on one of the servers and none while its last one runs. Returns
 * the number of schedules that were due.
 */
export async function queueOccurrences(
  database: Pick<Database, 'kysely' | 'kind' | 'transaction'>,
  schedules: readonly JobSchedule[],
  insert: (db: Queryable, job: NewJob) => Promise<unknown>,
): Promise<number> {
  if (schedules.length === 0) return 0
  const due = await listDueSchedules(database)
  for (const schedule of schedules) {
    if (!due.has(schedule.name)) continue
    await database.transaction(async (db) => {
      if (!(await takeOccurrence({ kysely: db, kind: database.kind }, schedule))) return
      const key = `schedule ${schedule.name}`
      if (await hasJobOfKey(db, key)) return
      await insert(db, { kind: schedule.kind, key, payload: {}, priority: jobPriorities.background })
    })
  }
  return due.size
}

/** Lists the names of the schedules that are due. */
async function listDueSchedules({ kysely, kind }: ScheduleDatabase): Promise<Set<string>> {
  const rows = await kysely
    .selectFrom('schedules')
    .select('name')
    .where('next_at', '<=', databaseTime(kind))
    .execute()
  return new Set(rows.map(({ name }) => name))
}

/**
 * Moves a due schedule to its next occurrence in a transaction; false if another server was first. Occurrences that
 * were missed are not repeated.
 */
async function takeOccurrence(
  { kysely, kind }: ScheduleDatabase,
  { name, everySeconds }: JobSchedule,
): Promise<boolean> {
  const result = await kysely
    .updateTable('schedules')
    .set({ next_at: databaseTime(kind, everySeconds), last_at: databaseTime(kind) })
    .where('name', '=', name)
    .where('next_at', '<=', databaseTime(kind))
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}
