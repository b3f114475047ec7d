import type { Expression, RawBuilder, Selectable, SqlBool } from 'kysely'
import type { Database, Queryable } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import type { Tables } from '../../db/tables.ts'
import { explain, Failure } from '../../errors/errors.ts'
import type { JobPayload, NewJob } from '../jobs.ts'

/** Default of `TERRANE_LEASE_SECONDS`. */
const usualLeaseSeconds = 12

export type JobDatabase = Pick<Database, 'kysely' | 'kind'> & {
  /** A process without a sign of life for this long is dead: others take over its jobs. Default: 12. */
  leaseSeconds?: number
}

export interface JobRecord {
  id: number
  kind: string
  key: string
  payload: JobPayload
  attempts: number
  /** Empty for none. */
  group: string
  groupLimit: number
  isCanceled: boolean
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
    group: row.group_key,
    groupLimit: row.group_limit,
    isCanceled: row.is_canceled === 1,
    owner: row.lease_owner ?? undefined,
  }
}

interface InsertOptions {
  /** Time of the creation. */
  at: string
  /** Notification that the same statement sends at the commit. */
  signal?: RawBuilder<unknown>
  /** Owner that may claim it before the others until a time of the database. */
  preferred?: { owner: string; until: RawBuilder<string> }
}

export async function insertJob(
  db: Queryable,
  job: NewJob,
  { at, signal, preferred }: InsertOptions,
): Promise<number> {
  const insert = db
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
      priority: job.priority ?? 0,
      group_key: job.group?.key ?? '',
      group_limit: job.group?.limit ?? 0,
      preferred_owner: preferred?.owner ?? null,
      preferred_until: preferred?.until ?? null,
    })
    .returning('id')
  const row = await (signal === undefined
    ? insert
    : insert.returning(signal.as('signal'))
  ).executeTakeFirstOrThrow()
  return Number(row.id)
}

/** True if the job is queued or running. */
export async function hasJob(db: Queryable, id: number): Promise<boolean> {
  const query = db.selectFrom('jobs').select('id').where('id', '=', id).where('state', '!=', 'failed')
  return (await query.executeTakeFirst()) !== undefined
}

/** True if a job of that key is queued or running. */
export async function hasJobOfKey(db: Queryable, key: string): Promise<boolean> {
  const query = db.selectFrom('jobs').select('id').where('key', '=', key).where('state', '!=', 'failed')
  return (await query.executeTakeFirst()) !== undefined
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

export interface ClaimRequest {
  owner: string
  /** Description of the server, which is stored with the job. */
  ranOn: string
  limit: number
  kinds: readonly string[]
}

/**
 * Claims the first queued jobs by priority and age, at most `limit` and one of each key. A job waits while an
 * earlier one of its key is queued or running, while its group is full, and while another owner is preferred.
 * Throws a unique violation if another process claimed a job of the same key at the same moment.
 */
export async function claimJobs(database: JobDatabase, request: ClaimRequest): Promise<JobRecord[]> {
  const { kysely, kind, leaseSeconds = usualLeaseSeconds } = database
  const isPostgres = kind === 'postgres'
  const ready = readyJobs(database, request)
  // An UPDATE of no row would also count as a write of the catalogue.
  if (!isPostgres && !(await hasQueuedJob(kysely))) return []
  // Materialized: PostgreSQL may run a subquery with a limit several times, and would claim more.
  const rows = await kysely
    .with(
      (cte) => cte('first').materialized(),
      () => (isPostgres ? ready.forUpdate().skipLocked() : ready),
    )
    .updateTable('jobs')
    .set((eb) => ({
      state: 'running',
      attempts: eb('attempts', '+', 1),
      lease_owner: request.owner,
      lease_until: databaseTime(kind, leaseSeconds),
      not_before: null,
      preferred_owner: null,
      preferred_until: null,
      ran_on: request.ranOn,
      updated_at: databaseTime(kind),
    }))
    .where('id', 'in', ({ selectFrom }) => selectFrom('first').select('first.id'))
    .where('state', '=', 'queued')
    .returningAll()
    .execute()
  return rows.sort((a, b) => b.priority - a.priority || Number(a.id) - Number(b.id)).map(toJob)
}

function readyJobs({ kysely, kind }: JobDatabase, { owner, limit, kinds }: ClaimRequest) {
  return kysely
    .selectFrom('jobs as job')
    .select('job.id')
    .where('job.state', '=', 'queued')
    .where('job.kind', 'in', kinds)
    .where(({ or, eb }) =>
      or([eb('job.not_before', 'is', null), eb('job.not_before', '<=', databaseTime(kind))]),
    )
    .where(({ or, eb }) =>
      or([
        eb('job.preferred_owner', 'is', null),
        eb('job.preferred_owner', '=', owner),
        eb('job.preferred_until', '<=', databaseTime(kind)),
      ]),
    )
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('job.key', '=', ''),
        not(
          exists(
            selectFrom('jobs as other')
              .select('other.id')
              .where('other.key', '!=', '')
              .whereRef('other.key', '=', 'job.key')
              .where(
                (other): Expression<SqlBool> =>
                  other.or([
                    other('other.state', '=', 'running'),
                    other.and([
                      other('other.state', '=', 'queued'),
                      other('other.id', '<', other.ref('job.id')),
                    ]),
                  ]),
              ),
          ),
        ),
      ]),
    )
    .where(({ or, eb, selectFrom, ref }) =>
      or([
        eb('job.group_key', '=', ''),
        eb(
          selectFrom('jobs as member')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .where('member.state', '=', 'running')
            .where('member.group_key', '!=', '')
            .whereRef('member.group_key', '=', 'job.group_key'),
          '<',
          ref('job.group_limit'),
        ),
      ]),
    )
    .orderBy('job.priority', 'desc')
    .orderBy('job.id')
    .limit(limit)
}

