import { CellParser } from '../../core/values/cell-kind.ts'
import { asciiText } from '../../core/values/decimal.ts'
import type { FeatureBatch, RejectedRow } from '../../geo/batch.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import type { Schema } from '../../geo/schema.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { FormatError } from '../format.ts'
import { appendTyped } from './declared-types.ts'
import { parseHex } from './dump-bytes.ts'
import type { DumpField, DumpHeader, DumpOptions } from './dump-header.ts'
import { DumpHeaderReader } from './dump-header.ts'
import { appendDumpValue } from './dump-values.ts'
import type { Doubt, Doubts } from './sqlite-doubts.ts'

const maxLineBytes = 256 << 20
const firstBufferBytes = 1 << 18
const newline = 0x0a
const tab = 0x09
const backslash = 0x5c
const escapes: Record<number, number> = { 98: 8, 102: 12, 110: 10, 114: 13, 116: 9, 118: 11 }
const decoder = new TextDecoder()

/**
 * Splits a dump into lines; an escaped newline belongs to the text. A line is valid until the next one is
 * requested.
 */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes: Uint8Array = new Uint8Array(firstBufferBytes)
  let end = 0
  for await (const chunk of chunks) {
    let from = end
    bytes = withRoom(bytes, end, chunk.length)
    bytes.set(chunk, end)
    end += chunk.length
    let start = 0
    for (;;) {
      const at = bytes.subarray(0, end).indexOf(newline, from)
      if (at < 0) break
      from = at + 1
      if (isEscaped(bytes, start, at)) continue
      yield bytes.subarray(start, at)
      start = at + 1
    }
    if (start > 0) bytes.copyWithin(0, start, end)
    end -= start
    if (end > maxLineBytes) throw new FormatError('A feature is larger than 256 MiB', { code: 'too-large' })
  }
  if (end > 0) yield bytes.subarray(0, end)
}

/** Returns a buffer with `count` free bytes after `end`, at least doubled if it must grow. */
function withRoom(bytes: Uint8Array, end: number, count: number): Uint8Array {
  if (end + count <= bytes.length) return bytes
  const grown = new Uint8Array(Math.max(bytes.length * 2, end + count))
  grown.set(bytes.subarray(0, end))
  return grown
}

function isEscaped(bytes: Uint8Array, start: number, at: number): boolean {
  let before = at - 1
  while (before >= start && bytes[before] === backslash) before -= 1
  return (at - 1 - before) % 2 === 1
}

/** Reads the schema of a dump, and no further. */
export async function readDumpHeader(
  chunks: AsyncIterable<Uint8Array>,
  options: DumpOptions = {},
): Promise<DumpHeader & { geometryCount: number }> {
  const reader = new DumpHeaderReader(options)
  for await (const line of readLines(chunks)) {
    const header = reader.take(decoder.decode(line))
    if (header !== undefined) return { ...header, geometryCount: reader.geometryCount }
  }
  return { ...reader.finish(), geometryCount: reader.geometryCount }
}

/**
 * Yields the rows of a dump in batches of `schema`, whose attribute types may be inferred from the texts of
 * the dump. Throws `FormatError` if the dump has another schema.
 */
export async function* readGdalDump(
  chunks: AsyncIterable<Uint8Array>,
  schema: Schema,
  signal: AbortSignal,
  options: DumpOptions = {},
): AsyncGenerator<FeatureBatch> {
  const reader = new DumpHeaderReader(options)
  let header: DumpHeader | undefined
  let isDone = false
  let rowNumber = 0
  let rows = new RowReader(schema, { schema, fields: [], keyField: -1 }, options)
  for await (const line of readLines(chunks)) {
    if (isDone) continue
    if (header === undefined) {
      header = reader.take(decoder.decode(line))
      if (header === undefined) continue
      checkSchema(header.schema, schema)
      rows = new RowReader(schema, header, options)
      continue
    }
    isDone = line.length === 2 && line[0] === backslash && line[1] === 0x2e
    if (isDone) continue
    rowNumber += 1
    rows.read(line, rowNumber)
    if (rows.isFull) {
      signal.throwIfAborted()
      yield rows.finish()
    }
  }
  if (header !== undefined && !isDone) {
    throw new FormatError(`GDAL stopped after row ${rowNumber}`, { code: 'gdal-failed' })
  }
  if (!rows.isEmpty) yield rows.finish()
}

function checkSchema(found: Schema, expected: Schema): void {
  const isSame =
    found.attributes.length === expected.attributes.length &&
    found.attributes.every(({ name, type }, index) => {
      const attribute = expected.attributes[index]
      return attribute?.name === name && (type === attribute.type || type === 'text')
    })
  if (!isSame) {
    throw new FormatError('The file has changed since it was examined: its fields are others', {
      code: 'file-changed',
    })
  }
}

