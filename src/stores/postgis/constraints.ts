import { quoteIdentifier } from '../../core/postgres/quote.ts'
import type { Connection } from './session.ts'
import type { TableFacts } from './table-facts.ts'

/** A constraint of the target that staged rows are checked against before they are placed. */
export interface RowCheck {
  /**
   * Returns SQL for `terrane_ctid` of the staged rows that violate the constraint, and `terrane_reason` if
   * each has its own; `source` is the staged rows with the types of the target.
   */
  violators(source: string, target: string, isReplace: boolean): string
  reason: string
  field?: string
  /** True if `violators` returns a reason for each row. */
  hasReasons?: boolean
}

/** A unique index: its key expressions, the columns used in them, and its condition. */
export interface UniqueRule {
  keys: string[]
  columns: string[]
  predicate: string | null
}

export interface TableRules {
  checks: RowCheck[]
  unique: UniqueRule[]
  /** Foreign keys of other tables that would delete their rows, or set nulls, when rows here are deleted. */
  cascades: string[]
  /** True if other tables reference this one. */
  isReferenced: boolean
}

interface UniqueRow extends UniqueRule {
  name: string
}

interface ConstraintRow {
  name: string
  kind: string
  columns: string[]
  expression: string | null
  definition: string
  other: string | null
  other_columns: string[] | null
  is_self: boolean
  match_full: boolean
}

const uniqueSql = `
select c.relname as name, pg_get_expr(i.indpred, i.indrelid) as predicate,
  array(select pg_get_indexdef(i.indexrelid, k, true) from generate_series(1, i.indnkeyatts) k) as keys,
  array(select a.attname::text from pg_attribute a where a.attrelid = i.indrelid and a.attnum > 0
    and (a.attnum = any(i.indkey) or exists (select from pg_depend d where d.classid = 'pg_class'::regclass
      and d.objid = i.indexrelid and d.refobjid = i.indrelid and d.refobjsubid = a.attnum))) as columns
from pg_index i join pg_class c on c.oid = i.indexrelid
where i.indrelid = $1 and i.indisunique and i.indisvalid`

const constraintsSql = `
select k.conname as name, k.contype as kind, pg_get_expr(k.conbin, k.conrelid) as expression,
  pg_get_constraintdef(k.oid) as definition, k.confrelid::regclass::text as other,
  k.confrelid = k.conrelid as is_self, k.confmatchtype = 'f' as match_full,
  array(select a.attname::text from unnest(k.conkey) with ordinality u(n, o)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.n order by u.o) as columns,
  array(select a.attname::text from unnest(k.confkey) with ordinality u(n, o)
    join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.n order by u.o) as other_columns
from pg_constraint k where k.conrelid = $1 and k.contype in ('c', 'f')`

const referencesSql = `
select k.conname as name, k.conrelid::regclass::text as other, k.confdeltype in ('c', 'n', 'd') as cascades
from pg_constraint k where k.confrelid = $1 and k.contype = 'f' and k.conrelid <> k.confrelid`

/**
 * Returns the constraints of a table that can be checked row by row: unique indexes, CHECK and foreign keys
 * whose columns are all in `given`; with keys, by which rows are updated in place, those with any column in
 * it. The server checks the others (exclusion constraints, and those on other columns) when rows are written.
 */
export async function findTableRules(
  connection: Connection,
  facts: TableFacts,
  given: string[],
  upsertKeys?: readonly string[],
): Promise<TableRules> {
  const doing = 'reading the constraints of the table'
  const isGiven = (columns: string[]): boolean =>
    upsertKeys === undefined
      ? columns.every((column) => given.includes(column))
      : columns.some((column) => given.includes(column))
  const unique = await connection.run<UniqueRow>(doing, uniqueSql, [facts.oid])
  const constraints = await connection.run<ConstraintRow>(doing, constraintsSql, [facts.oid])
  const references = await connection.run<{ name: string; other: string; cascades: boolean }>(
    doing,
    referencesSql,
    [facts.oid],
  )
  // Any set of columns that includes a unique key is unique too.
  const held = (keys: string[]): boolean =>
    upsertKeys?.every((key) => keys.includes(key) || keys.includes(quoteIdentifier(key))) ?? false
  const checked = unique.rows.filter(({ columns, keys }) => isGiven(columns) && !held(keys))
  return {
    checks: [
      ...constraints.rows.filter(({ columns }) => isGiven(columns)).flatMap(constraintChecks),
      ...checked.map(uniqueCheck),
    ],
    unique: checked,
    cascades: references.rows
      .filter(({ cascades }) => cascades)
      .map(({ name, other }) => `"${name}" of ${other}`),
    isReferenced: references.rows.length > 0,
  }
}

function uniqueCheck({ name, keys, columns, predicate }: UniqueRow): RowCheck {
  const named = keys.map((key, number) => `(${key}) as terrane_key${number}`).join(', ')
  const keyNames = keys.map((_, number) => `terrane_key${number}`)
  const where = predicate === null ? '' : ` where ${predicate}`
  const present = keyNames.map((key) => `${key} is not null`).join(' and ')
  const equal = keyNames.map((key) => `a.${key} = b.${key}`).join(' and ')
  return {
    reason: `Index "${name}" takes each value once: ${columns.join(', ')} has one that is there already`,
    field: columns.length === 1 && columns[0] !== undefined ? columns[0] : undefined,
    violators: (source, target, isReplace) => {
      const keyed = `(select terrane_ctid, ${named} from ${source} as staged${where}) a`
      const repeated = `select terrane_ctid from (select terrane_ctid,
        row_number() over (partition by ${keyNames.join(', ')} order by terrane_ctid) as occurrence
        from ${keyed} where ${present}) counted where occurrence > 1`
      if (isReplace) return repeated
      return `${repeated} union select terrane_ctid from ${keyed}
        where exists (select from (select ${named} from ${target} as present${where}) b where ${equal})`
    },
  }
}

function constraintChecks(row: ConstraintRow): RowCheck[] {
  const field = row.columns.length === 1 && row.columns[0] !== undefined ? { field: row.columns[0] } : {}
  if (row.kind === 'c') {
    if (row.expression === null) return []
    return [
      {
        ...field,
        reason: `Constraint "${row.name}" is broken: ${row.definition}`,
        violators: (source) => `select terrane_ctid from ${source} as staged where not (${row.expression})`,
      },
    ]
  }
  if (row.is_self || row.match_full || row.other === null || row.other_columns === null) return []
  const mine = row.columns.map((column) => `staged.${quoteIdentifier(column)}`)
  const equal = row.other_columns.map(
    (column, number) => `other.${quoteIdentifier(column)} = ${mine[number]}`,
  )
  return [
    {
      ...field,
      reason: `Constraint "${row.name}" is broken: no such row in ${row.other}`,
      violators: (source) => `select terrane_ctid from ${source} as staged
        where ${mine.map((column) => `${column} is not null`).join(' and ')}
        and not exists (select from ${row.other} as other where ${equal.join(' and ')})`,
    },
  ]
}
