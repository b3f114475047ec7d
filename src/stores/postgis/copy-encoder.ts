import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import type { Attribute } from '../../geo/schema.ts'
import type { GeometryRules } from '../geometry-rules.ts'
import { LostValues } from '../lost-values.ts'
import { CopyBuffer } from './copy-buffer.ts'
import type { CopyField, ServerValues } from './copy-fields.ts'
import { createCopyField, fixedFieldBytes } from './copy-fields.ts'
import { CopyGeometry } from './copy-geometry.ts'

/** Values of one COPY row, in the order of its column list. */
export interface CopyLayout {
  /** True to write the source row number as bigint first, if the table has a column for it. */
  hasRowNumber: boolean
  /** Columns of the batch and their target columns. */
  attributes: { index: number; target: Attribute }[]
  geometry: { rules: GeometryRules; isRequired: boolean } | undefined
  /** Column of the batch with the ids of the rows; nulls are sent as the smallest value of the type. */
  idIndex?: number
}

/** Why PostgreSQL would reject a row. */
export interface Refusal {
  field?: string
  reason: string
}

const chunkBytes = 128 * 1024
/** Free space in a chunk, so that it does not grow for ordinary rows. */
const reserveBytes = 16 * 1024
const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')

/**
 * Encodes batches as PostgreSQL's binary COPY (documentation of COPY, "Binary Format"), without an object per
 * value. Call `begin` for a batch, `encodeRow` for each row; when `isFull`, take the chunk and send it.
 */
export class CopyEncoder {
  /** Why the last row was rejected. */
  refusal: Refusal = { reason: '' }
  /** Values of written rows that became null because their column cannot store them. */
  readonly lost = new LostValues()
  readonly #layout: CopyLayout
  readonly #fields: CopyField[]
  readonly #geometry: CopyGeometry | undefined
  readonly #out = new CopyBuffer(chunkBytes)
  readonly #fieldCount: number
  /** Bytes to reserve for a row without its texts and geometry. */
  readonly #slack: number
  #names: string[] = []
  #rowNumbers: Float64Array = new Float64Array(0)

  constructor(layout: CopyLayout, values: ServerValues) {
    this.#layout = layout
    this.#fields = layout.attributes.map(({ target }) => createCopyField(target, values))
    this.#geometry = layout.geometry && new CopyGeometry(layout.geometry.rules, layout.geometry.isRequired)
    this.#fieldCount =
      this.#fields.length + (layout.hasRowNumber ? 1 : 0) + (this.#geometry === undefined ? 0 : 1)
    this.#slack = 2 + (this.#fieldCount + 1) * fixedFieldBytes
    this.#out.putBytes(signature, 0, signature.length)
    this.#out.view.setFloat64(this.#out.at, 0)
    this.#out.at += 8
  }

  get isFull(): boolean {
    return this.#out.at >= chunkBytes - reserveBytes
  }

  /**
   * Returns the bytes encoded since the last call. They are overwritten after the next call, unless
   * `keepTaken` is called.
   */
  takeChunk(): Uint8Array {
    return this.#out.take()
  }

  keepTaken(): void {
    this.#out.keepTaken()
  }

  /** Returns the last chunk, with the trailer. */
  finish(): Uint8Array {
    this.#out.reserve(2)
    this.#out.view.setInt16(this.#out.at, -1)
    this.#out.at += 2
    return this.#out.take()
  }

  begin(batch: FeatureBatch, columns: Column[]): void {
    this.#rowNumbers = batch.rowNumbers
    this.#names = this.#layout.attributes.map(
      ({ index, target }) => batch.schema.attributes[index]?.name ?? target.name,
    )
    this.#layout.attributes.forEach(({ index, target }, number) => {
      const column = columns[index]
      if (column === undefined) throw new Error(`The batch has no column ${index} ("${target.name}")`)
      this.#fields[number]?.bind(column)
    })
    this.#geometry?.bind(batch.geometry)
  }

  /** Encodes a row, or skips it and sets `refusal` to the reason. */
  encodeRow(row: number): boolean {
    const out = this.#out
    out.reserve(this.#slack)
    const start = out.at
    out.view.setInt16(start, this.#fieldCount)
    out.at += 2
    if (this.#layout.hasRowNumber) this.#putRowNumber(row)
    const fields = this.#fields
    let hasLost = false
    for (let number = 0; number < fields.length; number += 1) {
      const field = fields[number] as CopyField
      const problem = field.write(out, row, this.#slack)
      if (field.lost !== undefined) hasLost = true
      if (problem !== '') return this.#refuse(start, { field: this.#names[number] ?? '', reason: problem })
    }
    const problem = this.#geometry === undefined ? '' : this.#geometry.write(out, row, this.#slack)
    if (problem !== '') return this.#refuse(start, { reason: problem })
    if (hasLost) this.#settleLost(true)
    return true
  }

  /** Counts the lost values of a row, unless the row itself is rejected. */
  #settleLost(isWritten: boolean): void {
    for (const [number, field] of this.#fields.entries()) {
      if (field.lost !== undefined && isWritten) this.lost.add(this.#names[number] ?? '', field.lost)
      field.lost = undefined
    }
  }

  #refuse(start: number, refusal: Refusal): boolean {
    this.#settleLost(false)
    this.#out.at = start
    this.refusal = refusal
    return false
  }

  #putRowNumber(row: number): void {
    const number = this.#rowNumbers[row] as number
    this.#out.putInt64(Math.floor(number / 4_294_967_296), number % 4_294_967_296)
  }
}
