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
}

function toJob(row: Selectable<Tables['jobs']>): JobRecord {
  return {
    id: Number(row.id),
    kind: row.kind,
    key: row.key,
    payload: JSON.parse(row.payload) as JobPayload,
    attempts: row.attempts,
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

/** Running jobs whose lease has ended, or of any other owner. */
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

export interface Lease {
  owner: string
  until: string
  at: string
}

/** Takes a queued job; false when another process was first. */
export async function claimJob(db: Queryable, id: number, lease: Lease): Promise<boolean> {
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
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

export async function renewLeases(db: Queryable, lease: Lease): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_until: lease.until })
    .where('state', '=', 'running')
    .where('lease_owner', '=', lease.owner)
    .execute()
}

/** Puts a running job back; `isRefunded` when the attempt does not count. */
export async function requeueJob(db: Queryable, job: JobRecord, isRefunded: boolean): Promise<void> {
  await db
    .updateTable('jobs')
    .set((eb) => ({
      state: 'queued',
      lease_owner: null,
      lease_until: null,
      attempts: isRefunded ? eb('attempts', '-', 1) : eb.ref('attempts'),
    }))
    .where('id', '=', job.id)
    .where('state', '=', 'running')
    .execute()
}

export async function deleteJob(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('jobs').where('id', '=', id).execute()
}
