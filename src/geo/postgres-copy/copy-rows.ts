import { Failure } from '../../core/errors/errors.ts'
import type { FeatureBatch, RejectedRow } from '../batch.ts'
import { BatchBuilder } from '../batch.ts'
import type { Column } from '../column.ts'
import { columnValue } from '../column.ts'
import type { ColumnBuilder } from '../column-builder.ts'
import type { Schema } from '../schema.ts'
import { dateText, timestampText, timeText } from '../time-text.ts'
import { appendField, appendGeometry } from './copy-values.ts'

const signature = 'PGCOPY\n\xff\r\n\0'
const headerBytes = signature.length + 8
const maxRowBytes = 256 << 20
const shownCharacters = 200

function broken(what: string): Failure {
  return new Failure(
    'unavailable',
    'database-protocol',
    `The database sent rows that cannot be read: ${what}`,
  )
}

/** The first value of a column as people read it. */
function firstValue(column: Column): unknown {
  const value = columnValue(column, 0)
  if (value === null) return null
  if (column.type === 'date') return dateText(value as number)
  if (column.type === 'time') return timeText(value as bigint)
  return column.type === 'timestamp' ? timestampText(value as bigint) : value
}

/**
 * Columns of a row besides its attributes, in this order: the geometry, and its SRID if it must be checked.
 */
export interface RowForm {
  schema: Schema
  /** Allowed SRIDs of a geometry; absent: not checked. */
  srids?: ReadonlySet<number>
  /** Maximum number of rows in a batch: space for them is allocated at once. */
  rowsEach?: number
}

/**
 * Reads the rows of `COPY ... TO STDOUT (FORMAT binary)` (PostgreSQL, "COPY", binary format) in batches:
 * attributes in schema order, then the columns of `form`. A field that cannot be represented rejects its row.
 */
export async function* readCopyRows(
  chunks: AsyncIterable<Uint8Array>,
  form: RowForm,
): AsyncGenerator<FeatureBatch> {
  const rows = new CopyRows(form)
  for await (const chunk of chunks) {
    rows.feed(chunk)
    while (rows.next()) if (rows.isFull) yield rows.finish()
  }
  if (!rows.isAtEnd) throw broken(`they end after row ${rows.rowNumber}`)
  if (!rows.isEmpty) yield rows.finish()
}

class CopyRows {
  isAtEnd = false
  rowNumber = 0
  readonly #form: RowForm
  readonly #fieldCount: number
  #builder: BatchBuilder | undefined
  #bytes: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #start = 0
  #end = 0
  #hasHeader = false

  constructor(form: RowForm) {
    const { attributes, geometry } = form.schema
    this.#form = form
    this.#fieldCount =
      attributes.length + (geometry === undefined ? 0 : 1) + (form.srids === undefined ? 0 : 1)
  }

  get isFull(): boolean {
    return this.#builder?.isFull === true
  }

  get isEmpty(): boolean {
    return this.#builder === undefined || this.#builder.isEmpty
  }

