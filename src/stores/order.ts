import type { Failure } from '../core/errors/errors.ts'
import { invalid } from '../core/errors/errors.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import { columnValue } from '../geo/column.ts'
import { attributeIndex } from '../geo/schema.ts'

/**
 * Sorts rows by an attribute: numbers and times by value, false before true, texts by code points. Nulls and
 * non-numbers come last.
 */
export interface SortKey {
  attribute: string
  isDescending: boolean
}

/** Position of a row in a sort order. Plain data that clients send back to continue. */
export interface RowPosition {
  /** Values of the sort attributes in their order; null for nulls. See `positionOf`. */
  values: (string | null)[]
  /** Feature id, which orders rows with equal values. */
  id: string
}

/** Order of a query, and its start position. */
export interface OrderedRows {
  /** Precedes the order of the ids; absent: only the ids. */
  sort?: readonly SortKey[]
  /**
   * Starts after this row, or with `isBackward` returns rows before it, nearest first; alternative to
   * `offset`. Only for rows from pages with `isKeyed`.
   */
  from?: { row: RowPosition; isBackward: boolean }
}

/** Functions that read the values of rows. */
export interface ReadValues {
  /** True to return infinite dates and times; otherwise they are null, as in features. */
  isExact?: boolean
}

/** Information about attribute indexes of a store. */
export interface ColumnIndexes {
  /**
   * Returns attributes that can be searched without scanning all rows; absent for a store without such
   * indexes.
   */
  indexedColumns?(table: string): Promise<string[]>
}

/**
 * Returns the position of a row of a batch. Numbers have enough digits to be restored exactly; dates and
 * times are days and microseconds since 1970.
 */
export function positionOf(
  batch: FeatureBatch,
  row: number,
  id: string,
  sort: readonly SortKey[] = [],
): RowPosition {
  const values = sort.map(({ attribute }) => {
    const column = batch.columns[attributeIndex(batch.schema, attribute)]
    const value = column === undefined ? null : columnValue(column, row)
    const isNoNumber = Number.isNaN(value) || (column?.type === 'decimal' && value === 'NaN')
    return value === null || isNoNumber ? null : String(value)
  })
  return { values, id }
}

/** The error for a position that does not refer to a row: the table has changed. */
export function unknownPosition(cause?: unknown): Failure {
  return invalid(
    'invalid-position',
    'The position is none of these features: the layer is another one by now. Begin again without "position"',
    cause === undefined ? {} : { cause },
  )
}
