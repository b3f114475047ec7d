import type { Selectable } from 'kysely'
import type { Database, Queryable } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import type { Tables } from '../../db/tables.ts'
import type { JobPayload, NewJob } from '../jobs.ts'

/** Default of `TERRANE_LEASE_SECONDS`. */
const usualLeaseSeconds = 12

type JobDatabase = Pick<Database, 'kysely' | 'kind'> & {
  /** A process without a sign of life for this long is dead: others take over its jobs. Default: 12. */
  leaseSeconds?: number
}

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

/** Lists running jobs of other owners: all, or those whose lease has expired. */
export async function listStaleJobs(
  { kysely, kind }: JobDatabase,
  { owner, isExpired }: { owner: string; isExpired: boolean },
): Promise<JobRecord[]> {
  let query = kysely
    .selectFrom('jobs')
    .selectAll()
    .where('state', '=', 'running')
    .where('lease_owner', '!=', owner)
  if (isExpired) query = query.where('lease_until', '<', databaseTime(kind))
  return (await query.orderBy('id').execute()).map(toJob)
}

/**
 * Claims the first queued jobs, at most `limit` and one of each key. A job waits while an earlier one of its
 * key is queued or running.
 */
export async function claimJobs(
  { kysely, kind, leaseSeconds = usualLeaseSeconds }: JobDatabase,
  owner: string,
  limit: number,
): Promise<JobRecord[]> {
  const isPostgres = kind === 'postgres'
  let first = kysely
    .selectFrom('jobs as job')
    .select('job.id')
    .where('job.state', '=', 'queued')
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('job.key', '=', ''),
        not(
          exists(
            selectFrom('jobs as other')
              .select('other.id')
              .where('other.key', '!=', '')
              .whereRef('other.key', '=', 'job.key')
              .where((other) =>
                other.or([other('other.state', '=', 'running'), other('other.id', '<', other.ref('job.id'))]),
              ),
          ),
        ),
      ]),
    )
    .orderBy('job.id')
    .limit(limit)
  if (isPostgres) first = first.forUpdate().skipLocked()
  // An UPDATE of no row would also count as a write of the catalogue.
  else if (!(await hasQueuedJob(kysely))) return []
  // Materialized: PostgreSQL may run a subquery with a limit several times, and would claim more.
  const rows = await kysely
    .with(
      (cte) => cte('first').materialized(),
      () => first,
    )
    .updateTable('jobs')
    .set((eb) => ({
      state: 'running',
      attempts: eb('attempts', '+', 1),
      lease_owner: owner,
      lease_until: databaseTime(kind, leaseSeconds),
      updated_at: databaseTime(kind),
    }))
    .where('id', 'in', ({ selectFrom }) => selectFrom('first').select('first.id'))
    .where('state', '=', 'queued')
    .returningAll()
    .execute()
  return rows.map(toJob).sort((a, b) => a.id - b.id)
}

async function hasQueuedJob(db: Queryable): Promise<boolean> {
  const row = await db
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', 'queued')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Takes a running job over from a dead owner; false if the owner is alive, or another process was first. */
export async function takeJob(
  { kysely, kind, leaseSeconds = usualLeaseSeconds }: JobDatabase,
  job: JobRecord,
  { owner, isExpired }: { owner: string; isExpired: boolean },
): Promise<boolean> {
  let query = kysely
    .updateTable('jobs')
    .set({ lease_owner: owner, lease_until: databaseTime(kind, leaseSeconds) })
    .where('id', '=', job.id)
    .where('state', '=', 'running')
    .where('lease_owner', '=', job.owner ?? '')
  if (isExpired) query = query.where('lease_until', '<', databaseTime(kind))
  return Number((await query.executeTakeFirst()).numUpdatedRows) === 1
}

/** True if a process other than `owner` holds it under a valid lease. */
export async function isHeldByOther(
  { kysely, kind }: JobDatabase,
  id: number,
  owner: string,
): Promise<boolean> {
  const row = await kysely
    .selectFrom('jobs')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('lease_owner', '!=', owner)
    .where('lease_until', '>=', databaseTime(kind))
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

export async function renewLeases(
  { kysely, kind, leaseSeconds = usualLeaseSeconds }: JobDatabase,
  owner: string,
): Promise<void> {
  await kysely
    .updateTable('jobs')
    .set({ lease_until: databaseTime(kind, leaseSeconds) })
    .where('state', '=', 'running')
    .where('lease_owner', '=', owner)
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
