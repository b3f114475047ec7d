import { isUtf8 } from 'node:buffer'
import type { Column, VarColumn } from '../../geo/column.ts'
import { areInfiniteHalves, isInfiniteDay } from '../../geo/infinite-times.ts'
import type { Attribute, AttributeType } from '../../geo/schema.ts'
import { expandDecimal } from '../convert-column.ts'
import type { LostKind } from '../lost-values.ts'
import type { CopyBuffer } from './copy-buffer.ts'
import type { DecimalOffsets } from './numeric-encoder.ts'
import {
  findDecimalParts,
  fitsNumeric,
  numericBytes,
  specialNumericBytes,
  writeNumeric,
  writeSpecialNumeric,
} from './numeric-encoder.ts'

const microsecondsTo2000 = 946_684_800_000_000
const daysTo2000 = 10_957
const word = 4_294_967_296
/** Limits of date, timestamp and time in PostgreSQL, counted from 2000-01-01 (src/include/datatype/timestamp.h). */
const minDate = -2_451_545
const endDate = 2_145_031_949
const minTimestamp = -211_813_488_000_000_000
const endTimestamp = 9_223_371_331_200_000_000
const maxTime = 86_400_000_000
const shiftHigh = Math.floor(microsecondsTo2000 / word)
const shiftLow = microsecondsTo2000 - shiftHigh * word
const minHigh = Math.floor(minTimestamp / word)
const minLow = minTimestamp - minHigh * word
const endHigh = Math.floor(endTimestamp / word)
const endLow = endTimestamp - endHigh * word

/** Maximum size of a fixed-width field including its length, in bytes. */
export const fixedFieldBytes = 12

/**
 * Writes one column of a COPY, value by value: a length and the value in PostgreSQL's binary format. One
 * class per type, so that each processes arrays of a single kind.
 */
export abstract class CopyField {
  readonly target: Attribute
  /** Kind of the last value that was written as null because the column cannot store it. */
  lost: LostKind | undefined
  protected validity: Uint8Array = new Uint8Array(0)

  constructor(target: Attribute) {
    this.target = target
  }

  /** Sets the column of the next batch. */
  abstract bind(column: Column): void

  /**
   * Writes the value of a row and leaves `slack` bytes reserved after it; `fixedFieldBytes` are already
   * reserved. Returns a reason, without writing, if PostgreSQL would reject the value, otherwise ''.
   */
  abstract write(out: CopyBuffer, row: number, slack: number): string

  protected isNull(row: number): boolean {
    return (((this.validity[row >> 3] as number) >> (row & 7)) & 1) === 0
  }

  protected writeNull(out: CopyBuffer): string {
    if (this.target.isNullable === false) return 'The column does not take null'
    out.putNull()
    return ''
  }
}

/** Returns the values of a fixed-width column as the typed array of its type. */
function valuesOf<Values>(column: Column, kind: new () => Values): Values {
  if (column.kind === 'fixed' && column.values instanceof kind) return column.values
  throw new Error(`A column of type ${column.type} came where another was announced`)
}

class BooleanField extends CopyField {
  #values: Uint8Array = new Uint8Array(0)

  bind(column: Column): void {
    this.validity = column.validity
    this.#values = valuesOf(column, Uint8Array)
  }

  write(out: CopyBuffer, row: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    out.view.setInt32(out.at, 1)
    out.view.setInt8(out.at + 4, this.#values[row] === 0 ? 0 : 1)
    out.at += 5
    return ''
  }
}

class Int16Field extends CopyField {
  #values: Int16Array = new Int16Array(0)

  bind(column: Column): void {
    this.validity = column.validity
    this.#values = valuesOf(column, Int16Array)
  }

  write(out: CopyBuffer, row: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    out.view.setInt32(out.at, 2)
    out.view.setInt16(out.at + 4, this.#values[row] as number)
    out.at += 6
    return ''
  }
}

class Int32Field extends CopyField {
  #values: Int32Array = new Int32Array(0)

  bind(column: Column): void {
    this.validity = column.validity
    this.#values = valuesOf(column, Int32Array)
  }

  write(out: CopyBuffer, row: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    out.view.setInt32(out.at, 4)
    out.view.setInt32(out.at + 4, this.#values[row] as number)
    out.at += 8
    return ''
  }
}

class DateField extends CopyField {
  #values: Int32Array = new Int32Array(0)

