import type { ClientBase } from 'pg'
import { quoteIdentifier } from '../../../core/postgres/quote.ts'

/** Timeout of a catalogue query, in milliseconds. */
export const statementMs = 60_000

/** A table, view or similar relation. */
export interface TableEntry {
  oid: string
  schema: string
  name: string
  isView: boolean
  hasGeometry: boolean
  /** True for a partition of a table, or a table of an extension. */
  isPart: boolean
  canSelect: boolean
  /** Estimate; -1 if unknown. */
  estimatedRows: number
}

/** A column with the base type of its domain. */
export interface ColumnEntry {
  name: string
  /** `pg_type.typname`. */
  type: string
  /** `pg_type.typtype`: `b` base, `c` composite, `e` enumeration, ... */
  typeKind: string
  isArray: boolean
  typmod: number
  /** True if it is the only column of the primary key. */
  isKey: boolean
}

/**
 * Makes the session read-only and UTC, with PostGIS in the search path; false if the database lacks PostGIS.
 */
export async function prepareReading(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ schema: string }>(
    `select n.nspname as schema from pg_extension join pg_namespace n on n.oid = extnamespace
     where extname = 'postgis'`,
  )
  const postgis = rows[0]?.schema
  const path = postgis === undefined ? 'pg_catalog' : `pg_catalog, ${quoteIdentifier(postgis)}`
  await client.query(
    `set default_transaction_read_only = on; set timezone = 'UTC'; set datestyle = 'ISO';
     set intervalstyle = 'iso_8601'; set extra_float_digits = 1; set lock_timeout = '20s'; set statement_timeout = ${statementMs};
     set search_path = ${path};
     select set_config('client_connection_check_interval', '2s', false)
     where current_setting('server_version_num')::int >= 140000`,
  )
  return postgis !== undefined
}

export async function schemaExists(client: ClientBase, schema: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema])
  return rowCount === 1
}

/** Lists tables and views of a schema by name, at most `limit`; only those in `requested` if given. */
export async function listTableEntries(
  client: ClientBase,
  schema: string,
  options: { requested?: readonly string[]; limit: number },
): Promise<TableEntry[]> {
  const { rows } = await client.query<TableEntry>(
    `select c.oid::int8::text as oid, n.nspname as schema, c.relname as name,
       c.relkind in ('v', 'm') as "isView",
       exists (select from pg_attribute a join pg_type t on t.oid = a.atttypid
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         and t.typname in ('geometry', 'geography')) as "hasGeometry",
       c.relispartition or exists (select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e') as "isPart",
       has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as "canSelect",
       c.reltuples::float8 as "estimatedRows"
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f')
       and ($2::text[] is null or c.relname = any($2))
     order by c.relname limit $3`,
    [schema, options.requested ?? null, options.limit],
  )
  return rows
}

export async function listColumns(client: ClientBase, tableOid: string): Promise<ColumnEntry[]> {
  const { rows } = await client.query<ColumnEntry>(
    `select a.attname as name, t.typname as type, t.typtype as "typeKind",
       t.typcategory = 'A' as "isArray", t.typmod,
       exists (select from pg_index i where i.indrelid = a.attrelid and i.indisprimary and i.indnkeyatts = 1
         and i.indkey[0] = a.attnum) as "isKey"
     from pg_attribute a cross join lateral (
       with recursive chain as (
         select oid, typname, typtype, typcategory, typbasetype, typtypmod, a.atttypmod as typmod
         from pg_type where oid = a.atttypid
         union all
         select b.oid, b.typname, b.typtype, b.typcategory, b.typbasetype, b.typtypmod, chain.typtypmod
         from chain join pg_type b on b.oid = chain.typbasetype where chain.typtype = 'd')
       select * from chain where typtype <> 'd') t
     where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped
     order by a.attnum`,
    [tableOid],
  )
  return rows
}
