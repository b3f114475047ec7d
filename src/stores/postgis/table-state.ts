import type { PoolClient } from 'pg'

/**
 * What moves when a table changes (PostgreSQL, "The Cumulative Statistics System"): the counts of written rows, which
 * a server told by the session that wrote publishes within a second or when the session ends, up to ten seconds later
 * where it stays idle; size and place of its file, at once; its columns. Counts are lost by a reset and by a crash:
 * the times of both stand beside them. A view moves with what it is made of, a partitioned table with its parts.
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

/** A text that moves with every change of a table; undefined where there is none, or rows come from elsewhere. */
export async function readTableState(
  client: PoolClient,
  schema: string,
  table: string,
): Promise<string | undefined> {
  const { rows } = await client.query<{ hidden: boolean; state: string }>(stateSql, [schema, table])
  const found = rows[0]
  return found === undefined || found.hidden ? undefined : found.state
}
