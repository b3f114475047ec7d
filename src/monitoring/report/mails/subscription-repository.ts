import { sql } from 'kysely'
import type { Queryable } from '../../../core/db/connection.ts'
import type { Receiver } from '../../notify/model/model.ts'
import type { ReportGrouping } from '../../query/usage-report.ts'
import { reportGroupings } from '../../query/usage-report.ts'
import type { ReportComparison } from '../report.ts'
import { reportComparisons } from '../report.ts'
import type { ReportLanguage } from '../report-texts.ts'
import { reportLanguages } from '../report-texts.ts'

/** A monthly report by mail. */
export interface ReportSubscription {
  id: number
  by: ReportGrouping
  compare: ReportComparison | undefined
  language: ReportLanguage
  createdBy: string
  createdAt: string
  /** The last month whose mails have been queued, such as `2026-10`. */
  lastMonth: string
}

/** A receiver to store. */
export interface NewReportReceiver {
  kind: string
  target: string
  userName?: string
}

/** A mail to one receiver about one month. */
export interface ReportDelivery {
  id: number
  subscriptionId: number
  receiverId: number
  month: string
  state: 'pending' | 'sent' | 'failed' | 'dropped'
  attempts: number
  error: string | undefined
}

interface SubscriptionRow {
  id: number
  grouping: string
  comparison: string | null
  language: string
  created_by: string
  created_at: string
  last_month: string
}

function toSubscription(row: SubscriptionRow): ReportSubscription {
  return {
    id: row.id,
    by: reportGroupings.find((one) => one === row.grouping) ?? 'layer',
    compare: reportComparisons.find((one) => one === row.comparison),
    language: reportLanguages.find((one) => one === row.language) ?? 'en',
    createdBy: row.created_by,
    createdAt: row.created_at,
    lastMonth: row.last_month,
  }
}

export async function listSubscriptions(db: Queryable): Promise<ReportSubscription[]> {
  const rows = await db.selectFrom('report_subscriptions').selectAll().orderBy('id').execute()
  return rows.map(toSubscription)
}

/** Returns a subscription; undefined if it was deleted or if its creator cannot sign in. */
export async function findActiveSubscription(
  db: Queryable,
  id: number,
): Promise<ReportSubscription | undefined> {
  const row = await db
    .selectFrom('report_subscriptions')
    .innerJoin('users', 'users.name', 'report_subscriptions.created_by')
    .selectAll('report_subscriptions')
    .where('report_subscriptions.id', '=', id)
    .where('users.enabled', '=', 1)
    .executeTakeFirst()
  return row && toSubscription(row)
}

export async function insertSubscription(
  db: Queryable,
  { by, compare, language, createdBy, createdAt, lastMonth }: Omit<ReportSubscription, 'id'>,
  receivers: readonly NewReportReceiver[],
): Promise<number> {
  const { id } = await db
    .insertInto('report_subscriptions')
    .values({
      grouping: by,
      comparison: compare ?? null,
      language,
      created_by: createdBy,
      created_at: createdAt,
      last_month: lastMonth,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const { kind, target, userName } of receivers)
    await db
      .insertInto('report_receivers')
      .values({ subscription_id: id, kind, target, user_name: userName ?? null })
      .execute()
  return id
}

/** Returns false if there is no such subscription. Its receivers and pending mails are deleted too. */
export async function deleteSubscription(db: Queryable, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('report_subscriptions')
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function listReportReceivers(
  db: Queryable,
  subscriptionId: number,
): Promise<(Receiver & { isEnabled: boolean })[]> {
  const rows = await db
    .selectFrom('report_receivers')
    .leftJoin('users', 'users.name', 'report_receivers.user_name')
    .select([
      'report_receivers.id',
      'report_receivers.kind',
      'report_receivers.target',
      'users.email',
      'users.enabled',
    ])
    .where('subscription_id', '=', subscriptionId)
    .orderBy('report_receivers.id')
    .execute()
  return rows.map(({ id, kind, target, email, enabled }) => ({
    id,
    kind,
    target,
    secret: '',
    userAddress: email ?? undefined,
    isEnabled: enabled !== 0,
  }))
}

/**
 * Marks the months up to `month` as queued. Returns false if another server has done so: only one of several servers queues
 * the mails of a month.
 */
export async function markQueued(
  db: Queryable,
  { id, lastMonth }: ReportSubscription,
  month: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('report_subscriptions')
    .set({ last_month: month })
    .where('id', '=', id)
    .where('last_month', '=', lastMonth)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function insertDelivery(
  db: Queryable,
  {
    subscriptionId,
    receiverId,
    month,
    at,
  }: { subscriptionId: number; receiverId: number; month: string; at: string },
): Promise<void> {
  await db
    .insertInto('report_deliveries')
    .values({
      subscription_id: subscriptionId,
      receiver_id: receiverId,
      month,
      state: 'pending',
      attempts: 0,
      next_try: at,
    })
    .onConflict((conflict) => conflict.columns(['subscription_id', 'receiver_id', 'month']).doNothing())
    .execute()
}

/** Lists deliveries of a subscription, newest month first. */
export async function listDeliveries(
  db: Queryable,
  subscriptionId: number,
  limit: number,
): Promise<ReportDelivery[]> {
  const rows = await db
    .selectFrom('report_deliveries')
    .selectAll()
    .where('subscription_id', '=', subscriptionId)
    .orderBy('month', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toDelivery)
}

function toDelivery(row: {
  id: number
  subscription_id: number
  receiver_id: number
  month: string
  state: string
  attempts: number
  error: string | null
}): ReportDelivery {
  return {
    id: row.id,
    subscriptionId: row.subscription_id,
    receiverId: row.receiver_id,
    month: row.month,
    state: row.state as ReportDelivery['state'],
    attempts: row.attempts,
    error: row.error ?? undefined,
  }
}

/** Lists mails due at `at` that no server has claimed. */
export async function listDueDeliveries(db: Queryable, at: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('report_deliveries')
    .select('id')
    .where('state', '=', 'pending')
    .where('next_try', '<=', at)
    .where((one) => one.or([one('leased_until', 'is', null), one('leased_until', '<=', at)]))
    .orderBy('month')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Claims a mail for one attempt; only one of several servers gets it. */
export async function claimDelivery(
  db: Queryable,
  { id, at, leasedUntil }: { id: number; at: string; leasedUntil: string },
): Promise<ReportDelivery | undefined> {
  const row = await db
    .updateTable('report_deliveries')
    .set({ leased_until: leasedUntil, attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('next_try', '<=', at)
    .where((one) => one.or([one('leased_until', 'is', null), one('leased_until', '<=', at)]))
    .returningAll()
    .executeTakeFirst()
  return row && toDelivery(row)
}

/** Records the result of an attempt. */
export async function finishDelivery(
  db: Queryable,
  id: number,
  {
    state,
    at,
    nextTry,
    error,
  }: { state: ReportDelivery['state']; at: string; nextTry?: string; error?: string },
): Promise<void> {
  await db
    .updateTable('report_deliveries')
    .set({
      state,
      leased_until: null,
      error: error ?? null,
      next_try: nextTry,
      finished_at: state === 'pending' ? undefined : at,
    })
    .where('id', '=', id)
    .execute()
}
