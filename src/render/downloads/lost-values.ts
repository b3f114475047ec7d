import type { Column } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import { isInfiniteDay, isInfiniteMicros } from '../../geo/infinite-times.ts'
import type { Attribute } from '../../geo/schema.ts'
import type { RowsFormat, SpecialValue } from './download-format.ts'

/** The column of a file. */
interface FilePlace {
  attribute: Attribute
  lacks: readonly SpecialValue[] | undefined
  as: RowsFormat | undefined
}

/**
 * Returns the column with null for NaN and infinite values that the file cannot store; each calls `onLost`.
 */
export function withoutLost(column: Column, rowCount: number, place: FilePlace, onLost: () => void): Column {
  const isLost = lossTest(column, place)
  if (isLost === undefined) return column
  let validity: Uint8Array | undefined
  let nullCount = column.nullCount
  for (let row = 0; row < rowCount; row += 1) {
    if (!isValid(column.validity, row) || !isLost(row)) continue
    validity ??= column.validity.slice()
    validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7))
    nullCount += 1
    onLost()
  }
  return validity === undefined ? column : { ...column, validity, nullCount }
}

/** Returns undefined if no value of the column can be lost. */
function lossTest(
  column: Column,
  { attribute, lacks = [], as }: FilePlace,
): ((row: number) => boolean) | undefined {
  if (lacks.length === 0 || attribute.type === 'text') return undefined
  const isLostNumber = (value: number): boolean =>
    !Number.isFinite(value) && lacks.includes(Number.isNaN(value) ? 'nan' : 'infinity')
  if (column.kind === 'fixed') {
    const { type, values } = column
    if (type === 'date')
      return lacks.includes('infinite-time') ? (row) => isInfiniteDay(values[row] as number) : undefined
    const isFloat = type === 'float32' || type === 'float64'
    return isFloat ? (row) => isLostNumber(values[row] as number) : undefined
  }
  if (column.kind === 'big') {
    const { type, values } = column
    const isTested = type === 'timestamp' && lacks.includes('infinite-time')
    return isTested ? (row) => isInfiniteMicros(values[row] as bigint) : undefined
  }
  if (column.type !== 'decimal') return undefined
  // Parquet stores decimals as text, and so does a GeoPackage if no numeric type fits every value.
  if (as === 'parquet' || (as === undefined && attribute.precision === undefined)) return undefined
  return (row) => isLostDecimal(String(columnValue(column, row)))
}

function isLostDecimal(digits: string): boolean {
  return digits === 'NaN' || digits === 'Infinity' || digits === '-Infinity'
}
