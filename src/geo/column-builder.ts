import type { BigColumn, Column, FixedColumn, VarColumn } from './column.ts'
import { columnKind } from './column.ts'
import type { AttributeType } from './schema.ts'

const encoder = new TextEncoder()

/**
 * Builds one column row by row. Each builder holds at most `capacity` rows; a row is complete when every
 * builder has the same `length`. `truncate` removes the values of an abandoned row.
 */
abstract class Builder {
  length = 0
  protected nullCount = 0
  protected readonly validity: Uint8Array

  constructor(capacity: number) {
    this.validity = new Uint8Array((capacity + 7) >> 3)
  }

  protected markValid(): void {
    const row = this.length
    this.validity[row >> 3] = (this.validity[row >> 3] as number) | (1 << (row & 7))
    this.length = row + 1
  }

  /** Appends a null. */
  appendNull(): void {
    this.nullCount += 1
    this.length += 1
  }

  /** Appends nulls up to a length of `rows`. */
  padTo(rows: number): void {
    while (this.length < rows) this.appendNull()
  }

  /** Removes all rows from index `rows` on. */
  truncate(rows: number): void {
    for (let row = rows; row < this.length; row += 1) {
      const byte = this.validity[row >> 3] as number
      if (((byte >> (row & 7)) & 1) === 0) this.nullCount -= 1
      this.validity[row >> 3] = byte & ~(1 << (row & 7))
    }
    if (rows < this.length) this.length = rows
  }

  abstract finish(): Column
}

const fixedArrays = {
  boolean: Uint8Array,
  int16: Int16Array,
  int32: Int32Array,
  date: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const

/** Numbers, booleans (0 or 1) and dates (days since 1970-01-01). */
export class FixedBuilder extends Builder {
  readonly kind = 'fixed'
  readonly type: FixedColumn['type']
  readonly values: FixedColumn['values']

  constructor(type: FixedColumn['type'], capacity: number) {
    super(capacity)
    this.type = type
    this.values = new fixedArrays[type](capacity)
  }

  append(value: number): void {
    this.values[this.length] = value
    this.markValid()
  }

  finish(): FixedColumn {
    const { type, validity, nullCount } = this
    return { kind: 'fixed', type, values: this.values.subarray(0, this.length), validity, nullCount }
  }
}

/** 64-bit integers and microseconds. */
export class BigBuilder extends Builder {
  readonly kind = 'big'
  readonly type: BigColumn['type']
  readonly values: BigInt64Array
  readonly #words: Int32Array

  constructor(type: BigColumn['type'], capacity: number) {
    super(capacity)
    this.type = type
    this.values = new BigInt64Array(capacity)
    this.#words = new Int32Array(this.values.buffer)
  }

  append(value: bigint): void {
    this.values[this.length] = value
    this.markValid()
  }

  /** Appends a safe integer without creating a bigint. */
  appendNumber(value: number): void {
    const high = Math.floor(value / 4294967296)
    this.#words[this.length * 2] = (value - high * 4294967296) | 0
    this.#words[this.length * 2 + 1] = high
    this.markValid()
  }

  /** Appends an integer, passed as a number or a bigint. */
  appendExact(value: number | bigint): void {
    if (typeof value === 'number') this.appendNumber(value)
    else this.append(value)
  }

  finish(): BigColumn {
    const { type, validity, nullCount } = this
    return { kind: 'big', type, values: this.values.subarray(0, this.length), validity, nullCount }
  }
}

/** Text and decimals (UTF-8), and binary. The bytes grow as needed. */
export class VarBuilder extends Builder {
  readonly kind = 'var'
  readonly type: VarColumn['type']
  readonly #offsets: Uint32Array
  #bytes: Uint8Array
  #used = 0

  constructor(type: VarColumn['type'], capacity: number, bytesPerRow = 16) {
    super(capacity)
    this.type = type
    this.#offsets = new Uint32Array(capacity + 1)
    this.#bytes = new Uint8Array(capacity * bytesPerRow)
  }

  /** Number of bytes written. */
  get byteLength(): number {
    return this.#used
  }

  /** Reserves space for `count` more bytes and returns the array to write into, from `byteLength` on. */
  reserve(count: number): Uint8Array {
    if (this.#used + count > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#used + count))
      grown.set(this.#bytes.subarray(0, this.#used))
      this.#bytes = grown
    }
    return this.#bytes
  }

  /** Ends a value of `count` bytes that the caller wrote into the reserved space. */
  commit(count: number): void {
    this.#used += count
    this.#offsets[this.length + 1] = this.#used
    this.markValid()
  }

  /** Appends `source[start, end)` unchanged; for text it must be valid UTF-8. */
  appendBytes(source: Uint8Array, start = 0, end = source.length): void {
    const count = end - start
    const bytes = this.reserve(count)
    if (count < 24) {
      for (let i = 0, at = this.#used; i < count; i += 1) bytes[at + i] = source[start + i] as number
    } else {
      bytes.set(source.subarray(start, end), this.#used)
    }
    this.commit(count)
  }

  appendString(value: string): void {
    const bytes = this.reserve(value.length * 3)
    this.commit(encoder.encodeInto(value, bytes.subarray(this.#used)).written)
  }

  override appendNull(): void {
    this.#offsets[this.length + 1] = this.#used
    super.appendNull()
  }

  override truncate(rows: number): void {
    super.truncate(rows)
    this.#used = this.#offsets[this.length] as number
  }

  finish(): VarColumn {
    const { type, validity, nullCount } = this
    const offsets = this.#offsets.subarray(0, this.length + 1)
    return { kind: 'var', type, offsets, bytes: this.#bytes.subarray(0, this.#used), validity, nullCount }
  }
}

/** Builder of one column. */
export type ColumnBuilder = FixedBuilder | BigBuilder | VarBuilder

/** Creates a builder for at most `capacity` values of `type`. */
export function createColumnBuilder(type: AttributeType, capacity: number): ColumnBuilder {
  const kind = columnKind(type)
  if (kind === 'big') return new BigBuilder(type as BigColumn['type'], capacity)
  if (kind === 'var') return new VarBuilder(type as VarColumn['type'], capacity)
  return new FixedBuilder(type as FixedColumn['type'], capacity)
}