  /** Returns the rows read since the last call. */
  finish(): FeatureBatch {
    const { schema, rowsEach } = this.#form
    const batch = (this.#builder ?? new BatchBuilder(schema, rowsEach)).finish()
    this.#builder = undefined
    return batch
  }

  /** Takes further bytes behind those not read yet. */
  feed(chunk: Uint8Array): void {
    const kept = this.#end - this.#start
    if (kept === 0) {
      this.#hold(chunk, chunk.length)
    } else if (this.#end + chunk.length <= this.#bytes.length) {
      this.#bytes.set(chunk, this.#end)
      this.#end += chunk.length
    } else {
      // Doubling the buffer limits the copies of a row that spans many chunks.
      const grown = new Uint8Array((kept + chunk.length) * (kept > chunk.length ? 2 : 1))
      grown.set(this.#bytes.subarray(this.#start, this.#end))
      grown.set(chunk, kept)
      this.#hold(grown, kept + chunk.length)
    }
    if (this.#end - this.#start > maxRowBytes) throw broken('a row is larger than 256 MiB')
  }

  /** Reads one row into the batch; false if it is incomplete, and at the end. */
  next(): boolean {
    if (this.isAtEnd || !this.#skipHeader()) return false
    const end = this.#findRowEnd()
    if (end === undefined) return false
    if (this.#view.getInt16(this.#start) === -1) {
      this.isAtEnd = true
      return false
    }
    this.rowNumber += 1
    this.#read()
    this.#start = end
    return true
  }

  #hold(bytes: Uint8Array, end: number): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#start = 0
    this.#end = end
  }

  #skipHeader(): boolean {
    if (this.#hasHeader) return true
    const have = this.#end - this.#start
    if (have < headerBytes) return false
    const found = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + this.#start, signature.length)
    if (found.toString('latin1') !== signature) throw broken('the signature is missing')
    const extension = this.#view.getInt32(this.#start + signature.length + 4)
    if (extension < 0 || extension > maxRowBytes) throw broken('the header is malformed')
    if (have < headerBytes + extension) return false
    this.#start += headerBytes + extension
    this.#hasHeader = true
    return true
  }

  /** Returns the end of the row; the trailer is a row that consists of its count. */
  #findRowEnd(): number | undefined {
    let at = this.#start
    if (this.#end - at < 2) return undefined
    const count = this.#view.getInt16(at)
    at += 2
    if (count === -1) return at
    if (count !== this.#fieldCount) throw broken(`${this.#fieldCount} fields were expected, found ${count}`)
    for (let field = 0; field < count; field += 1) {
      if (this.#end - at < 4) return undefined
      const length = this.#view.getInt32(at)
      if (length < -1 || length > maxRowBytes) throw broken(`a field has ${length} bytes`)
      at += 4 + Math.max(0, length)
      if (at > this.#end) return undefined
    }
    return at
  }

  #read(): void {
    this.#builder ??= new BatchBuilder(this.#form.schema, this.#form.rowsEach)
    const builder = this.#builder
    const { columns } = builder
    let at = this.#start + 2
    for (let field = 0; field < this.#fieldCount; field += 1) {
      const length = this.#view.getInt32(at)
      at += 4
      if (length < 0) continue
      const column = columns[field]
      const reason =
        column === undefined
          ? this.#takeSpatial(builder, field - columns.length, at, at + length)
          : appendField(column, this.#bytes, this.#view, at, at + length)
      if (reason !== undefined) {
        builder.rejectRow(this.#reject(field, at, length, reason))
        return
      }
      at += length
    }
    builder.endRow(this.rowNumber)
  }

  #takeSpatial({ geometry }: BatchBuilder, place: number, start: number, end: number): string | undefined {
    if (geometry !== undefined && place === 0) {
      return appendGeometry(geometry, this.#bytes, this.#view, start, end)
    }
    const srid = this.#view.getInt32(start)
    return this.#form.srids?.has(srid) === false
      ? `The geometry has the SRID ${srid}, others of the table have ${[...this.#form.srids].join(' or ')}`
      : undefined
  }

  #reject(field: number, start: number, length: number, reason: string): RejectedRow {
    const { attributes, geometry } = this.#form.schema
    const attribute = attributes[field]
    const name = attribute?.name ?? geometry?.name
    const bytes = this.#bytes.subarray(start, start + Math.min(length, shownCharacters))
    const isText = attribute?.type === 'text'
    return {
      row: this.rowNumber,
      field: name,
      value: isText ? Buffer.from(bytes).toString('latin1') : undefined,
      reason,
      properties: this.#properties(),
    }
  }

  /** The attributes of the row as far as they can be read. */
  #properties(): Record<string, unknown> {
    const { attributes } = this.#form.schema
    const builder = new BatchBuilder({ attributes, geometry: undefined }, 1)
    let at = this.#start + 2
    for (const column of builder.columns as ColumnBuilder[]) {
      const length = this.#view.getInt32(at)
      at += 4
      if (length >= 0) appendField(column, this.#bytes, this.#view, at, at + length)
      at += Math.max(0, length)
    }
    builder.endRow(1)
    const { columns } = builder.finish()
    return Object.fromEntries(
      attributes.map(({ name }, index) => {
        const column = columns[index]
        return [name, column === undefined ? null : firstValue(column)]
      }),
    )
  }
}