/** Lets all owners claim queued jobs that preferred one. Returns the ids of those jobs. */
export async function releasePreferred(
  db: Queryable,
  ids: readonly number[],
  owner: string,
): Promise<number[]> {
  const rows = await db
    .updateTable('jobs')
    .set({ preferred_owner: null, preferred_until: null })
    .where('id', 'in', ids)
    .where('state', '=', 'queued')
    .where('preferred_owner', '=', owner)
    .returning('id')
    .execute()
  return rows.map(({ id }) => Number(id))
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

/** Returns the number of running jobs of a group on all servers. */
export async function countRunningOfGroup(db: Queryable, group: string): Promise<number> {
  const row = await db
    .selectFrom('jobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'running')
    .where('group_key', '!=', '')
    .where('group_key', '=', group)
    .executeTakeFirstOrThrow()
  return Number(row.count)
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

/** Lists the jobs that an owner runs, and which of them are canceled. */
export async function listOwnJobs(
  db: Queryable,
  owner: string,
): Promise<Pick<JobRecord, 'id' | 'isCanceled'>[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'is_canceled'])
    .where('state', '=', 'running')
    .where('lease_owner', '=', owner)
    .execute()
  return rows.map(({ id, is_canceled }) => ({ id: Number(id), isCanceled: is_canceled === 1 }))
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

/** Returns a job of its owner to the queue: it starts after `delaySeconds`; `isRefunded` if the attempt does not count. */
export async function requeueJob(
  { kysely, kind }: JobDatabase,
  { id, owner }: { id: number; owner: string },
  { isRefunded = false, delaySeconds = 0, error }: RequeueOptions = {},
): Promise<void> {
  await kysely
    .updateTable('jobs')
    .set((eb) => ({
      state: 'queued',
      lease_owner: null,
      lease_until: null,
      attempts: isRefunded ? eb('attempts', '-', 1) : eb.ref('attempts'),
      not_before: delaySeconds > 0 ? databaseTime(kind, delaySeconds) : null,
      error: error?.text ?? eb.ref('error'),
      error_code: error === undefined ? eb.ref('error_code') : (error.code ?? null),
    }))
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .execute()
}

interface RequeueOptions {
  isRefunded?: boolean
  delaySeconds?: number
  error?: JobError
}

/** Why an attempt failed. */
export interface JobError {
  text: string
  /** Code of a `Failure`. */
  code?: string
}

export function jobError(error: unknown): JobError {
  return { text: explain(error), code: error instanceof Failure ? error.code : undefined }
}

/** Deletes jobs that their owner has completed. */
export async function deleteJobs(db: Queryable, ids: readonly number[], owner: string): Promise<void> {
  await db.deleteFrom('jobs').where('id', 'in', ids).where('lease_owner', '=', owner).execute()
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

/** Asks the process that runs a job to stop it. */
export async function markCanceled(db: Queryable, id: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ is_canceled: 1 })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute()
}