  bind(column: Column): void {
    this.validity = column.validity
    this.#values = valuesOf(column, Int32Array)
  }

  write(out: CopyBuffer, row: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    const value = this.#values[row] as number
    // The ends of the range mean infinity in PostgreSQL too.
    const days = isInfiniteDay(value) ? value : value - daysTo2000
    if (days !== value && (days < minDate || days >= endDate))
      return 'The date is outside 4713 BC to 5874897 AD'
    out.view.setInt32(out.at, 4)
    out.view.setInt32(out.at + 4, days)
    out.at += 8
    return ''
  }
}

class Float32Field extends CopyField {
  #values: Float32Array = new Float32Array(0)

  bind(column: Column): void {
    this.validity = column.validity
    this.#values = valuesOf(column, Float32Array)
  }

  write(out: CopyBuffer, row: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    out.view.setInt32(out.at, 4)
    out.view.setFloat32(out.at + 4, this.#values[row] as number)
    out.at += 8
    return ''
  }
}

class Float64Field extends CopyField {
  #values: Float64Array = new Float64Array(0)

  bind(column: Column): void {
    this.validity = column.validity
    this.#values = valuesOf(column, Float64Array)
  }

  write(out: CopyBuffer, row: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    out.view.setInt32(out.at, 8)
    out.view.setFloat64(out.at + 4, this.#values[row] as number)
    out.at += 12
    return ''
  }
}

/** 64-bit values as 32-bit halves, low half first. */
abstract class BigField extends CopyField {
  protected words: Int32Array = new Int32Array(0)

  bind(column: Column): void {
    if (column.kind !== 'big')
      throw new Error(`A column of type ${column.type} came where 64 bits were announced`)
    this.validity = column.validity
    this.words = new Int32Array(column.values.buffer, column.values.byteOffset, column.values.length * 2)
  }
}

class Int64Field extends BigField {
  write(out: CopyBuffer, row: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    out.putInt64(this.words[row * 2 + 1] as number, this.words[row * 2] as number)
    return ''
  }
}

class TimeField extends BigField {
  write(out: CopyBuffer, row: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    const low = (this.words[row * 2] as number) >>> 0
    const high = this.words[row * 2 + 1] as number
    const micros = high * word + low
    if (micros < 0 || micros > maxTime) return 'The time is outside 00:00 to 24:00'
    out.putInt64(high, low)
    return ''
  }
}

const timestampProblem = 'The time is outside 4713 BC to 294276 AD'

class TimestampField extends BigField {
  write(out: CopyBuffer, row: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    const low = (this.words[row * 2] as number) >>> 0
    const high = this.words[row * 2 + 1] as number
    if (areInfiniteHalves(high, low)) {
      out.putInt64(high, low)
      return ''
    }
    const rough = high * word + low - microsecondsTo2000
    if (rough < minTimestamp || rough > endTimestamp) return timestampProblem
    const upper = high - shiftHigh - (low < shiftLow ? 1 : 0)
    const lower = (low - shiftLow) >>> 0
    // `upper` and `lower` are exact; the double above is exact only to 32 microseconds.
    if (upper < minHigh || (upper === minHigh && lower < minLow)) return timestampProblem
    if (upper > endHigh || (upper === endHigh && lower >= endLow)) return timestampProblem
    out.putInt64(upper, lower)
    return ''
  }
}

abstract class VarField extends CopyField {
  protected bytes: Uint8Array = new Uint8Array(0)
  protected offsets: Uint32Array = new Uint32Array(1)

  bind(column: Column): void {
    if (column.kind !== 'var')
      throw new Error(`A column of type ${column.type} came where bytes were announced`)
    this.validity = column.validity
    this.bytes = column.bytes
    this.offsets = column.offsets
    this.inspect(column)
  }

  protected inspect(_column: VarColumn): void {}
}

class BytesField extends VarField {
  write(out: CopyBuffer, row: number, slack: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    const start = this.offsets[row] as number
    const end = this.offsets[row + 1] as number
    out.reserve(end - start + slack)
    out.view.setInt32(out.at, end - start)
    out.at += 4
    out.putBytes(this.bytes, start, end)
    return ''
  }
}

class TextField extends VarField {
  /** True if a value may contain a zero byte or invalid UTF-8: each value is then checked. */
  #isSuspect = false

