import type { Queryable } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import type { FailedJob } from '../jobs.ts'
import type { JobDatabase } from './job-repository.ts'

const keptSeconds = 30 * 86_400
/** Maximum number of characters of an error. */
const maxErrorLength = 2000

/** Keeps a job of its owner as failed: it does not run again, and blocks no other job. */
export async function failJob(
  { kysely, kind }: JobDatabase,
  { id, owner, error }: { id: number; owner: string; error: string },
): Promise<void> {
  await kysely
    .updateTable('jobs')
    .set({
      state: 'failed',
      lease_owner: null,
      lease_until: null,
      error: error.slice(0, maxErrorLength),
      updated_at: databaseTime(kind),
    })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .execute()
}

/** Lists failed jobs, the newest first. */
export async function listFailedJobs(db: Queryable, limit: number): Promise<FailedJob[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'kind', 'attempts', 'error', 'updated_at'])
    .where('state', '=', 'failed')
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id, kind, attempts, error, updated_at }) => ({
    id: Number(id),
    kind,
    attempts,
    error: error ?? '',
    failedAt: updated_at,
  }))
}

/** Queues a failed job again, with all its attempts; false if there is none. */
export async function requeueFailedJob(db: Queryable, id: number): Promise<boolean> {
  const result = await db
    .updateTable('jobs')
    .set({ state: 'queued', attempts: 0, error: null, is_canceled: 0, not_before: null })
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

/** Deletes jobs that failed more than 30 days ago. */
export async function deleteOldFailedJobs({ kysely, kind }: JobDatabase): Promise<void> {
  await kysely
    .deleteFrom('jobs')
    .where('state', '=', 'failed')
    .where('updated_at', '<', databaseTime(kind, -keptSeconds))
    .execute()
}
