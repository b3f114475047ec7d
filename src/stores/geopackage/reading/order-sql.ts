import { type GeoPackageTable, quoteName } from '../../../formats/geopackage/index.ts'
import type { Attribute } from '../../../geo/schema.ts'
import type { OrderedRows, SortKey } from '../../order.ts'
import { unknownPosition } from '../../order.ts'
import type { OrderColumn, OrderedPart } from '../../ordered-sql.ts'
import { orderedParts } from '../../ordered-sql.ts'
import { parseFeatureId } from './conditions.ts'
import type { Bound } from './joined-conditions.ts'

const microsPerDay = 86_400_000_000n

/** Returns the parts in which rows of a table are read in the requested order. */
export function orderedRows(
  table: GeoPackageTable,
  rows: OrderedRows & { offset: number },
): OrderedPart<Bound>[] {
  const columns = (rows.sort ?? []).map((key) => orderColumn(table, key))
  const { idColumn } = table
  const id = idColumn === undefined ? undefined : idOf(idColumn)
  return orderedParts({ columns, id, rows })
}

function idOf(idColumn: string): Pick<OrderColumn<Bound>, 'value' | 'bound'> {
  return { value: quoteName(idColumn), bound: (value, bind) => bind(positionId(value)) }
}

/** Returns the id of a position. */
export function positionId(text: string): bigint {
  const id = parseFeatureId(text)
  if (id === undefined) throw unknownPosition()
  return id
}

function orderColumn({ schema }: GeoPackageTable, { attribute: name }: SortKey): OrderColumn<Bound> {
  const attribute = schema.attributes.find((one) => one.name === name)
  if (attribute === undefined) throw unknownPosition()
  const value = valueSql(attribute)
  return {
    value,
    bound: (written, bind) => boundSql(attribute, bind(boundValue(attribute, written))),
    order: (isDescending) => `${value} ${isDescending ? 'DESC NULLS FIRST' : 'ASC NULLS LAST'}`,
    isEmpty: `${value} IS NULL`,
    isFilled: `${value} IS NOT NULL`,
    isPlain: true,
    isAlwaysFilled: attribute.isNullable === false,
  }
}

/**
 * Converts cells like a reader: other programs may write a time in many ways, and a text in a numeric column.
 */
function valueSql({ name, type }: Attribute): string {
  const column = quoteName(name)
  switch (type) {
    case 'date':
      return `terrane_moment(${column}, 1)`
    case 'timestamp':
      return `terrane_moment(${column}, 0)`
    case 'float32':
      return `terrane_single(${column})`
    case 'decimal':
      return `CAST(${column} AS NUMERIC)`
    case 'text':
      return `${column} COLLATE BINARY`
    default:
      return column
  }
}

function boundValue({ type }: Attribute, value: string): Bound {
  try {
    switch (type) {
      case 'boolean':
        return value === 'true' ? 1n : 0n
      case 'int16':
      case 'int32':
      case 'int64':
      case 'timestamp':
        return BigInt(value)
      case 'date':
        return BigInt(value) * microsPerDay
      case 'float32':
      case 'float64':
        return Number(value)
      default:
        return value
    }
  } catch (error) {
    throw unknownPosition(error)
  }
}

function boundSql({ type }: Attribute, bound: string): string {
  return type === 'decimal' ? `CAST(${bound} AS NUMERIC)` : bound
}
