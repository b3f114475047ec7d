import { isUtf8Range } from '../../core/text/utf8.ts'
import {
  booleanKind,
  CellParser,
  dateKind,
  floatKind,
  int32Kind,
  int64Kind,
  longIntKind,
  timeKind,
  timestampKind,
  timestampMicroseconds,
} from '../../core/values/cell-kind.ts'
import { asciiText } from '../../core/values/decimal.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { FeatureBatch, RejectedRow } from '../../geo/batch.ts'
import { BatchBuilder, batchBytes, batchRows } from '../../geo/batch.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import { isMultiType } from '../../geo/geometry-shape.ts'
import type { Schema } from '../../geo/schema.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { csvCellText, isBlankCell, unescapeCell, unescapedCell } from './csv-source.ts'
import { GeometryCells } from './geometry-cells.ts'
import type { RowScanner } from './row-scanner.ts'
import { escaped, hasNul, nonAscii, quoted, unclean } from './row-scanner.ts'

const integerKinds = int32Kind | int64Kind | longIntKind
/** Kinds of cells that a column of each type accepts. */
const acceptedKinds: Record<string, number> = {
  int32: int32Kind,
  int64: integerKinds,
  float64: int32Kind | int64Kind | floatKind,
  boolean: booleanKind,
  date: dateKind,
  time: timeKind,
  timestamp: timestampKind,
}
/** Rows longer than this are rejected without their cells. */
const longestKept = 1 << 16
/** Wide tables get batches with fewer rows, to limit the memory of a batch. */
const valuesPerBatch = batchRows * 64

/** Fills batches from the rows of a scanner. */
export class CsvTableReader {
  readonly #scanner: RowScanner
  readonly #names: readonly string[]
  readonly #geometryCell: number
  /**
   * For each cell: the kinds that its column accepts, and the column, which is undefined for the geometry.
   */
  readonly #accepted: Uint16Array
  #columns: (ColumnBuilder | undefined)[]
  readonly #parser = new CellParser()
  readonly #geometries: GeometryCells
  #batch: BatchBuilder
  #rejectBytes = 0
  #row = 0

