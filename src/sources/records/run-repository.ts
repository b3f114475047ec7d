import type { Selectable } from 'kysely'
import type { Database, Queryable } from '../../core/db/connection.ts'
import { databaseTime } from '../../core/db/database-time.ts'
import type { Tables } from '../../core/db/tables.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { RunDetails, RunEnd, RunOutcome, RunRecord, RunTrigger } from '../model/run.ts'
import type { RecentRuns } from '../model/state.ts'

/** Time after which another server continues a run whose lease was not renewed. */
const leaseSeconds = 12
/** Number of ended runs that are kept for each source. */
const keptRuns = 1000

type Row = Selectable<Tables['source_runs']>
type RunDatabase = Pick<Database, 'kysely' | 'kind'>

function toRun(row: Row): RunRecord {
  return {
    ...(JSON.parse(row.document) as RunDetails),
    id: Number(row.id),
    sourceId: Number(row.source_id),
    trigger: row.trigger_kind as RunTrigger,
    dueAt: row.due_at,
    notBefore: row.not_before,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    outcome: (row.outcome ?? undefined) as RunOutcome | undefined,
    attempts: row.attempts,
    leaseOwner: row.lease_owner ?? undefined,
  }
}

/** A run before it is stored. */
export type NewRun = Pick<RunRecord, 'sourceId' | 'trigger' | 'dueAt'> & { details: RunDetails }

