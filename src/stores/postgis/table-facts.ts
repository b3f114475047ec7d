import type { ClientBase } from 'pg'
import { explain } from '../../core/errors/errors.ts'
import { attributeOfColumn } from '../../geo/postgres-types.ts'
import type { Attribute, GeometryType } from '../../geo/schema.ts'
import { geometryTypes } from '../../geo/schema.ts'
import type { GeometryRules } from '../geometry-rules.ts'
import { parseRelationName } from './relation-name.ts'

/** A non-geometry column of an existing table. */
export interface ColumnFacts {
  name: string
  /** Type as in a statement, such as `character varying(20)`. */
  sqlType: string
  /** Exact attribute type, or `undefined` for types that are passed as text. */
  attribute: Attribute | undefined
  /** False if the user of the store has no right to read it. */
  isReadable: boolean
  isNotNull: boolean
  hasDefault: boolean
  /** True if the server assigns its values: an identity column or a default from a sequence. */
  isNumbered: boolean
  /** True if its default uses a sequence. */
  isSerial: boolean
  /** True if values cannot be set: a generated column, or `generated always as identity`. */
  isReadOnly: boolean
  /** True if the server computes it from other columns. */
  isGenerated: boolean
  /** Its default expression, if any that does not use a sequence. */
  defaultSql?: string
}

interface GeometryFacts {
  name: string
  rules: GeometryRules
  srid: number
  isGeography: boolean
  /** True if the column type assigns its SRID to geometries without one. */
  hasDeclaredSrid: boolean
  isNotNull: boolean
}

/** Catalogue data of a table, view or similar relation. */
export interface TableFacts {
  oid: number
  schema: string
  name: string
  kind: 'table' | 'view' | 'other'
  /** True if PostgreSQL can lock it by name: all but materialized views and foreign tables. */
  canBeLocked: boolean
  columns: ColumnFacts[]
  geometry: GeometryFacts | undefined
  /** The column of a single-column primary key; otherwise `undefined`. */
  primaryKey: string | undefined
  /** Estimate of the last ANALYZE; -1 if there was none. */
  estimatedRows: number
}

interface ColumnRow {
  name: string
  type_name: string
  sql_type: string
  typmod: number
  not_null: boolean
  default_text: string | null
  identity: string
  generated: string
  is_key: boolean
  readable: boolean
  geometry_type: string | null
  srid: number | null
  dimension: number | null
}

const tableSql = `
select c.oid::int8::text as oid, c.relkind as kind, c.reltuples::float8 as rows,
  (select count(*) from pg_index where indrelid = c.oid and indisprimary and indnkeyatts = 1)::int as single_keys
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')`

/**
 * Geometry columns as in `geometry_columns`, which reads the constraints of all tables of the database. That
 * is slow with many tables, and fails if a constraint is dropped meanwhile.
 */
const columnsSql = `
select a.attname as name, t.typname as type_name, format_type(a.atttypid, a.atttypmod) as sql_type,
  a.atttypmod as typmod, a.attnotnull as not_null, pg_get_expr(d.adbin, d.adrelid) as default_text,
  a.attidentity as identity, a.attgenerated as generated,
  exists (select from pg_index i where i.indrelid = a.attrelid and i.indisprimary and a.attnum = any(i.indkey)) as is_key,
  has_column_privilege(a.attrelid, a.attnum, 'select') as readable,
  coalesce(g.type, b.type) as geometry_type, coalesce(g.srid, b.srid) as srid,
  coalesce(g.coord_dimension, b.coord_dimension) as dimension
from pg_attribute a
join pg_type t on t.oid = a.atttypid
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
left join lateral (
  select coalesce(postgis_typmod_dims(a.atttypmod), max(k.dims), 2) as coord_dimension,
    coalesce(nullif(postgis_typmod_srid(a.atttypmod), 0), max(k.srid), 0) as srid,
    replace(replace(coalesce(nullif(upper(postgis_typmod_type(a.atttypmod)), 'GEOMETRY'), max(k.type), 'GEOMETRY'), 'ZM', ''), 'Z', '') as type
  from (
    select case when def ilike '%geometrytype(% = %' then split_part(def, '''', 2) end as type,
      case when def ilike '%ndims(% = %' then substring(def from ' = \\(?(\\d+)')::int end as dims,
      case when def ilike '%srid(% = %' then substring(def from ' = \\(?(-?\\d+)')::int end as srid
    from (
      select pg_get_constraintdef(oid) as def from pg_constraint
      where conrelid = a.attrelid and contype = 'c' and a.attnum = any(conkey)) c) k
) g on t.typname = 'geometry'
left join geography_columns b
  on t.typname = 'geography' and b.f_table_schema = $2 and b.f_table_name = $3 and b.f_geography_column = a.attname
where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped
order by a.attnum`