  /** `names` are the columns of the file according to `describe`. */
  constructor(scanner: RowScanner, schema: Schema, names: readonly string[]) {
    this.#scanner = scanner
    this.#names = names
    const { geometry } = schema
    this.#geometryCell = geometry === undefined ? -1 : names.indexOf(geometry.name)
    const { type, hasZ, hasM } = geometry ?? { type: 'Geometry', hasZ: false, hasM: false }
    this.#geometries = new GeometryCells({ isMulti: isMultiType(type), hasZ, hasM })
    const capacity = Math.max(16, Math.min(batchRows, Math.floor(valuesPerBatch / (names.length + 1))))
    this.#batch = new BatchBuilder(schema, capacity)
    this.#columns = this.#columnsByCell()
    this.#accepted = Uint16Array.from(
      this.#columns,
      (column) => ownValue(acceptedKinds, column?.type ?? '') ?? 0,
    )
  }

  #columnsByCell(): (ColumnBuilder | undefined)[] {
    const columns: (ColumnBuilder | undefined)[] = [...this.#batch.columns]
    if (this.#geometryCell >= 0) columns.splice(this.#geometryCell, 0, undefined)
    return columns
  }

  get isFull(): boolean {
    return this.#batch.isFull || this.#rejectBytes >= batchBytes
  }

  get isEmpty(): boolean {
    return this.#batch.isEmpty
  }

  takeBatch(): FeatureBatch {
    const batch = this.#batch.finish()
    this.#batch = this.#batch.next()
    this.#columns = this.#columnsByCell()
    this.#rejectBytes = 0
    return batch
  }

  /** Reads the last row of the scanner. */
  takeRow(): void {
    this.#row += 1
    const { cellCount, bytes, starts, ends, flags } = this.#scanner
    if (cellCount > this.#names.length) {
      this.#reject(-1, `The row has ${cellCount} cells, the header has ${this.#names.length}`)
      return
    }
    for (let cell = 0; cell < cellCount; cell += 1) {
      const reason = this.#takeCell(
        cell,
        bytes,
        starts[cell] as number,
        ends[cell] as number,
        flags[cell] as number,
      )
      if (reason === '') continue
      this.#reject(cell, reason)
      return
    }
    this.#batch.endRow(this.#row)
  }

  /**
   * Appends a cell to its column, or to the geometry if it has no column. Returns the reason if the cell is
   * rejected, otherwise ''.
   */
  #takeCell(cell: number, bytes: Uint8Array, start: number, end: number, flag: number): string {
    if ((flag & (unclean | hasNul)) !== 0) {
      return (flag & unclean) !== 0 ? 'There is text after the closing quote' : 'The text has a NUL character'
    }
    const column = this.#columns[cell]
    if (column === undefined) return this.#takeGeometry(bytes, start, end, flag)
    if (start === end && (flag === 0 || column.kind !== 'var')) column.appendNull()
    else if (column.kind === 'var') return appendText(column, bytes, start, end, flag)
    else return this.#takeValue(column, this.#accepted[cell] as number, bytes, start, end)
    return ''
  }

  #takeGeometry(bytes: Uint8Array, start: number, end: number, flag: number): string {
    const geometry = this.#batch.geometry
    if (geometry === undefined) return ''
    try {
      if (isBlankCell(bytes, start, end)) geometry.appendNull()
      else if ((flag & escaped) === 0) this.#geometries.read(bytes, start, end, geometry)
      else {
        const plain = unescapedCell(bytes, start, end)
        this.#geometries.read(plain, 0, plain.length, geometry)
      }
    } catch (error) {
      if (error instanceof GeometryError) return error.message
      throw error
    }
    return ''
  }

  #takeValue(
    column: FixedBuilder | BigBuilder,
    accepted: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): string {
    const parser = this.#parser
    const kind = parser.parse(bytes, start, end)
    if ((kind & accepted) === 0) {
      return `The value is not ${column.type}; the file was changed since it was examined`
    }
    if (column.kind === 'fixed') column.append(parser.value)
    else if (kind === longIntKind) column.append(BigInt(asciiText(bytes, start, end)))
    else if (kind === timeKind) column.appendNumber(parser.microseconds)
    else if (kind !== timestampKind) column.appendNumber(parser.value)
    else {
      column.appendExact(timestampMicroseconds(parser.value, parser.microseconds))
    }
    return ''
  }

  #reject(cell: number, reason: string): void {
    const scanner = this.#scanner
    const last = Math.min(scanner.cellCount, this.#names.length) - 1
    const length = (scanner.ends[last] as number) - (scanner.starts[0] as number)
    const reject: RejectedRow = { row: this.#row, reason }
    if (cell >= 0) {
      reject.field = this.#names[cell] as string
      reject.value = csvCellText(scanner, cell).slice(0, 200)
    }
    if (length <= longestKept) {
      this.#rejectBytes += length
      const cells = this.#names.slice(0, last + 1).map((name, index) => [name, csvCellText(scanner, index)])
      reject.properties = Object.fromEntries(cells)
    }
    const isOverfull = scanner.cellCount > this.#names.length
    this.#batch.rejectRow(reject, isOverfull ? wholeText(scanner) : undefined)
  }
}

/** Returns the row as written, including quotes. */
function wholeText({ bytes, starts, ends, flags, cellCount }: RowScanner): string {
  const last = cellCount - 1
  const isQuoted = (cell: number): boolean => ((flags[cell] as number) & quoted) !== 0
  const from = (starts[0] as number) - (isQuoted(0) ? 1 : 0)
  const to = (ends[last] as number) + (isQuoted(last) ? 1 : 0)
  return new TextDecoder().decode(bytes.subarray(from, Math.min(to, from + longestKept)))
}

function appendText(column: VarBuilder, bytes: Uint8Array, start: number, end: number, flag: number): string {
  if ((flag & nonAscii) !== 0 && !isUtf8Range(bytes, start, end))
    return 'The text is not valid in its encoding'
  if ((flag & escaped) === 0) column.appendBytes(bytes, start, end)
  else {
    const target = column.reserve(end - start)
    const from = column.byteLength
    column.commit(unescapeCell(bytes, start, end, target, from) - from)
  }
  return ''
}