export async function insertRun(
  db: Queryable,
  { sourceId, trigger, dueAt, details }: NewRun,
  at: string,
): Promise<number> {
  const row = await db
    .insertInto('source_runs')
    .values({
      source_id: sourceId,
      trigger_kind: trigger,
      due_at: dueAt,
      not_before: at,
      started_at: null,
      ended_at: null,
      outcome: null,
      attempts: 0,
      lease_owner: null,
      lease_until: null,
      document: JSON.stringify(details),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(row.id)
}

/** Inserts a run that ended before it started. */
export async function insertSkipped(
  db: Queryable,
  run: Omit<NewRun, 'details'>,
  { at, message }: { at: string; message: string },
): Promise<void> {
  const id = await insertRun(db, { ...run, details: { message } }, at)
  await db.updateTable('source_runs').set({ outcome: 'skipped', ended_at: at }).where('id', '=', id).execute()
}

/** Lists the runs of a source, newest first. */
export async function listRuns(
  db: Queryable,
  sourceId: number,
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<RunRecord[]> {
  const rows = await db
    .selectFrom('source_runs')
    .selectAll()
    .where('source_id', '=', sourceId)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(toRun)
}

/** Throws `Failure` (`notFound`). */
export async function getRun(db: Queryable, sourceId: number, id: number): Promise<RunRecord> {
  const row = await db
    .selectFrom('source_runs')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw notFound('unknown-run', `The source has no run ${id}`)
  return toRun(row)
}

/** Lists all runs that have not ended, in the order in which they start. */
export async function listOpenRuns(db: Queryable): Promise<RunRecord[]> {
  const rows = await db
    .selectFrom('source_runs')
    .selectAll()
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(toRun)
}

/** Counts the runs of a source that have not ended. */
export async function countOpenRuns(db: Queryable, sourceId: number): Promise<number> {
  const { count } = await db
    .selectFrom('source_runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('source_id', '=', sourceId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns the runs that decide the states of all sources, by source. */
export async function findRecentRuns(db: Queryable): Promise<Map<number, RecentRuns>> {
  const last = await db
    .selectFrom('source_runs')
    .selectAll()
    .where('id', 'in', (runs) =>
      runs
        .selectFrom('source_runs')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('ended_at', 'is not', null)
        .where('outcome', '!=', 'skipped')
        .groupBy('source_id'),
    )
    .execute()
  const recent = new Map<number, RecentRuns>()
  for (const row of last) recent.set(Number(row.source_id), { last: toRun(row) })
  for (const open of await listOpenRuns(db)) {
    const known = recent.get(open.sourceId)
    if (known?.open === undefined) recent.set(open.sourceId, { ...known, open })
  }
  return recent
}

/** Runs that a server may continue: all that other servers hold, or those whose lease has expired. */
export interface ClaimOptions {
  owner: string
  isExpired: boolean
}

/**
 * Claims a run that has not ended. False if another server holds it, or if an earlier run of its source has
 * not ended.
 */
export async function claimRun(
  { kysely, kind }: RunDatabase,
  id: number,
  { owner, isExpired }: ClaimOptions,
  at: string,
): Promise<RunRecord | undefined> {
  const row = await kysely
    .updateTable('source_runs')
    .set((eb) => ({
      lease_owner: owner,
      lease_until: databaseTime(kind, leaseSeconds),
      started_at: eb.fn.coalesce('started_at', eb.val(at)),
    }))
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('lease_owner', 'is', null),
        isExpired ? eb('lease_until', '<', databaseTime(kind)) : eb('lease_owner', '!=', owner),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('source_runs as earlier')
            .select('earlier.id')
            .where('earlier.ended_at', 'is', null)
            .whereRef('earlier.source_id', '=', 'source_runs.source_id')
            .whereRef('earlier.id', '<', 'source_runs.id'),
        ),
      ),
    )
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? undefined : toRun(row)
}

/** Renews a lease; false if another server has taken the run over. */
export async function renewRun({ kysely, kind }: RunDatabase, id: number, owner: string): Promise<boolean> {
  const result = await kysely
    .updateTable('source_runs')
    .set({ lease_until: databaseTime(kind, leaseSeconds) })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

interface Held {
  id: number
  owner: string
}

/** Saves details of a running run; false if another server has taken it over. */
export async function saveDetails(db: Queryable, { id, owner }: Held, details: RunDetails): Promise<boolean> {
  const result = await db
    .updateTable('source_runs')
    .set({ document: JSON.stringify(details) })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

/** Ends a run; false if another server has taken it over. */
export async function endRun(
  db: Queryable,
  { id, owner }: Held,
  { outcome, ...details }: RunEnd,
  at: string,
): Promise<boolean> {
  const result = await db
    .updateTable('source_runs')
    .set((eb) => ({
      outcome,
      ended_at: at,
      lease_owner: null,
      lease_until: null,
      attempts: eb('attempts', '+', 1),
      document: JSON.stringify(details),
    }))
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

/** Lets a run wait until its next attempt. */
export async function postponeRun(
  db: Queryable,
  { id, owner }: Held,
  { notBefore, details }: { notBefore: string; details: RunDetails },
): Promise<void> {
  await db
    .updateTable('source_runs')
    .set((eb) => ({
      not_before: notBefore,
      lease_owner: null,
      lease_until: null,
      attempts: eb('attempts', '+', 1),
      document: JSON.stringify(details),
    }))
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('ended_at', 'is', null)
    .execute()
}

/** Releases a run when its server stops, so that the next one continues at once. */
export async function releaseRun(db: Queryable, { id, owner }: Held): Promise<void> {
  await db
    .updateTable('source_runs')
    .set({ lease_owner: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('ended_at', 'is', null)
    .execute()
}

/** Changes the outcome of a stopped run that was accepted. */
export async function setOutcome(db: Queryable, run: number, { outcome, ...details }: RunEnd): Promise<void> {
  await db
    .updateTable('source_runs')
    .set({ outcome, document: JSON.stringify(details) })
    .where('id', '=', run)
    .execute()
}

/** Removes the oldest ended runs of a source. */
export async function deleteOldRuns(db: Queryable, sourceId: number): Promise<void> {
  const row = await db
    .selectFrom('source_runs')
    .select('id')
    .where('source_id', '=', sourceId)
    .orderBy('id', 'desc')
    .offset(keptRuns)
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return
  await db
    .deleteFrom('source_runs')
    .where('source_id', '=', sourceId)
    .where('id', '<=', row.id)
    .where('ended_at', 'is not', null)
    .execute()
}

/** Returns the details of a run without its other columns. */
export function detailsOf(run: RunRecord): RunDetails {
  const { id, sourceId, trigger, dueAt, notBefore, startedAt, endedAt, ...rest } = run
  const { outcome, attempts, leaseOwner, ...details } = rest
  return details
}