/** Reads rows into batches; a value that does not fit removes its row. */
class RowReader {
  readonly #schema: Schema
  readonly #fields: DumpField[]
  /** For each attribute: whether its values are text. */
  readonly #isText: boolean[]
  readonly #parser = new CellParser()
  readonly #keyField: number
  readonly #doubts: Doubts
  /** Doubtful values of the current row. */
  #doubted: Doubt[] = []
  #builder: BatchBuilder

  constructor(schema: Schema, header: DumpHeader, { doubts = new Map() }: DumpOptions) {
    this.#schema = schema
    this.#fields = header.fields
    this.#keyField = header.keyField
    this.#doubts = doubts
    this.#isText = header.schema.attributes.map(({ type }) => type === 'text')
    this.#builder = new BatchBuilder(schema)
  }

  get isFull(): boolean {
    return this.#builder.isFull
  }

  get isEmpty(): boolean {
    return this.#builder.isEmpty
  }

  /** Returns the rows since the last call. */
  finish(): FeatureBatch {
    const batch = this.#builder.finish()
    this.#builder = this.#builder.next()
    return batch
  }

  read(line: Uint8Array, row: number): void {
    let start = 0
    this.#doubted = []
    for (const [index, field] of this.#fields.entries()) {
      let end = start
      let hasEscape = false
      for (; end < line.length && line[end] !== tab; end += 1) {
        if (line[end] === backslash) {
          hasEscape = true
          end += 1
        }
      }
      if (index === this.#keyField && this.#doubts.size > 0) {
        this.#doubted = this.#doubts.get(asciiText(line, start, end)) ?? []
      }
      const failure = this.#take(field, line, start, Math.min(end, line.length), hasEscape)
      if (failure !== undefined) {
        this.#builder.rejectRow({ row, ...failure })
        return
      }
      start = end + 1
    }
    this.#builder.endRow(row)
  }

  #take(
    field: DumpField,
    line: Uint8Array,
    start: number,
    end: number,
    hasEscape: boolean,
  ): Omit<RejectedRow, 'row'> | undefined {
    if (field === undefined) return undefined
    const isNull = hasEscape && end - start === 2 && line[start + 1] === 0x4e
    if (this.#doubted.length > 0 && 'attribute' in field) {
      const doubt = this.#doubted.find(({ attribute }) => attribute === field.attribute)
      if (doubt !== undefined && (isNull || !doubt.isMaybeRead)) return this.#refusal(doubt)
    }
    if (isNull) return undefined
    if ('geometry' in field) return this.#takeGeometry(line.subarray(start, end))
    const bytes = hasEscape ? unescaped(line.subarray(start, end)) : line
    const [from, to] = hasEscape ? [0, bytes.length] : [start, end]
    const target = this.#builder.columns[field.attribute] as ColumnBuilder
    const isInferred = target.kind !== 'var' && this.#isText[field.attribute] === true
    const isTaken = isInferred
      ? appendTyped(target, this.#parser, bytes, from, to)
      : appendDumpValue(target, bytes, from, to, field.list)
    if (isTaken) return undefined
    const value = decoder.decode(bytes.subarray(from, Math.min(to, from + 800))).slice(0, 200)
    const name = this.#builder.schema.attributes[field.attribute]?.name ?? ''
    const form = target.type === 'text' && field.list !== undefined ? 'list that can be told' : target.type
    return { field: name, value, reason: `The value is not a ${form}` }
  }

  #refusal({ attribute, text }: Doubt): Omit<RejectedRow, 'row'> {
    const { name = '', type } = this.#schema.attributes[attribute] ?? {}
    return { field: name, value: text.slice(0, 200), reason: `The value is not a ${type}` }
  }

  #takeGeometry(hex: Uint8Array): Omit<RejectedRow, 'row'> | undefined {
    const field = this.#schema.geometry?.name ?? ''
    const bytes = parseHex(hex, 0, hex.length)
    if (bytes === undefined) return { field, reason: 'The geometry is not in hexadecimal digits' }
    try {
      this.#builder.geometry?.appendWkb(bytes)
      return undefined
    } catch (error) {
      if (!(error instanceof GeometryError)) throw error
      return { field, reason: error.message }
    }
  }
}

function unescaped(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] as number
    if (byte === backslash && at + 1 < bytes.length) {
      at += 1
      byte = bytes[at] as number
      byte = escapes[byte] ?? byte
    }
    plain[length] = byte
    length += 1
  }
  return plain.subarray(0, length)
}
