import { quoteIdentifier } from '../../core/postgres/quote.ts'
import { timeText } from '../../geo/time-text.ts'
import type { OrderedRows, SortKey } from '../order.ts'
import { unknownPosition } from '../order.ts'
import type { Bind, OrderColumn, OrderedPart } from '../ordered-sql.ts'
import { orderedParts } from '../ordered-sql.ts'
import { canBeFeatureId, identitySql } from './read-conditions.ts'
import type { ColumnFacts, TableFacts } from './table-facts.ts'

const microsPerSecond = 1_000_000n
const microsPerDay = 86_400n * microsPerSecond

/** Returns the parts in which rows of a table, under the alias `feature`, are read in the requested order. */
export function orderedRows(
  facts: TableFacts,
  rows: OrderedRows & { offset: number },
): OrderedPart<unknown>[] {
  const columns = (rows.sort ?? []).map((key) => orderColumn(facts, key))
  const identity = identitySql(facts)
  if (rows.from !== undefined && (identity === undefined || !canBeFeatureId(facts, rows.from.row.id)))
    throw unknownPosition()
  const keyType = facts.columns.find(({ name }) => name === facts.primaryKey)?.sqlType ?? 'tid'
  // Qualified, since an unqualified name would refer to the text in the select list.
  const bound = (value: string, bind: Bind<unknown>): string => `${bind(value)}::${keyType}`
  const id = identity === undefined ? undefined : { value: `feature.${identity}`, bound }
  return orderedParts({ columns, id, rows })
}

function orderColumn(facts: TableFacts, { attribute }: SortKey): OrderColumn<unknown> {
  const column = facts.columns.find(({ name }) => name === attribute)
  if (column === undefined) throw unknownPosition()
  const value = valueSql(column)
  const empty = emptyBeside(column)
  const isPlain = empty === undefined
  const shown = empty?.shown(value) ?? value
  return {
    value,
    bound: (written, bind) => boundSql(column, written, bind),
    order: (isDescending) => `${shown}${isDescending ? ' desc' : ''}`,
    isEmpty: `(${value} is null${isPlain ? '' : ` or ${empty.isMeant(value)}`})`,
    isFilled: empty?.isFilled(value) ?? `${value} is not null`,
    isPlain,
    isAlwaysFilled: isPlain && column.isNotNull,
  }
}

function valueSql({ name, sqlType, attribute }: ColumnFacts): string {
  const column = `feature.${quoteIdentifier(name)}`
  if (attribute !== undefined && attribute.type !== 'text') return column
  const isText = attribute !== undefined && !sqlType.startsWith('character(')
  return isText ? `${column} collate "C"` : `(${column}::text) collate "C"`
}

/** Values that are shown as empty in addition to null. */
interface EmptyBeside {
  isMeant(value: string): string
  isFilled(value: string): string
  shown(value: string): string
}

function emptyBeside({ attribute, sqlType }: ColumnFacts): EmptyBeside | undefined {
  const type = attribute?.type
  if (type === 'float32' || type === 'float64' || type === 'decimal') {
    const none = `'NaN'::${sqlType}`
    return {
      isMeant: (value) => `${value} = ${none}`,
      isFilled: (value) => `${value} < ${none}`,
      shown: (value) => `nullif(${value}, ${none})`,
    }
  }
  if (type !== 'date' && type !== 'timestamp') return undefined
  return {
    isMeant: (value) => `not isfinite(${value})`,
    isFilled: (value) => `isfinite(${value})`,
    shown: (value) => `case when isfinite(${value}) then ${value} end`,
  }
}

/** Returns a position value in the type of the column, so that its indexes can be used. */
function boundSql({ attribute, sqlType }: ColumnFacts, value: string, bind: Bind<unknown>): string {
  const type = attribute?.type ?? 'text'
  if (type === 'text') return `${bind(value)}::text`
  if (type === 'date') return `(date '1970-01-01' + ${bind(value)}::int)`
  if (type === 'time') return `${bind(timeText(BigInt(value)))}::time`
  if (type !== 'timestamp') return `${bind(value)}::${sqlType}`
  const micros = BigInt(value)
  const rest = ((micros % microsPerDay) + microsPerDay) % microsPerDay
  const [days, seconds] = [(micros - rest) / microsPerDay, Number(rest) / Number(microsPerSecond)]
  const moment = `(timestamp '1970-01-01' + make_interval(days => ${bind(String(days))}::int, secs => ${bind(seconds)}::float8))`
  return sqlType.startsWith('timestamp') && sqlType.includes('without')
    ? moment
    : `(${moment} at time zone 'UTC')`
}
