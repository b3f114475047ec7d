import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Queryable } from '../core/db/connection.ts'
import type { Tables } from '../core/db/tables.ts'
import type { AuditEntry, StoredEntry } from './records.ts'
import { auditOutcomes } from './records.ts'

/** Criteria that select entries. An absent property selects all. */
export interface EntryFilter {
  /** ISO 8601 in UTC, inclusive. */
  from?: string | undefined
  /** Exclusive. */
  to?: string | undefined
  user?: string | undefined
  /** An action, or the first part of actions: `user` for `user.create`. */
  action?: string | undefined
  /** A resource, or the first part of a path, or a workspace. */
  resource?: string | undefined
  /** Only entries that follow this one in the list. */
  after?: Pick<StoredEntry, 'time' | 'id'> | undefined
}

function toEntry(row: Selectable<Tables['audit_entries']>): StoredEntry {
  return {
    id: Number(row.id),
    day: row.day,
    time: row.time,
    user: row.user_name ?? undefined,
    via: row.via,
    address: row.address ?? undefined,
    action: row.action,
    outcome: auditOutcomes.find((one) => one === row.outcome) ?? 'failed',
    resource: row.resource ?? undefined,
    before: row.before ?? undefined,
    after: row.after ?? undefined,
    request: row.request ?? undefined,
  }
}

/** Appends entries to a day. */
export async function insertEntries(
  db: Queryable,
  day: string,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ user, address, resource, before, after, request, ...entry }) => ({
    ...entry,
    day,
    user_name: user ?? null,
    address: address ?? null,
    resource: resource ?? null,
    before: before ?? null,
    after: after ?? null,
    request: request ?? null,
  }))
  await db.insertInto('audit_entries').values(rows).execute()
}

/** Lists entries, the newest first. */
export async function listEntries(
  db: Queryable,
  { from, to, user, action, resource, after }: EntryFilter,
  limit: number,
): Promise<StoredEntry[]> {
  let query = db.selectFrom('audit_entries').selectAll()
  if (from !== undefined) query = query.where('time', '>=', from)
  if (to !== undefined) query = query.where('time', '<', to)
  if (user !== undefined) query = query.where('user_name', '=', user)
  if (action !== undefined)
    query = query.where(({ eb, or }) =>
      or([eb('action', '=', action), startsWith(eb, 'action', `${action}.`)]),
    )
  if (resource !== undefined)
    query = query.where(({ eb, or }) =>
      or([
        eb('resource', '=', resource),
        startsWith(eb, 'resource', `${resource}/`),
        startsWith(eb, 'resource', `${resource}:`),
      ]),
    )
  if (after !== undefined)
    query = query.where(({ eb, or, and }) =>
      or([eb('time', '<', after.time), and([eb('time', '=', after.time), eb('id', '<', after.id)])]),
    )
  const rows = await query.orderBy('time', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(toEntry)
}

type Comparison = ExpressionBuilder<Tables, 'audit_entries'>

/** Matches texts that begin with `start` as a range, because `like` would need escapes. */
function startsWith(eb: Comparison, column: 'action' | 'resource', start: string) {
  return eb(eb.fn<string>('substr', [column, eb.lit(1), eb.lit(start.length)]), '=', start)
}

/** Reads the entries of a day in the order of their numbers, a page at a time. */
export async function* readDay(db: Queryable, day: string): AsyncGenerator<StoredEntry> {
  const page = 1000
  let after = -1
  while (true) {
    const rows = await db
      .selectFrom('audit_entries')
      .selectAll()
      .where('day', '=', day)
      .where('id', '>', after)
      .orderBy('id')
      .limit(page)
      .execute()
    for (const row of rows) yield toEntry(row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < page) return
    after = Number(last.id)
  }
}

/** Lists the days that have entries, the earliest first. */
export async function listDays(db: Queryable): Promise<string[]> {
  const rows = await db.selectFrom('audit_entries').select('day').distinct().orderBy('day').execute()
  return rows.map(({ day }) => day)
}

/** Deletes the entries of a day, whose seal must have an expiry: the database refuses it otherwise. */
export async function deleteDay(db: Queryable, day: string): Promise<void> {
  await db.deleteFrom('audit_entries').where('day', '=', day).execute()
}
