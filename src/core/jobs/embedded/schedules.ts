import type { Database } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import type { JobSchedule } from '../jobs.ts'

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

/** Lists the names of the schedules that are due. */
export async function listDueSchedules({ kysely, kind }: ScheduleDatabase): Promise<Set<string>> {
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
export async function takeOccurrence(
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
