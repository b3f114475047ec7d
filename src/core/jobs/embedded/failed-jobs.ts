import type { Selectable } from 'kysely'
import type { Queryable } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import type { Tables } from '../../db/tables.ts'
import { conflict, notFound } from '../../errors/errors.ts'
import type { JobFilter, JobHandler, JobNode, JobPayload, JobState, StoredJob } from '../jobs.ts'
import type { JobDatabase, JobError } from './job-repository.ts'

const keptSeconds = 30 * 86_400
/** Maximum number of characters of an error. */
const maxErrorLength = 2000

type FindHandler = (kind: string) => JobHandler | undefined

/** Marks a job of its owner as failed: it does not run again and blocks no other job. */
export async function failJob(
  { kysely, kind }: JobDatabase,
  { id, owner, error }: { id: number; owner: string; error: JobError },
): Promise<void> {
  await kysely
    .updateTable('jobs')
    .set({
      state: 'failed',
      lease_owner: null,
      lease_until: null,
      error: error.text.slice(0, maxErrorLength),
      error_code: error.code ?? null,
      updated_at: databaseTime(kind),
    })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .execute()
}

/** Lists jobs, the newest first. */
export async function listJobs(
  db: Queryable,
  { state, beforeId, limit }: JobFilter,
  findHandler: FindHandler,
): Promise<StoredJob[]> {
  let query = db.selectFrom('jobs').selectAll()
  if (state !== undefined) query = query.where('state', '=', state)
  if (beforeId !== undefined) query = query.where('id', '<', beforeId)
  const rows = await query.orderBy('id', 'desc').limit(limit).execute()
  return rows.map((row) => toStoredJob(row, findHandler(row.kind)))
}

function toStoredJob(row: Selectable<Tables['jobs']>, handler: JobHandler | undefined): StoredJob {
  const { id, kind, key, state, attempts, error, error_code, created_at, updated_at, ran_on } = row
  return {
    id: Number(id),
    kind,
    state: state as JobState,
    subject: handler?.subjectOf?.(JSON.parse(row.payload) as JobPayload) ?? key,
    attempts,
    error: error ?? undefined,
    errorCode: error_code ?? undefined,
    createdAt: created_at,
    changedAt: updated_at,
    node: ran_on === null ? undefined : (JSON.parse(ran_on) as JobNode),
  }
}

/** Starts the work of a failed job again. Returns true if the job itself is queued. */
export async function retryFailedJob(db: Queryable, id: number, findHandler: FindHandler): Promise<boolean> {
  const row = await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw unknownJob(id)
  if (row.state !== 'failed')
    throw conflict('job-not-failed', `Job ${id} is ${row.state}: only failed jobs are repeated`)
  const handler = findHandler(row.kind)
  if (handler === undefined) {
    const text = `Job ${id} has the kind "${row.kind}", which this version does not know`
    throw conflict('job-not-repeatable', text)
  }
  if (handler.repeat === undefined) {
    if (!(await requeueFailedJob(db, id))) throw unknownJob(id)
    return true
  }
  await handler.repeat(JSON.parse(row.payload) as JobPayload)
  await db.deleteFrom('jobs').where('id', '=', id).where('state', '=', 'failed').execute()
  return false
}

function unknownJob(id: number) {
  return notFound('unknown-job', `There is no job ${id}, or not any more: jobs that succeed are not kept`)
}

/** Queues a failed job again with its full number of attempts; false if there is no such job. */
async function requeueFailedJob(db: Queryable, id: number): Promise<boolean> {
  const result = await db
    .updateTable('jobs')
    .set({ state: 'queued', attempts: 0, error: null, error_code: null, is_canceled: 0, not_before: null })
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