/**
 * Returns catalogue data of a table with its first geometry column, or with the one that `table(column)`
 * names; `undefined` if there is none of that name.
 */
export async function findTableFacts(
  client: ClientBase,
  schema: string,
  relation: string,
): Promise<TableFacts | undefined> {
  const { table: name, geometry: requested } = await parseRelationName(client, schema, relation)
  const found = await client.query<{ oid: string; kind: string; rows: number; single_keys: number }>(
    tableSql,
    [schema, name],
  )
  const table = found.rows[0]
  if (table === undefined) return undefined
  const rows = await readColumns(client, [table.oid, schema, name])
  const spatial = rows.filter((row) => isSpatial(row) && row.readable)
  const geometryRow = requested === undefined ? spatial[0] : spatial.find((row) => row.name === requested)
  if (requested !== undefined && geometryRow === undefined) return undefined
  return {
    oid: Number(table.oid),
    schema,
    name,
    kind: table.kind === 'r' ? 'table' : table.kind === 'v' || table.kind === 'm' ? 'view' : 'other',
    canBeLocked: ['r', 'p', 'v'].includes(table.kind),
    columns: rows.filter((row) => !isSpatial(row)).map(columnFacts),
    geometry: geometryRow === undefined ? undefined : geometryFacts(geometryRow),
    primaryKey: table.single_keys === 1 ? rows.find((row) => row.is_key)?.name : undefined,
    estimatedRows: table.rows,
  }
}

const maxAttempts = 5

/**
 * If a constraint is dropped while the query reads it, the query fails; within a transaction the first error
 * is thrown.
 */
async function readColumns(client: ClientBase, values: string[]): Promise<ColumnRow[]> {
  let first: unknown
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    try {
      return (await client.query<ColumnRow>(columnsSql, values)).rows
    } catch (error) {
      first ??= error
      if (!/cache lookup failed|could not open relation/.test(explain(error))) throw first
    }
  }
  throw first
}

function isSpatial(row: ColumnRow): boolean {
  return row.type_name === 'geometry' || row.type_name === 'geography'
}

function columnFacts(row: ColumnRow): ColumnFacts {
  const isNumbered = row.identity !== '' || (row.default_text?.startsWith('nextval(') ?? false)
  return {
    name: row.name,
    sqlType: row.sql_type,
    attribute: attributeOfColumn(row.name, row.type_name, row.typmod),
    isReadable: row.readable,
    isNotNull: row.not_null,
    hasDefault: isNumbered || row.default_text !== null,
    isNumbered,
    isSerial: isNumbered && row.identity === '',
    isReadOnly: row.generated !== '' || row.identity === 'a',
    isGenerated: row.generated !== '',
    defaultSql:
      row.default_text === null || isNumbered || row.generated !== '' ? undefined : row.default_text,
  }
}

/** Reads columns of `geometry_columns`: `POINTM` has a measure; otherwise three dimensions mean Z. */
function geometryFacts(row: ColumnRow): GeometryFacts {
  const typeText = (row.geometry_type ?? 'GEOMETRY').toUpperCase()
  const baseText = typeText.replace(/(ZM|Z|M)$/, '')
  const isKnown = geometryTypes.some((type) => type.toUpperCase() === typeText)
  const requested = isKnown ? typeText : baseText
  const type: GeometryType = geometryTypes.find((name) => name.toUpperCase() === requested) ?? 'Geometry'
  const dimension = row.dimension ?? 2
  const hasM = dimension === 4 || typeText.endsWith('M')
  const isGeography = row.type_name === 'geography'
  const isDeclared = row.typmod >= 0
  return {
    name: row.name,
    rules: {
      type,
      hasZ: dimension === 4 || (dimension === 3 && !hasM),
      hasM,
      isOpen: !isDeclared && type === 'Geometry' && dimension === 2,
    },
    srid: row.srid ?? 0,
    isGeography,
    hasDeclaredSrid: isDeclared && (row.srid ?? 0) > 0,
    isNotNull: row.not_null,
  }
}
