import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Queryable } from '../../../core/db/connection.ts'
import type { SharedTime } from '../../../core/db/database-time.ts'
import type { Tables } from '../../../core/db/tables.ts'
import type { Delivery, DeliveryState, MessageKind, NotificationMessage } from '../model/model.ts'
import { deliveryStates, messageKinds } from '../model/model.ts'

type Row = Omit<Selectable<Tables['notification_deliveries']>, 'message'>

const columns = [
  'id',
  'check_id',
  'receiver_id',
  'receiver',
  'kind',
  'state',
  'attempts',
  'next_try',
  'leased_until',
  'error',
  'created_at',
  'finished_at',
] as const

function toDelivery(row: Row): Delivery {
  return {
    id: row.id,
    checkId: row.check_id,
    receiverId: row.receiver_id,
    receiver: row.receiver,
    kind: messageKinds.find((one) => one === row.kind) ?? 'alert',
    state: deliveryStates.find((one) => one === row.state) ?? 'failed',
    attempts: row.attempts,
    nextTry: row.next_try,
    error: row.error ?? undefined,
    createdAt: row.created_at,
    finishedAt: row.finished_at ?? undefined,
  }
}

export async function insertDelivery(
  db: Queryable,
  to: { receiverId: number; receiver: string },
  message: NotificationMessage,
  at: string,
): Promise<void> {
  await db
    .insertInto('notification_deliveries')
    .values({
      check_id: message.checkId,
      receiver_id: to.receiverId,
      receiver: to.receiver,
      kind: message.kind,
      message: JSON.stringify(message),
      state: 'pending',
      attempts: 0,
      next_try: at,
      created_at: at,
    })
    .execute()
}

/** Lists deliveries of a check, newest first. */
export async function listDeliveries(db: Queryable, checkId: number, limit: number): Promise<Delivery[]> {
  const rows = await db
    .selectFrom('notification_deliveries')
    .select(columns)
    .where('check_id', '=', checkId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toDelivery)
}

/** Lists the newest delivery to each existing receiver since `since`. */
export async function listNewestDeliveries(db: Queryable, since: string): Promise<Delivery[]> {
  const rows = await db
    .selectFrom('notification_deliveries')
    .select(columns)
    .where('id', 'in', (expression) =>
      expression
        .selectFrom('notification_deliveries as newest')
        .innerJoin('notification_receivers', 'notification_receivers.id', 'newest.receiver_id')
        .select((one) => one.fn.max('newest.id').as('id'))
        .where('newest.created_at', '>=', since)
        .groupBy('newest.receiver_id'),
    )
    .execute()
  return rows.map(toDelivery)
}

/** Lists deliveries of a check that are pending, or were created or finished since `since`. */
export async function listDeliveriesSince(
  db: Queryable,
  checkId: number,
  since: string,
): Promise<Delivery[]> {
  const rows = await db
    .selectFrom('notification_deliveries')
    .select(columns)
    .where('check_id', '=', checkId)
    .where((expression) =>
      expression.or([
        expression('state', '=', 'pending'),
        expression('created_at', '>=', since),
        expression('finished_at', '>=', since),
      ]),
    )
    .orderBy('id')
    .execute()
  return rows.map(toDelivery)
}

/** Lists deliveries due at `at` that no server has claimed. */
export async function listDueDeliveries(
  db: Queryable,
  { at, now }: { at: string; now: SharedTime },
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('notification_deliveries')
    .select('id')
    .where('state', '=', 'pending')
    .where('next_try', '<=', at)
    .where((expression) =>
      expression.or([expression('leased_until', 'is', null), expression('leased_until', '<=', now)]),
    )
    .orderBy('next_try')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export interface ClaimedDelivery extends Delivery {
  message: NotificationMessage
}

/** Claims a delivery for one attempt; only one of several servers gets it. */
export async function claimDelivery(
  db: Queryable,
  id: number,
  at: string,
  { now, leasedUntil }: { now: SharedTime; leasedUntil: SharedTime },
): Promise<ClaimedDelivery | undefined> {
  const row = await db
    .updateTable('notification_deliveries')
    .set({ leased_until: leasedUntil, attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('next_try', '<=', at)
    .where((expression) =>
      expression.or([expression('leased_until', 'is', null), expression('leased_until', '<=', now)]),
    )
    .returningAll()
    .executeTakeFirst()
  return row === undefined
    ? undefined
    : { ...toDelivery(row), message: JSON.parse(row.message) as NotificationMessage }
}

/** Records the result of an attempt, unless the delivery was dropped meanwhile. */
export async function finishDelivery(
  db: Queryable,
  id: number,
  result: { state: DeliveryState; at: string; nextTry?: string; error?: string },
): Promise<void> {
  const { state, at, nextTry, error } = result
  await db
    .updateTable('notification_deliveries')
    .set({
      state,
      leased_until: null,
      error: error ?? null,
      next_try: nextTry,
      finished_at: state === 'pending' ? undefined : at,
    })
    .where('id', '=', id)
    .where('state', 'in', state === 'sent' ? ['pending', 'dropped'] : ['pending'])
    .execute()
}

/** Drops the pending deliveries of a check; errors of earlier attempts are preserved. */
export async function dropDeliveries(
  db: Queryable,
  checkId: number,
  { kind, why, at }: { kind?: MessageKind; why: string; at: string },
): Promise<void> {
  await db
    .updateTable('notification_deliveries')
    .set({
      state: 'dropped',
      error: sql`cast(${why} as text) || coalesce('; before: ' || error, '')`,
      finished_at: at,
    })
    .where('check_id', '=', checkId)
    .where('state', '=', 'pending')
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
    .execute()
}

export async function deleteDeliveriesBefore(db: Queryable, before: string): Promise<void> {
  await db
    .deleteFrom('notification_deliveries')
    .where('created_at', '<', before)
    .where('state', '!=', 'pending')
    .execute()
}
