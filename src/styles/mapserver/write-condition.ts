import type { Expression, FilterComparison } from '../../filters/expression.ts'
import type { ConditionOf, StyleComparison } from '../condition.ts'
import { getCondition } from '../condition.ts'
import { conditionNumber } from '../feature-filter.ts'
import type { Losses } from '../losses.ts'
import type { Literal } from '../model.ts'
import type { DrawnColumn, SqlDialect } from './sql-dialect.ts'

/** Table of the conditions. */
export interface ConditionTable {
  dialect: SqlDialect
  /** By the names of attributes in styles. */
  columns: ReadonlyMap<string, DrawnColumn>
  /** The column of the geometry. */
  geometry: string
}

const [yes, no] = ['1 = 1', '1 = 0']

/** Writes a condition as SQL with the result of `meetsCondition`: true or false, never null. */
export function conditionSql(expression: Expression, table: ConditionTable, losses: Losses): string {
  const condition = getCondition(expression)
  const each = (one: Expression): string => conditionSql(one, table, losses)
  switch (condition.op) {
    case 'all':
      return joined(condition.conditions.map(each), ' AND ', yes)
    case 'any':
      return joined(condition.conditions.map(each), ' OR ', no)
    case 'not':
      return `NOT ${each(condition.condition)}`
    case 'null': {
      const found = table.columns.get(condition.property)
      return found === undefined ? `(${yes})` : `(${table.dialect.name(found.column)} IS NULL)`
    }
    case 'dimension':
      return settled(table.dialect.isDimension(table.dialect.name(table.geometry), condition.value))
    case 'like':
      return likeSql(condition, table)
    case 'ids':
      losses.add('filters by the ids of features')
      return `(${no})`
    case 'box':
      losses.add('filters by a box')
      return `(${yes})`
    default:
      return comparisonSql(condition, table)
  }
}

/**
 * SQLite nests `a OR b OR c` once for each part, and accepts 1,000 levels. Longer lists are split in halves.
 */
const maxInARow = 100

function joined(parts: string[], by: string, empty: string): string {
  if (parts.length === 0) return `(${empty})`
  if (parts.length <= maxInARow) return `(${parts.join(by)})`
  const half = Math.ceil(parts.length / 2)
  return `(${joined(parts.slice(0, half), by, empty)}${by}${joined(parts.slice(half), by, empty)})`
}

/** Makes null false. */
function settled(sql: string): string {
  return `(CASE WHEN ${sql} THEN 1 ELSE 0 END = 1)`
}

function likeSql(
  { property, pattern, ignoresCase }: ConditionOf<'like'>,
  { columns, dialect }: ConditionTable,
): string {
  const found = columns.get(property)
  if (found === undefined) return `(${no})`
  const text = textSql(found, dialect)
  return ignoresCase
    ? settled(dialect.like(`lower(${text})`, pattern.toLowerCase()))
    : settled(dialect.like(text, pattern))
}

function comparisonSql({ op, property, value, ignoresCase }: StyleComparison, table: ConditionTable): string {
  const left = table.columns.get(property)
  if (left === undefined) return `(${no})`
  const right = typeof value === 'object' ? table.columns.get(value.property) : value
  if (right === undefined) return `(${no})`
  return typeof right === 'object'
    ? columnsSql(op, left, right, table.dialect)
    : literalSql(op, left, { value: right, ignoresCase: ignoresCase }, table.dialect)
}

function columnsSql(
  op: FilterComparison,
  left: DrawnColumn,
  right: DrawnColumn,
  dialect: SqlDialect,
): string {
  const isByNumber = left.kind === 'number' || right.kind === 'number'
  const sides = [left, right].map((one) =>
    isByNumber ? numberSql(one, dialect) : dialect.byCharacters(textSql(one, dialect)),
  )
  const compared = sides.join(` ${op} `)
  const bothThere = `${dialect.name(left.column)} IS NOT NULL AND ${dialect.name(right.column)} IS NOT NULL`
  return isByNumber && op === '<>'
    ? settled(`${bothThere} AND coalesce(${compared}, ${yes})`)
    : settled(compared)
}

function literalSql(
  op: FilterComparison,
  left: DrawnColumn,
  { value, ignoresCase }: { value: Literal; ignoresCase: boolean },
  dialect: SqlDialect,
): string {
  const name = dialect.name(left.column)
  if (left.kind === 'number' || typeof value === 'number') {
    const number = conditionNumber(value)
    const isOther = op === '<>' ? settled(`${name} IS NOT NULL`) : `(${no})`
    if (Number.isNaN(number)) return isOther
    const compared = `${numberSql(left, dialect)} ${op} ${String(number)}`
    return op === '<>' ? settled(`${name} IS NOT NULL AND coalesce(${compared}, ${yes})`) : settled(compared)
  }
  const text = textSql(left, dialect)
  const [one, other] = ignoresCase ? [`lower(${text})`, String(value).toLowerCase()] : [text, String(value)]
  return settled(`${dialect.byCharacters(one)} ${op} ${dialect.text(other)}`)
}

function numberSql({ column, kind }: DrawnColumn, dialect: SqlDialect): string {
  if (kind === 'number') return dialect.name(column)
  return kind === 'text' ? dialect.numberOfText(dialect.name(column)) : 'NULL'
}

/** Returns a value as text, as in JSON. */
export function textSql({ column, kind }: DrawnColumn, dialect: SqlDialect): string {
  if (kind === 'text') return dialect.name(column)
  return kind === 'boolean'
    ? dialect.textOfBoolean(dialect.name(column))
    : dialect.textOf(dialect.name(column))
}
