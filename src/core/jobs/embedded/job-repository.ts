import type { Selectable } from 'kysely'
import type { Queryable } from '../../db/connection.ts'
import type { Tables } from '../../db/tables.ts'
import type { JobPayload, NewJob } from '../jobs.ts'

export interface JobRecord {
  id: number
  kind: string
  key: string
  payload: JobPayload
  attempts: number
  /** Id of the process that runs it. */
  owner?: string
}

function toJob(row: Selectable<Tables['jobs']>): JobRecord {
  return {
    id: Number(row.id),
    kind: row.kind,
    key: row.key,
    payload: JSON.parse(row.payload) as JobPayload,
    attempts: row.attempts,
    owner: row.lease_owner ?? undefined,
  }
}

export async function insertJob(db: Queryable, job: NewJob, at: string): Promise<number> {
  const row = await db
    .insertInto('jobs')
    .values({
      kind: job.kind,
      key: job.key,
      payload: JSON.stringify(job.payload),
      state: 'queued',
      attempts: 0,
      lease_owner: null,
      lease_until: null,
      error: null,
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(row.id)
}

export async function hasJob(db: Queryable, id: number): Promise<boolean> {
  return (await db.selectFrom('jobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function listQueuedJobs(db: Queryable): Promise<JobRecord[]> {
  const rows = await db.selectFrom('jobs').selectAll().where('state', '=', 'queued').orderBy('id').execute()
  return rows.map(toJob)
}

/** Lists running jobs with an expired lease, or of any other owner. */
export async function listStaleJobs(
  db: Queryable,
  stale: { owner: string; before?: string },
): Promise<JobRecord[]> {
  let query = db
    .selectFrom('jobs')
    .selectAll()
    .where('state', '=', 'running')
    .where('lease_owner', '!=', stale.owner)
  if (stale.before !== undefined) query = query.where('lease_until', '<', stale.before)
  return (await query.orderBy('id').execute()).map(toJob)
}

export interface JobLease {
  owner: string
  until: string
  at: string
}

/** Claims a queued job; false if another process has claimed it first, or another job with its key. */
export async function claimJob(db: Queryable, { id, key }: JobRecord, lease: JobLease): Promise<boolean> {
  const result = await db
    .updateTable('jobs')
    .set((eb) => ({
      state: 'running',
      attempts: eb('attempts', '+', 1),
      lease_owner: lease.owner,
      lease_until: lease.until,
      updated_at: lease.at,
    }))
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs as other')
            .select('other.id')
            .where('other.key', '=', key)
            .where('other.key', '!=', '')
            .where('other.state', '=', 'running'),
        ),
      ),
    )
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

/** Takes a running job over from a dead owner; false if the owner is alive, or another process was first. */
export async function takeJob(
  db: Queryable,
  job: JobRecord,
  { lease, before }: { lease: JobLease; before?: string },
): Promise<boolean> {
  let query = db
    .updateTable('jobs')
    .set({ lease_owner: lease.owner, lease_until: lease.until })
    .where('id', '=', job.id)
    .where('state', '=', 'running')
    .where('lease_owner', '=', job.owner ?? '')
  if (before !== undefined) query = query.where('lease_until', '<', before)
  return Number((await query.executeTakeFirst()).numUpdatedRows) === 1
}

/** True if a process other than `lease.owner` holds it at the time of that lease. */
export async function isHeldByOther(db: Queryable, id: number, lease: JobLease): Promise<boolean> {
  const row = await db
    .selectFrom('jobs')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('lease_owner', '!=', lease.owner)
    .where('lease_until', '>=', lease.at)
    .executeTakeFirst()
  return row !== undefined
}

/** Lists ids of the jobs that an owner runs. */
export async function listOwnJobs(db: Queryable, owner: string): Promise<number[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', 'running')
    .where('lease_owner', '=', owner)
    .execute()
  return rows.map(({ id }) => Number(id))
}

export async function renewLeases(db: Queryable, lease: JobLease): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_until: lease.until })
    .where('state', '=', 'running')
    .where('lease_owner', '=', lease.owner)
    .execute()
}

/** Returns a job of its owner to the queue; `isRefunded` if the attempt does not count. */
export async function requeueJob(
  db: Queryable,
  { id, owner }: { id: number; owner: string },
  isRefunded: boolean,
): Promise<void> {
  await db
    .updateTable('jobs')
    .set((eb) => ({
      state: 'queued',
      lease_owner: null,
      lease_until: null,
      attempts: isRefunded ? eb('attempts', '-', 1) : eb.ref('attempts'),
    }))
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .execute()
}

/** Deletes a job that its owner has completed. */
export async function deleteJob(db: Queryable, { id, owner }: { id: number; owner: string }): Promise<void> {
  await db.deleteFrom('jobs').where('id', '=', id).where('lease_owner', '=', owner).execute()
}

/** Deletes a job that has not started; returns false if there is none. */
export async function deleteQueuedJob(db: Queryable, id: number): Promise<boolean> {
  const result = await db
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return Number(result.numDeletedRows) === 1
}
