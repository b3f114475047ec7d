import { writeSync } from 'node:fs'
import type { FeatureBatch, RejectedRow } from '../../../geo/batch.ts'
import { isValid } from '../../../geo/column.ts'
import { ceilFloat32, emptyEnvelope, floorFloat32, isEmptyEnvelope } from '../../../geo/envelope.ts'
import type { Boxes } from '../../../geo/hilbert.ts'
import { hilbertOrder } from '../../../geo/hilbert.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { IndexHeader, IndexRowGroup, LeftOut } from './layout.ts'
import {
  blockBoxes,
  groupRows,
  indexEntryBytes,
  indexHeadBytes,
  indexMagic,
  layoutOf,
  nullBytes,
  rowNumberBytes,
} from './layout.ts'

/** Maximum number of stored reasons of unreadable rows. */
const keptReasons = 100
const maxRow = 0xffff_ffff
const microsPerDay = 86_400_000_000

/** Parts of the header that the caller provides. */
export type IndexFacts = Pick<IndexHeader, 'version' | 'stamp' | 'heads' | 'layer'>

/** Returns the attributes that can be used in time filters. */
function timeAttributes({ attributes }: Schema): string[] {
  return attributes.flatMap(({ name, type }) => (type === 'date' || type === 'timestamp' ? [name] : []))
}

/** Writes an index to an open file, group by group; memory use is that of one group. */
export class IndexWriter {
  readonly leftOut: LeftOut = { count: 0, first: [] }
  rowCount = 0
  withoutGeometry = 0
  emptyGeometries = 0
  readonly #fd: number
  readonly #times: { name: string; column: number; values: Float64Array }[]
  readonly #places = new Uint32Array(groupRows * 2)
  readonly #rowNumbers = new Uint32Array(groupRows)
  readonly #nulls = new Uint32Array(groupRows / 32)
  readonly #boxes: Boxes = new Float32Array(groupRows * 4)
  /** Position of each box, relative to the first row of the group. */
  readonly #boxRows = new Uint32Array(groupRows)
  readonly #groups: IndexRowGroup[] = []
  readonly #blocks: number[] = []
  readonly #hasGeometry: boolean
  readonly #bounds = emptyEnvelope()
  #rows = 0
  #boxCount = 0
  #at = indexHeadBytes

