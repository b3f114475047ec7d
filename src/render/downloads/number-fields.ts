import { float32Text } from '../../core/values/number-text.ts'
import type { Column, FixedColumn } from '../../geo/column.ts'
import { isValid } from '../../geo/column.ts'

/** Width and decimals of a numeric field of dBASE. Plain data. */
interface NumberField {
  width: number
  decimals: number
}

/** Losses of a column's numbers in a dBASE table, and the field they need. Plain data. */
export interface NumberLosses {
  /** Absent if the default field of GDAL fits every value. */
  field?: NumberField
  /** Number of values written with fewer digits. */
  rounded: number
  /** Number of missing values, which have too many digits before the decimal point. */
  tooLarge: number
  /** Number of integers with more characters than programs read as integers. */
  wide: number
}

/** Maximum number of characters that programs read. */
const maxWidth = 31
/** Before the decimal point, including the sign. */
const maxBeforePoint = maxWidth - 2
const maxDecimals = 400
/** Default field of a floating-point number (GDAL's driver). */
const usual = { width: 24, decimals: 15 }
/** Maximum number of characters that GDAL reads as an integer (OGR_DBF_MAX_INT_WIDTH). */
const maxIntegerWidth = 18

/** Finds the field width for the numbers of one column; excludes numbers that fit no field. */
export class NumberFieldSurvey {
  #beforePoint = 1
  #tooLarge = 0
  #wide = 0
  /** Number of values by their number of decimals. */
  readonly #byDecimals = new Uint32Array(maxDecimals + 1)

  /** Returns the column with null for values that are too large. */
  add(column: Column, rowCount: number): Column {
    if (column.kind === 'big' && column.type === 'int64')
      this.#addIntegers(column.values, column.validity, rowCount)
    const isFloat = column.type === 'float32' || column.type === 'float64'
    return column.kind === 'fixed' && isFloat ? this.#addFloats(column, rowCount) : column
  }

  finish(): NumberLosses {
    const needed = this.#byDecimals.findLastIndex((count) => count > 0)
    const isUsual = this.#beforePoint + 1 + usual.decimals <= usual.width && needed <= usual.decimals
    const most = maxWidth - this.#beforePoint - 1
    // Rounding may add a digit before the decimal point.
    const decimals = needed <= most ? Math.max(1, needed) : Math.max(1, most - 1)
    const rounded = this.#byDecimals.subarray(decimals + 1).reduce((sum, count) => sum + count, 0)
    const width = Math.max(usual.width, this.#beforePoint + 1 + decimals + (needed <= most ? 0 : 1))
    const counts = { rounded: isUsual ? 0 : rounded, tooLarge: this.#tooLarge, wide: this.#wide }
    return isUsual ? counts : { ...counts, field: { width, decimals } }
  }

  #addIntegers(values: BigInt64Array, validity: Uint8Array, rowCount: number): void {
    for (let row = 0; row < rowCount; row += 1) {
      if (isValid(validity, row) && String(values[row]).length > maxIntegerWidth) this.#wide += 1
    }
  }

  #addFloats(column: FixedColumn, rowCount: number): Column {
    const { values, type } = column
    let { validity, nullCount } = column
    for (let row = 0; row < rowCount; row += 1) {
      if (!isValid(column.validity, row)) continue
      const value = values[row] as number
      if (this.#takes(type === 'float32' ? float32Text(value) : String(value))) continue
      if (validity === column.validity) validity = validity.slice()
      validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7))
      nullCount += 1
      this.#tooLarge += 1
    }
    return { ...column, validity, nullCount }
  }

  /** Returns false for a number that is too large; its text is the shortest one. */
  #takes(text: string): boolean {
    const exponentAt = text.indexOf('e')
    const mantissa = exponentAt < 0 ? text : text.slice(0, exponentAt)
    const exponent = exponentAt < 0 ? 0 : Number(text.slice(exponentAt + 1))
    const pointAt = mantissa.indexOf('.')
    const sign = mantissa.startsWith('-') ? 1 : 0
    const digitsBefore = (pointAt < 0 ? mantissa.length : pointAt) - sign
    const digitsBehind = pointAt < 0 ? 0 : mantissa.length - pointAt - 1
    const beforePoint = Math.max(1, digitsBefore + exponent) + sign
    if (beforePoint > maxBeforePoint) return false
    if (beforePoint > this.#beforePoint) this.#beforePoint = beforePoint
    const decimals = Math.min(maxDecimals, Math.max(0, digitsBehind - exponent))
    this.#byDecimals[decimals] = (this.#byDecimals[decimals] as number) + 1
    return true
  }
}
