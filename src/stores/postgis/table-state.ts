import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { quoteIdentifier, quoteText } from '../../core/postgres/quote.ts'
import type { TableState } from '../store.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { parseRelationName } from './relation-name.ts'

/**
 * Query of values that change with a table (PostgreSQL, "The Cumulative Statistics System"): counts of
 * written rows; size and file of the table; its columns. A reset or crash loses the counts, so the times of
 * both are included. A view changes with its sources, a partitioned table with its partitions.
 */
const stateSql = `
with recursive sources(oid) as (
  select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2
  union
  select part.oid from sources s, lateral (
    select i.inhrelid as oid from pg_inherits i where i.inhparent = s.oid
    union all
    select d.refobjid from pg_rewrite r
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
    where r.ev_class = s.oid and r.ev_type = '1' and d.refclassid = 'pg_class'::regclass and d.refobjid <> s.oid
  ) part
)
select count(*)::int as relations,
  bool_or(c.relkind = 'f') or current_setting('track_counts') = 'off' as hidden,
  concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_db_stat_reset_time(d.oid),
    case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end,
    string_agg(concat_ws(',', c.oid, pg_relation_filenode(c.oid),
      case when c.relkind in ('r', 'm', 't') then pg_relation_size(c.oid) end,
      pg_stat_get_tuples_inserted(c.oid), pg_stat_get_tuples_updated(c.oid), pg_stat_get_tuples_deleted(c.oid),
      a.columns), ' ' order by c.oid)) as state
from sources s join pg_class c on c.oid = s.oid
join pg_database d on d.datname = current_database(),
lateral (
  select md5(string_agg(concat_ws(',', attnum, attname, atttypid, atttypmod), ' ' order by attnum)) as columns
  from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
) a
group by d.oid`

/** Query of the same text for a table without partitions, in half the time; no row for anything else. */
const plainStateSql = `
select 1 as relations, current_setting('track_counts') = 'off' as hidden,
  concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_db_stat_reset_time(d.oid),
    case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end,
    concat_ws(',', c.oid, pg_relation_filenode(c.oid), pg_relation_size(c.oid),
      pg_stat_get_tuples_inserted(c.oid), pg_stat_get_tuples_updated(c.oid), pg_stat_get_tuples_deleted(c.oid),
      (select md5(string_agg(concat_ws(',', attnum, attname, atttypid, atttypmod), ' ' order by attnum))
       from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped))) as state
from pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_database d on d.datname = current_database()
where n.nspname = $1 and c.relname = $2 and c.relkind = 'r' and not c.relhassubclass`

/**
 * True if statistics may be pending: a session flushes them up to ten seconds after it has written, or when
 * it ends. Sessions that this user may not see are unknown.
 */
const laggingSql = `
select exists (
  select from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and coalesce(backend_type, 'client backend') = 'client backend'
    and coalesce(application_name, '') not like 'terrane%'
    and (state is distinct from 'idle' or state_change > clock_timestamp() - interval '11 s')
) as lagging`

/** A session that has just ended is visible for some milliseconds. */
const leavingMs = 15
/** Sessions that stay are not waited for again within this time. */
const notWaitedMs = 1000

/**
 * Decides whether waiting for a session that may be ending is worthwhile: not if the last wait was for one
 * that stayed.
 */
export class LeavingSessions {
  readonly #notWaitedMs: number
  #staysUntil = Number.NEGATIVE_INFINITY

  constructor(restMs = notWaitedMs) {
    this.#notWaitedMs = restMs
  }

  get isWaitedFor(): boolean {
    return performance.now() >= this.#staysUntil
  }

  hasStayed(): void {
    this.#staysUntil = performance.now() + this.#notWaitedMs
  }
}

/** The table and its connection. */
export interface StateTable {
  client: PoolClient
  statements: PreparedStatements
  schema: string
  table: string
}

/** First row of each statement. */
type Answers = (unknown[] | undefined)[]

interface StateRow {
  hidden: boolean
  state: string
  lagging: boolean
}

/**
 * Pending statistics are read first: a session that flushes after that query is reported as pending by it.
 */
async function readOnce(target: StateTable): Promise<StateRow | undefined> {
  const [activity, found] = (await askAtOnce(target)) ?? (await askInTurn(target))
  if (found === undefined) return undefined
  const [, hidden, state] = found as [number, boolean, string]
  return { hidden, state, lagging: activity?.[0] !== false }
}

/**
 * Runs both statements by their prepared names in one message: planning takes four times as long as running
 * them.
 */
async function askAtOnce(target: StateTable): Promise<Answers | undefined> {
  const text = await lookBy(stateSql, target)
  if (text === undefined) return undefined
  try {
    const results: unknown = await target.client.query({ text, rowMode: 'array' })
    return (results as { rows: unknown[][] }[]).map(({ rows }) => rows[0])
  } catch (error) {
    if (target.statements.hasLost(error)) return undefined
    throw error
  }
}

/**
 * Returns two statements that report the state of a plain table, each in one row, for the end of a message;
 * undefined if the connection cannot prepare them.
 */
export function stateFingerprint(target: StateTable): Promise<string | undefined> {
  return lookBy(plainStateSql, target)
}

async function lookBy(
  sql: string,
  { client, statements, schema, table }: StateTable,
): Promise<string | undefined> {
  const lagging = await statements.prepare(client, { text: laggingSql, values: [], rowMode: 'array' })
  const values = [schema, table]
  const state = await statements.prepare(client, { text: sql, values, rowMode: 'array' })
  if (lagging === undefined || state === undefined) return undefined
  return `execute ${quoteIdentifier(lagging)};
    execute ${quoteIdentifier(state)}(${values.map(quoteText).join(', ')})`
}

/**
 * Returns the state as text, from the rows of `stateFingerprint`; undefined if the rows do not cover all
 * changes.
 */
export function stateOfRows([activity, found]: readonly (string | null)[][]): string | undefined {
  if (activity?.[0] !== 'f' || found?.[1] !== 'f') return undefined
  return found[2] ?? undefined
}

async function askInTurn({ client, statements, schema, table }: StateTable): Promise<Answers> {
  const ask = async (text: string, values: string[]): Promise<unknown[] | undefined> =>
    (await statements.query(client, { text, values, rowMode: 'array' })).rows[0]
  const activity = await ask(laggingSql, [])
  return [activity, await ask(stateSql, [schema, table])]
}

/**
 * Returns a state that differs after every change of a table; undefined if there is none, or if its rows are
 * stored elsewhere.
 */
export async function readTableState(
  named: StateTable,
  leaving: LeavingSessions,
): Promise<TableState | undefined> {
  const { table } = await parseRelationName(named.client, named.schema, named.table)
  const place = { ...named, table }
  let found = await readOnce(place)
  if (found?.lagging === true && leaving.isWaitedFor) {
    await sleep(leavingMs)
    found = await readOnce(place)
    if (found?.lagging === true) leaving.hasStayed()
  }
  if (found === undefined || found.hidden) return undefined
  return { text: found.state, mayLag: found.lagging }
}
