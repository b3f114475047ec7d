import type { ClientBase } from 'pg'
import { quoteIdentifier, quoteTable } from '../../core/postgres/quote.ts'
import type { TableKind, TableProblem, TableSummary } from '../table-summary.ts'
import { isOwnName } from './identifiers.ts'
import { geometryTableName } from './relation-name.ts'

/** Minimum number of rows for a message about missing statistics or a missing spatial index. */
const manyRows = 1000

/** One query for all tables of a schema, for the catalogue alone: `geometry_columns` is slow with many tables. */
const summarySql = `
with tables as (
  select c.oid, c.relname, c.relkind, c.reltuples::float8 as rows,
    has_table_privilege(c.oid, 'select') or has_any_column_privilege(c.oid, 'select') as readable
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
), columns as (
  select t.oid,
    md5(string_agg(concat_ws(',', a.attnum, a.attname, a.atttypid, a.atttypmod), ' ' order by a.attnum)) as mark,
    array_agg(a.attname::text order by a.attnum) filter (where not has_column_privilege(t.oid, a.attnum, 'select')) as hidden,
    json_agg(json_build_object('name', a.attname, 'type', y.typname, 'typmod', a.atttypmod,
      'indexed', exists (select from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
        where i.indrelid = t.oid and a.attnum = any(i.indkey) and i.indisvalid and m.amname in ('gist', 'spgist', 'brin')),
      'constraints', (select json_agg(pg_get_constraintdef(k.oid)) from pg_constraint k
        where a.atttypmod < 0 and k.conrelid = t.oid and k.contype = 'c' and a.attnum = any(k.conkey)))
      order by a.attnum) filter (where y.typname in ('geometry', 'geography') and has_column_privilege(t.oid, a.attnum, 'select')) as geometries
  from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  join pg_type y on y.oid = a.atttypid
  group by t.oid
), keys as (
  select i.indrelid as oid, min(a.attname::text) as key
  from pg_index i join tables t on t.oid = i.indrelid join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
  where i.indisprimary and i.indnkeyatts = 1
  group by i.indrelid
)
select current_user as user, t.relname as name, t.relkind as kind, t.rows, t.readable, c.mark, c.hidden, c.geometries, k.key
from tables t left join columns c using (oid) left join keys k using (oid)
order by t.relname`

interface GeometryRow {
  name: string
  type: string
  typmod: number
  indexed: boolean
  constraints: string[] | null
}

interface SummaryRow {
  user: string
  name: string
  kind: string
  rows: number
  readable: boolean
  mark: string | null
  hidden: string[] | null
  geometries: GeometryRow[] | null
  key: string | null
}

const kinds = new Map<string, TableKind>([
  ['r', 'table'],
  ['p', 'table'],
  ['v', 'view'],
  ['m', 'matview'],
  ['f', 'foreign'],
])

/** Returns the tables of a schema. A table with several geometry columns occurs once for each of them. */
export async function summarizeTables(client: ClientBase, schema: string): Promise<TableSummary[]> {
  const { rows } = await client.query<SummaryRow>(summarySql, [schema])
  const own = rows.filter(({ name }) => !isOwnName(name))
  const types = await readTypes(client, own)
  return own.flatMap((row) => {
    const geometries: (GeometryRow | undefined)[] = row.geometries ?? [undefined]
    return geometries.map((geometry, index) =>
      summaryOf({ schema, row, geometry, isFirst: index === 0 }, types),
    )
  })
}

interface DeclaredType {
  type: string
  srid: number
  srs: string | null
}