  protected override inspect(column: VarColumn): void {
    this.#isSuspect = column.bytes.includes(0) || !isUtf8(column.bytes)
  }

  write(out: CopyBuffer, row: number, slack: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    const start = this.offsets[row] as number
    const end = this.offsets[row + 1] as number
    const { maxLength } = this.target
    if (this.#isSuspect || (maxLength !== undefined && end - start > maxLength)) {
      const problem = textProblem(this.bytes.subarray(start, end), maxLength)
      if (problem !== '') return problem
    }
    out.reserve(end - start + slack)
    out.view.setInt32(out.at, end - start)
    out.at += 4
    out.putBytes(this.bytes, start, end)
    return ''
  }
}

function textProblem(text: Uint8Array, maxLength = Number.POSITIVE_INFINITY): string {
  if (text.includes(0)) return 'PostgreSQL does not take text with a zero byte'
  if (!isUtf8(text)) return 'The text is not UTF-8'
  let characters = 0
  for (const byte of text) if ((byte & 0xc0) !== 0x80) characters += 1
  return characters > maxLength ? `The text has ${characters} characters, ${maxLength} at most` : ''
}

class DecimalField extends VarField {
  readonly #hasInfinity: boolean
  readonly #parts: DecimalOffsets = {
    isNegative: false,
    integerStart: 0,
    integerEnd: 0,
    fractionStart: 0,
    end: 0,
  }

  constructor(target: Attribute, { hasInfiniteNumerics }: ServerValues) {
    super(target)
    this.#hasInfinity = hasInfiniteNumerics
  }

  write(out: CopyBuffer, row: number, slack: number): string {
    if (this.isNull(row)) return this.writeNull(out)
    const start = this.offsets[row] as number
    const end = this.offsets[row + 1] as number
    if (findDecimalParts(this.bytes, start, end, this.#parts)) return this.#put(out, this.bytes, slack)
    const text = Buffer.from(this.bytes.subarray(start, end)).toString('latin1')
    if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return this.#putSpecial(out, text)
    const digits = Buffer.from(expandDecimal(text) ?? '')
    if (findDecimalParts(digits, 0, digits.length, this.#parts)) return this.#put(out, digits, slack)
    return 'The value is not a decimal number'
  }

  /** A column with a precision accepts NaN but no infinite values. */
  #putSpecial(out: CopyBuffer, text: 'NaN' | 'Infinity' | '-Infinity'): string {
    if (text !== 'NaN' && (this.target.precision !== undefined || !this.#hasInfinity)) {
      this.lost = 'infinity'
      return this.writeNull(out)
    }
    out.view.setInt32(out.at, specialNumericBytes)
    writeSpecialNumeric(text, out.bytes, out.at + 4)
    out.at += 4 + specialNumericBytes
    return ''
  }

  #put(out: CopyBuffer, source: Uint8Array, slack: number): string {
    const { precision, scale = 0 } = this.target
    if (precision !== undefined && !fitsNumeric(source, this.#parts, precision, scale)) {
      return `The number does not fit ${precision} digits with ${scale} after the point`
    }
    out.reserve(4 + numericBytes(this.#parts.end - this.#parts.integerStart) + slack)
    const size = writeNumeric(source, this.#parts, out.bytes, out.at + 4)
    out.view.setInt32(out.at, size)
    out.at += 4 + size
    return ''
  }
}

/** Value ranges of a server version. */
export interface ServerValues {
  /** True if `numeric` supports infinite values: since PostgreSQL 14. */
  hasInfiniteNumerics: boolean
}

const fieldByType: Record<AttributeType, new (target: Attribute, values: ServerValues) => CopyField> = {
  boolean: BooleanField,
  int16: Int16Field,
  int32: Int32Field,
  int64: Int64Field,
  float32: Float32Field,
  float64: Float64Field,
  decimal: DecimalField,
  text: TextField,
  date: DateField,
  time: TimeField,
  timestamp: TimestampField,
  binary: BytesField,
}

export function createCopyField(target: Attribute, values: ServerValues): CopyField {
  return new fieldByType[target.type](target, values)
}
