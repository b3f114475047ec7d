import type { FeatureBatch } from '../geo/batch.ts'
import type { BigColumn, Column } from '../geo/column.ts'
import { isValid } from '../geo/column.ts'
import type { AttributeType, Schema } from '../geo/schema.ts'
import { dateText, timestampText, timeText } from '../geo/time-text.ts'
import type { ProtobufWriter } from './protobuf.ts'
import type { NearRow, NearRows } from './rows/row-chunk.ts'
import { cellHeadBytes, tooLong } from './rows/row-chunk.ts'
import type { ValueTable } from './value-table.ts'

/** Upper half of 2^53. */
const maxHigh = 2 ** 21
const notYet = 0xffffffff
/** Maximum size of all texts of one row: a text that would exceed it is omitted. */
export const maxTextBytes = 1 << 20

/** Keys for non-numeric feature ids: `id`, preceded by `_` if an attribute has that name. */
function freeIdName({ attributes }: Schema): string {
  let name = 'id'
  while (attributes.some((attribute) => attribute.name === name)) name = `_${name}`
  return name
}

/** Shown columns of a row file, by their numbers in the file. */
export interface ShownCells {
  /** Schema of the shown columns. */
  schema: Schema
  /** Index of a column in the schema; -1 if it is not shown. */
  numberOf: Int16Array
  /** 1 for columns with size-limited texts. */
  areTexts: Uint8Array
}

/** Returns the number of bytes before the text in a message of this length. */
function headOfText(length: number): number {
  const lengthBytes = length < 130 ? 1 : length < 16_387 ? 2 : 3
  return 1 + lengthBytes
}

/** True for types whose total size per feature is limited. */
export function isText(type: AttributeType): boolean {
  return type === 'text' || type === 'decimal'
}

/** Keys and values of a layer, and the tags of its features. */
export class AttributeTable {
  readonly values: ValueTable
  /** Names in order of first use. */
  readonly keys: string[] = []
  readonly #idName: string
  #idKey = notYet
  /** Values of days, which repeat often. */
  readonly #days = new Map<number, number>()
  #daysGeneration = 0
  readonly #keyOf = new Map<string, number>()
  /** Keys by column of the batches, which all have the same schema. */
  #columnKeys = new Uint32Array(0)
  #columnsOf: Schema | undefined
  /** For 64-bit columns: rows of several pages may alternate. */
  readonly #halves = new Map<BigInt64Array, Int32Array>()

  /** `values` must be empty. */
  constructor(schema: Schema, values: ValueTable) {
    this.values = values
    this.#idName = freeIdName(schema)
  }

  /**
   * Writes the tags of a row; omits nulls and values that tiles do not support. Returns the number of texts
   * that are too long.
   */
  write(batch: FeatureBatch, row: number, tags: ProtobufWriter): number {
    if (this.#columnsOf !== batch.schema) this.#begin(batch.schema)
    const { columns } = batch
    let [textBytes, tooLong] = [0, 0]
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index] as Column
      if (!isValid(column.validity, row)) continue
      if (column.kind === 'var' && column.type !== 'binary') {
        const length = (column.offsets[row + 1] as number) - (column.offsets[row] as number)
        if (textBytes + length > maxTextBytes) {
          tooLong += 1
          continue
        }
        textBytes += length
      }
      const value = this.value(column, row)
      if (value < 0) continue
      let key = this.#columnKeys[index] as number
      if (key === notYet) {
        key = this.#key(batch.schema.attributes[index]?.name ?? '')
        this.#columnKeys[index] = key
      }
      tags.varint(key)
      tags.varint(value)
    }
    return tooLong
  }

  /**
   * Writes the tags of a row from a row file, which contains values as messages. `shown.numberOf` maps its
   * columns to those of `shown.schema`, -1 for columns that are not shown.
   */
  writeNear(
    { memory: { bytes, view } }: NearRows,
    row: NearRow,
    shown: ShownCells,
    tags: ProtobufWriter,
  ): number {
    const { schema, numberOf, areTexts } = shown
    if (this.#columnsOf !== schema) this.#begin(schema)
    let [textBytes, longTexts] = [0, 0]
    for (let at = row.wkbEnd; at < row.cellsEnd; ) {
      const head = view.getUint32(at, true)
      const column = head & 0xff
      const isLong = head >>> 8 === tooLong
      const length = isLong ? 0 : head >>> 8
      const start = at + cellHeadBytes
      at = start + length
      const index = numberOf[column] as number
      if (index < 0) continue
      if (areTexts[column] === 1) {
        const textLength = isLong ? maxTextBytes : length - headOfText(length)
        if (isLong || textBytes + textLength > maxTextBytes) {
          longTexts += 1
          continue
        }
        textBytes += textLength
      }
      const value = this.values.message(bytes, start, at, view.getUint32(start - 4, true))
      let key = this.#columnKeys[index] as number
      if (key === notYet) {
        key = this.#key(schema.attributes[index]?.name ?? '')
        this.#columnKeys[index] = key
      }
      tags.varint(key)
      tags.varint(value)
    }
    return longTexts
  }

  /** Writes a non-numeric id as an attribute. */
  writeId(id: string, tags: ProtobufWriter): void {
    if (this.#idKey === notYet) this.#idKey = this.#key(this.#idName)
    tags.varint(this.#idKey)
    tags.varint(this.values.string(id))
  }

  #begin(schema: Schema): void {
    this.#columnsOf = schema
    this.#columnKeys = new Uint32Array(schema.attributes.length).fill(notYet)
  }

  #key(name: string): number {
    const known = this.#keyOf.get(name)
    if (known !== undefined) return known
    this.#keyOf.set(name, this.keys.length)
    this.keys.push(name)
    return this.keys.length - 1
  }

  /** Returns the number of a cell's value; -1 if tiles do not support it. */
  value(column: Column, row: number): number {
    const { values } = this
    switch (column.type) {
      case 'text':
      case 'decimal':
        return values.text(column.bytes, column.offsets[row] as number, column.offsets[row + 1] as number)
      case 'boolean':
        return values.boolean(column.values[row] === 1)
      case 'int16':
      case 'int32':
        return values.integer(column.values[row] as number)
      case 'float32':
      case 'float64': {
        const value = column.values[row] as number
        if (!Number.isFinite(value)) return -1
        return column.type === 'float32' ? values.float(value) : values.double(value)
      }
      case 'date':
        return this.#day(column.values[row] as number)
      case 'time':
        return values.string(timeText(column.values[row] as bigint))
      case 'timestamp':
        return values.string(timestampText(column.values[row] as bigint))
      case 'int64':
        return this.#big(column, row)
      case 'binary':
        return -1
    }
  }

  #day(days: number): number {
    if (this.#daysGeneration !== this.values.generation) {
      this.#days.clear()
      this.#daysGeneration = this.values.generation
    }
    const known = this.#days.get(days)
    if (known !== undefined) return known
    const value = this.values.string(dateText(days))
    this.#days.set(days, value)
    return value
  }

  /** Uses halves, since creating a `bigint` for each value takes longer than all the rest. */
  #big(column: BigColumn, row: number): number {
    const halves = this.#halves.get(column.values) ?? this.#halve(column.values)
    const low = (halves[row * 2] as number) >>> 0
    const high = halves[row * 2 + 1] as number
    const value = high * 2 ** 32 + low
    if (high >= maxHigh || high < -maxHigh || value === -(2 ** 53)) {
      return this.values.string(String(column.values[row]))
    }
    return this.values.integer(value)
  }

  #halve(values: BigInt64Array): Int32Array {
    const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
    this.#halves.set(values, halves)
    return halves
  }
}