/** Reads each type modifier once: a schema with thousands of tables has few of them. */
async function readTypes(
  client: ClientBase,
  rows: readonly SummaryRow[],
): Promise<ReadonlyMap<string, DeclaredType>> {
  const declared = new Map<string, { typmod: number; type: string; srid: number }>()
  for (const { geometries } of rows)
    for (const geometry of geometries ?? [])
      declared.set(typeKey(geometry), {
        typmod: geometry.typmod,
        type: constraintText(geometry, /geometrytype\(.* = '([^']+)'/i) ?? '',
        srid: Number(constraintText(geometry, /srid\(.* = \(?(-?\d+)/i) ?? 0),
      })
  if (declared.size === 0) return new Map()
  const { rows: types } = await client.query<DeclaredType & { key: string }>(
    `select d.key, d.type, d.srid, s.auth_name || ':' || s.auth_srid as srs
     from (
       select key, coalesce(nullif(case when typmod >= 0 then postgis_typmod_type(typmod) end, ''), nullif(type, ''), 'Geometry') as type,
         coalesce(nullif(case when typmod >= 0 then postgis_typmod_srid(typmod) end, 0), srid) as srid
       from unnest($1::text[], $2::int[], $3::text[], $4::int[]) as given(key, typmod, type, srid)
     ) d left join spatial_ref_sys s on s.srid = d.srid`,
    [
      [...declared.keys()],
      [...declared.values()].map(({ typmod }) => typmod),
      [...declared.values()].map(({ type }) => type),
      [...declared.values()].map(({ srid }) => srid),
    ],
  )
  return new Map(types.map(({ key, ...type }) => [key, type]))
}

const typeKey = ({ typmod, constraints }: GeometryRow): string =>
  typmod >= 0 ? String(typmod) : (constraints ?? []).join(' ')

function constraintText({ constraints }: GeometryRow, pattern: RegExp): string | undefined {
  for (const constraint of constraints ?? []) {
    const found = pattern.exec(constraint)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

interface Summarized {
  schema: string
  row: SummaryRow
  geometry: GeometryRow | undefined
  isFirst: boolean
}

function summaryOf(one: Summarized, types: ReadonlyMap<string, DeclaredType>): TableSummary {
  const { row, geometry, isFirst } = one
  const type = geometry && types.get(typeKey(geometry))
  const isGeography = geometry?.type === 'geography'
  const srid = type?.srid === 0 && isGeography ? 4326 : (type?.srid ?? 0)
  const isDeclared = srid > 0
  const summary: TableSummary = {
    name: geometry === undefined || isFirst ? row.name : geometryTableName(row.name, geometry.name),
    table: row.name,
    kind: kinds.get(row.kind) ?? 'table',
    columnsMark: row.mark ?? '',
    problems: problemsOf(one, isDeclared),
  }
  if (row.key !== null) summary.key = row.key
  if (row.rows >= 0 && row.kind !== 'v') summary.estimatedRows = Math.round(row.rows)
  if (geometry !== undefined) {
    const srs = type?.srs ?? (isDeclared ? `EPSG:${srid}` : undefined)
    summary.geometry = { column: geometry.name, type: type?.type ?? 'Geometry' }
    if (srs !== undefined) summary.geometry.srs = srs
  }
  return summary
}

function problemsOf({ schema, row, geometry }: Summarized, hasSrid: boolean): TableProblem[] {
  const table = quoteTable(schema, row.name)
  const isStored = row.kind === 'r' || row.kind === 'p' || row.kind === 'm'
  const problems: TableProblem[] = []
  if (!row.readable) {
    problems.push({
      code: 'no-rights',
      message: `The user of the store has no right to read "${row.name}".`,
      sql: `GRANT SELECT ON ${table} TO ${quoteIdentifier(row.user)}`,
    })
    return problems
  }
  for (const column of row.hidden ?? [])
    problems.push({
      code: 'no-rights-column',
      message: `The user of the store has no right to read column "${column}": the layer is published without it.`,
      sql: `GRANT SELECT (${quoteIdentifier(column)}) ON ${table} TO ${quoteIdentifier(row.user)}`,
    })
  if (row.key === null)
    problems.push(
      isStored && row.kind !== 'm'
        ? {
            code: 'no-key',
            message:
              'Without a primary key of one column features have no permanent id and cannot be edited.',
            sql: `ALTER TABLE ${table} ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY`,
          }
        : {
            code: 'no-key',
            message: 'It has no primary key: features are numbered by their position and cannot be edited.',
          },
    )
  if (geometry === undefined) return problems
  if (!hasSrid)
    problems.push({
      code: 'no-srid',
      message: `The type of column "${geometry.name}" declares no SRID: name the CRS when you publish the table.`,
      sql:
        isStored && row.kind !== 'm'
          ? `ALTER TABLE ${table} ALTER COLUMN ${quoteIdentifier(geometry.name)} TYPE geometry(Geometry, SRID_OF_THE_DATA) USING ST_SetSRID(${quoteIdentifier(geometry.name)}, SRID_OF_THE_DATA)`
          : undefined,
    })
  if (isStored && !geometry.indexed && (row.rows < 0 || row.rows >= manyRows))
    problems.push({
      code: 'no-index',
      message: `Column "${geometry.name}" has no spatial index: boxes, tiles and maps read the whole table.`,
      sql: `CREATE INDEX ON ${table} USING gist (${quoteIdentifier(geometry.name)})`,
    })
  if (isStored && row.rows < 0)
    problems.push({
      code: 'empty-statistics',
      message: 'The table has never been analyzed, so the database plans its queries without statistics.',
      sql: `ANALYZE ${table}`,
    })
  return problems
}