  constructor(fd: number, schema: Schema) {
    this.#fd = fd
    this.#hasGeometry = schema.geometry !== undefined
    this.#times = timeAttributes(schema).map((name) => ({
      name,
      column: schema.attributes.findIndex((attribute) => attribute.name === name),
      values: new Float64Array(groupRows),
    }))
  }

  add(batch: FeatureBatch, places: Uint32Array): void {
    for (const reject of batch.rejects) this.#leaveOut(reject)
    for (let from = 0; from < batch.rowCount; ) {
      const to = Math.min(batch.rowCount, from + groupRows - this.#rows)
      this.#take(batch, places, from, to)
      from = to
      if (this.#rows === groupRows) this.#endGroup()
    }
  }

  /** Writes the rest; the head, which makes the index valid, comes last. */
  finish(facts: IndexFacts): IndexHeader {
    if (this.#rows > 0) this.#endGroup()
    const blocksAt = this.#at
    this.#write(Float32Array.from(this.#blocks))
    const { rowCount, withoutGeometry, emptyGeometries, leftOut } = this
    const header: IndexHeader = {
      ...facts,
      rowCount,
      withoutGeometry,
      emptyGeometries,
      leftOut,
      bounds: isEmptyEnvelope(this.#bounds) ? undefined : this.#bounds,
      times: this.#times.map(({ name }) => name),
      groups: this.#groups,
      blocksAt,
    }
    const text = Buffer.from(JSON.stringify(header))
    const head = Buffer.alloc(indexHeadBytes)
    head.write(indexMagic, 'latin1')
    head.writeDoubleLE(this.#at, 8)
    head.writeDoubleLE(text.length, 16)
    this.#write(text)
    writeAll(this.#fd, head, 0)
    return header
  }

  #leaveOut({ row, reason }: RejectedRow): void {
    this.leftOut.count += 1
    if (this.leftOut.first.length < keptReasons)
      this.leftOut.first.push({ row, reason: reason.slice(0, 300) })
  }

  #take(batch: FeatureBatch, places: Uint32Array, from: number, to: number): void {
    this.#places.set(places.subarray(from * 2, to * 2), this.#rows * 2)
    for (const { column, values } of this.#times) this.#takeTimes(batch, column, values, from, to)
    for (let row = from; row < to; row += 1) {
      const number = batch.rowNumbers[row] as number
      if (number > maxRow) throw new Error(`Rows beyond number ${maxRow} are not served from their file`)
      this.#rowNumbers[this.#rows] = number
      if (this.#hasGeometry) this.#takeBox(batch, row)
      this.#rows += 1
    }
    this.rowCount += to - from
  }

  #takeBox(batch: FeatureBatch, row: number): void {
    const { geometry } = batch
    if (geometry === undefined || !isValid(geometry.validity, row)) {
      const word = this.#rows >>> 5
      this.#nulls[word] = (this.#nulls[word] as number) | (1 << (this.#rows & 31))
      this.withoutGeometry += 1
      return
    }
    const [minX, minY, maxX, maxY] = geometry.envelopes.subarray(row * 4, row * 4 + 4)
    if (
      minX === undefined ||
      minY === undefined ||
      maxX === undefined ||
      maxY === undefined ||
      !(minX <= maxX)
    ) {
      this.emptyGeometries += 1
      return
    }
    const bounds = this.#bounds
    if (minX < bounds.minX) bounds.minX = minX
    if (minY < bounds.minY) bounds.minY = minY
    if (maxX > bounds.maxX) bounds.maxX = maxX
    if (maxY > bounds.maxY) bounds.maxY = maxY
    const at = this.#boxCount * 4
    this.#boxes[at] = floorFloat32(minX)
    this.#boxes[at + 1] = ceilFloat32(maxX)
    this.#boxes[at + 2] = floorFloat32(minY)
    this.#boxes[at + 3] = ceilFloat32(maxY)
    this.#boxRows[this.#boxCount] = this.#rows
    this.#boxCount += 1
  }

  #takeTimes(batch: FeatureBatch, column: number, target: Float64Array, from: number, to: number): void {
    const source = batch.columns[column]
    for (let row = from, at = this.#rows; row < to; row += 1, at += 1) {
      if (source === undefined || source.kind === 'var' || !isValid(source.validity, row))
        target[at] = Number.NaN
      else if (source.kind === 'big') target[at] = Number(source.values[row])
      else target[at] = (source.values[row] as number) * microsPerDay
    }
  }

  #endGroup(): void {
    const rows = this.#rows
    const group: IndexRowGroup = {
      at: this.#at,
      rows,
      boxes: this.#boxCount,
      firstRow: this.#rowNumbers[0] as number,
      lastRow: this.#rowNumbers[rows - 1] as number,
    }
    this.#write(this.#places.subarray(0, rows * 2))
    this.#write(this.#rowNumbers.subarray(0, rows))
    for (const { values } of this.#times) this.#write(values.subarray(0, rows))
    this.#write(this.#nulls.subarray(0, nullBytes(rows) / rowNumberBytes))
    this.#writeBlocks()
    this.#groups.push(group)
    if (layoutOf(group, this.#times.length).end !== this.#at)
      throw new Error('A group of the index is misplaced')
    this.#nulls.fill(0)
    this.#rows = 0
    this.#boxCount = 0
  }

  #writeBlocks(): void {
    const order = hilbertOrder(this.#boxes, this.#boxCount)
    for (let from = 0; from < order.length; from += blockBoxes) {
      const own = order.subarray(from, from + blockBoxes)
      const block = new ArrayBuffer(own.length * indexEntryBytes)
      const boxes = new Float32Array(block, 0, own.length * 4)
      const rows = new Uint32Array(block, own.length * (indexEntryBytes - 4), own.length)
      const union = [Infinity, -Infinity, Infinity, -Infinity] as [number, number, number, number]
      for (const [index, entry] of own.entries()) {
        boxes.set(this.#boxes.subarray(entry * 4, entry * 4 + 4), index * 4)
        rows[index] = this.#boxRows[entry] as number
        union[0] = Math.min(union[0], boxes[index * 4] as number)
        union[1] = Math.max(union[1], boxes[index * 4 + 1] as number)
        union[2] = Math.min(union[2], boxes[index * 4 + 2] as number)
        union[3] = Math.max(union[3], boxes[index * 4 + 3] as number)
      }
      this.#blocks.push(...union)
      this.#write(new Uint8Array(block))
    }
  }

  #write(values: ArrayBufferView): void {
    writeAll(this.#fd, new Uint8Array(values.buffer, values.byteOffset, values.byteLength), this.#at)
    this.#at += values.byteLength
  }
}

function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done)
  }
}
