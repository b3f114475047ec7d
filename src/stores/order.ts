import type { FeatureBatch } from '../geo/batch.ts'
import { columnValue } from '../geo/column.ts'
import { attributeIndex } from '../geo/schema.ts'
import type { Failure } from '../lib/errors.ts'
import { invalid } from '../lib/errors.ts'

/**
 * Rows are in the order of an attribute: numbers and times by their size, false before true, texts by the numbers of their
 * characters in Unicode. What is empty, or no number, counts as more than everything else.
 */
export interface SortKey {
  attribute: string
  isDescending: boolean
}

/** Where a row stands in an order. Plain data, which clients are given to come back with. */
export interface RowPosition {
  /** Of the attributes that are sorted by, in their order; null where one is empty. See `positionOf`. */
  values: (string | null)[]
  /** Of the feature, which decides among equals. */
  id: string
}

/** The order of a question, and where in it its rows begin. */
export interface OrderedRows {
  /** Before the order of the ids; absent: those alone. */
  sort?: readonly SortKey[]
  /**
   * Rows behind this one, or with `isBackward` those before it with the nearest first; instead of `offset`. Only of what
   * has given pages with `isKeyed`.
   */
  from?: { row: RowPosition; isBackward: boolean }
}

/** How values of rows are read. */
export interface ReadValues {
  /** Infinite dates and times come as such; absent: they are null, as features show them. */
  isExact?: boolean
}

/** What a store tells of its indexes of values. */
export interface ColumnIndexes {
  /** Attributes by whose values rows are found without a look at all of them; absent of a store without such indexes. */
  indexedColumns?(table: string): Promise<string[]>
}

/** Where a row of a batch stands. Numbers in digits that give them again exactly; days and microseconds since 1970 for dates and times. */
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

/** A position that is none of the rows: the table is another one by now. */
export function unknownPosition(cause?: unknown): Failure {
  return invalid(
    'invalid-position',
    'The position is none of these features: the layer is another one by now. Begin again without "position"',
    cause === undefined ? {} : { cause },
  )
}
