import { BatchBuilder, type FeatureBatch, type RejectedRow } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import { GeometryError } from '../../geo/wkb.ts'
import type { ByteWindow } from '../byte-window.ts'
import type { PlacedBatch, RowAccessOptions, RowOffsets } from '../format.ts'
import { FormatError, OffsetRecorder, placeNumbers } from '../format.ts'
import { FgbGeometry } from './fgb-geometry.ts'
import type { FgbHeader } from './fgb-header.ts'
import { bindFgbReader, type FgbValueReader, rawValues, ValueError } from './fgb-values.ts'
import { FlatBuffer, FlatBufferError } from './flat-buffer.ts'

/** Slots of the table Feature (feature.fbs). */
const [geometrySlot, propertiesSlot, columnsSlot] = [0, 1, 2]

/** Maximum size of a feature; larger ones are rejected instead of loaded into memory. */
const maxFeatureBytes = 1 << 28

/** Returns the offset of the geometry table of a feature; 0 if there is none. */
export function geometryTable(buffer: FlatBuffer, feature: number): number {
  const at = buffer.field(feature, geometrySlot)
  return at === 0 ? 0 : buffer.target(at)
}

/** Steps through size-prefixed features; after a step the feature is `view[start, end)`. */
export class FgbRecords {
  start = 0
  end = 0
  count = 0
  /** Why the current feature cannot be read, if so. */
  problem: string | undefined
  readonly #window: ByteWindow
  readonly #sourceBytes: number | undefined
  #next: number

  /**
   * `position` is the offset of the first feature; `sourceBytes` the length of the source, if it is a file.
   */
  constructor(window: ByteWindow, position: number, sourceBytes?: number) {
    this.#window = window
    this.#next = position
    this.#sourceBytes = sourceBytes
  }

  get view(): DataView {
    return this.#window.view
  }

  get bytes(): Uint8Array {
    return this.#window.bytes
  }

  /** Steps to the next feature if it is in memory; otherwise the caller must call `load`. */
  tryNext(): boolean {
    const window = this.#window
    if (!window.tryMove(this.#next, 4)) return false
    const size = window.view.getUint32(window.at, true)
    if (size > maxFeatureBytes || !window.tryMove(this.#next, 4 + size)) return false
    this.#step(size)
    return true
  }

  /**
   * Steps to the next feature, reading as needed; false at the end. Throws `FormatError` for truncated data.
   */
  async load(): Promise<boolean> {
    const window = this.#window
    if (!(await window.load(this.#next, 4))) {
      if (window.end === 0) return false
      throw this.#cutShort(4, window.end)
    }
    const size = window.view.getUint32(window.at, true)
    const left = this.#sourceBytes === undefined ? size + 4 : this.#sourceBytes - this.#next
    if (size + 4 > left) throw this.#cutShort(size + 4, left)
    if (size > maxFeatureBytes) {
      this.#step(size)
      this.problem = `The feature is ${size} bytes long; at most ${maxFeatureBytes} are read`
    } else {
      if (!(await window.load(this.#next, 4 + size))) throw this.#cutShort(size + 4, window.end)
      this.#step(size)
    }
    return true
  }

  /** Offset of the current feature, including its length field. */
  get offset(): number {
    return this.#next - 4 - (this.end - this.start)
  }

  /** Steps to feature `number` at `offset`. Throws `FormatError` if there is none. */
  async seek(offset: number, number: number): Promise<void> {
    this.#next = offset
    this.count = number - 1
    if (!this.tryNext() && !(await this.load())) throw this.#cutShort(4, 0)
  }

  #step(size: number): void {
    this.start = this.#window.at + 4
    this.end = this.start + size
    this.problem = undefined
    this.#next += 4 + size
    this.count += 1
  }

  #cutShort(requested: number, left: number): FormatError {
    const featureText = `Feature ${this.count + 1}, at byte ${this.#next}, takes ${requested} bytes`
    return new FormatError(`The FlatGeobuf data are cut short or damaged: ${featureText}, ${left} are left`, {
      code: 'truncated',
    })
  }
}

/** Fills batches with features. */
export class FgbFeatures {
  readonly #records: FgbRecords
  readonly #header: FgbHeader
  readonly #schema: Schema
  readonly #buffer = new FlatBuffer()
  #builder: BatchBuilder
  #readers: FgbValueReader[] = []
  #geometry: FgbGeometry | undefined
  /** Index of the column whose value is being read; -1 outside of values. */
  #column = -1

  /** Two for each row of the batch. */
  readonly #places = new OffsetRecorder()
  readonly #isGeometryOnly: boolean

  constructor(
    records: FgbRecords,
    header: FgbHeader,
    schema: Schema,
    { isGeometryOnly = false }: RowAccessOptions = {},
  ) {
    this.#records = records
    this.#header = header
    this.#schema = isGeometryOnly ? { ...schema, attributes: [] } : schema
    this.#isGeometryOnly = isGeometryOnly
    this.#builder = this.#bindTo(new BatchBuilder(this.#schema))
  }

  async *batches(signal: AbortSignal): AsyncGenerator<PlacedBatch> {
    const records = this.#records
    while (records.tryNext() || (await records.load())) {
      this.#appendFeature()
      if (!this.#builder.isFull) continue
      signal.throwIfAborted()
      yield this.#finish()
    }
    const expected = this.#header.featureCount ?? 0
    if (records.count < expected) {
      const message = `The FlatGeobuf data are cut short: the header says ${expected} features, ${records.count} are there`
      throw new FormatError(message, { code: 'truncated' })
    }
    if (!this.#builder.isEmpty) yield this.#finish()
  }

  /** Yields the features at these locations, as `batches` returned them. */
  async *readPlaced({ rows, places }: RowOffsets, signal: AbortSignal): AsyncGenerator<FeatureBatch> {
    for (let index = 0; index < rows.length; index += 1) {
      const [low = 0, high = 0] = places.subarray(index * placeNumbers, (index + 1) * placeNumbers)
      await this.#records.seek(high * 2 ** 32 + low, rows[index] as number)
      this.#appendFeature()
      if (!this.#builder.isFull) continue
      signal.throwIfAborted()
      yield this.#finish().batch
    }
    if (!this.#builder.isEmpty) yield this.#finish().batch
  }

  #finish(): PlacedBatch {
    const batch = this.#builder.finish()
    this.#builder = this.#bindTo(this.#builder.next())
    return { batch, places: this.#places.take(batch.rowCount) }
  }

  /** Records the low and high half of the offset of the feature. */
  #notePlace(): void {
    const { offset } = this.#records
    this.#places.note(this.#builder.rowCount, offset % 2 ** 32, Math.floor(offset / 2 ** 32))
  }

  /** Sets where the readers of values append. */
  #bindTo(builder: BatchBuilder): BatchBuilder {
    this.#readers = this.#bind(builder)
    const field = this.#schema.geometry
    if (field !== undefined && builder.geometry !== undefined) {
      this.#geometry = new FgbGeometry(field, this.#header.geometryType, builder.geometry, this.#buffer)
    }
    return builder
  }

  #bind(builder: BatchBuilder): FgbValueReader[] {
    return this.#header.columns.flatMap(({ type }, index) => {
      const column = builder.columns[index]
      return column === undefined ? [] : [bindFgbReader(type, column)]
    })
  }

  #appendFeature(): void {
    const records = this.#records
    const builder = this.#builder
    this.#column = -1
    const geometryStart = builder.geometry?.byteLength ?? 0
    try {
      if (records.problem !== undefined) throw new GeometryError(records.problem)
      const feature = this.#buffer.open(records.view, records.start, records.end)
      const geometry = geometryTable(this.#buffer, feature)
      if (geometry !== 0) this.#geometry?.append(geometry)
      if (!this.#isGeometryOnly) this.#appendProperties(feature, builder, this.#readers)
      this.#notePlace()
      builder.endRow(records.count)
    } catch (error) {
      const isBadRow =
        error instanceof GeometryError || error instanceof FlatBufferError || error instanceof ValueError
      if (!isBadRow) throw error
      builder.rejectRow(this.#reject(error, geometryStart))
    }
  }

  /** Appends the properties: pairs of a column number and a value, in any order. */
  #appendProperties(feature: number, builder: BatchBuilder, readers: FgbValueReader[]): void {
    const buffer = this.#buffer
    if (buffer.field(feature, columnsSlot) !== 0) {
      throw new FlatBufferError('the feature brings columns of its own, which is not supported')
    }
    const { view, bytes } = this.#records
    let at = buffer.vector(buffer.field(feature, propertiesSlot), 1)
    const end = at + buffer.count
    while (at < end) {
      // Some writers add a padding byte there.
      if (at + 1 === end && bytes[at] === 0) return
      if (at + 2 > end) throw new FlatBufferError('the properties end within a column number')
      const index = view.getUint16(at, true)
      const read = readers[index]
      if (read === undefined)
        throw new FlatBufferError(`the properties name column ${index}, which does not exist`)
      this.#column = index
      if ((builder.columns[index]?.length ?? 0) > builder.rowCount) throw new ValueError('', 'stands twice')
      at = read(view, bytes, at + 2, end)
    }
    this.#column = -1
  }

  #reject(error: Error, geometryStart: number): RejectedRow {
    const { geometry } = this.#builder
    const reject: RejectedRow = { row: this.#records.count, reason: error.message }
    if (error instanceof FlatBufferError) reject.reason = `The feature is damaged: ${error.message}`
    const name = this.#schema.attributes[this.#column]?.name
    if (error instanceof ValueError && name !== undefined) {
      const value = error.value.slice(0, 200)
      Object.assign(reject, { field: name, value, reason: `Field "${name}": "${value}" ${error.message}` })
      const wkb = geometry?.reserve(0).slice(geometryStart, geometry.byteLength)
      if (wkb !== undefined && wkb.length > 0) reject.geometry = wkb
    }
    const properties = this.#properties()
    if (properties !== undefined) reject.properties = properties
    return reject
  }

  #properties(): Record<string, unknown> | undefined {
    const records = this.#records
    if (records.problem !== undefined) return undefined
    const buffer = this.#buffer
    try {
      const feature = buffer.open(records.view, records.start, records.end)
      const at = buffer.vector(buffer.field(feature, propertiesSlot), 1)
      return rawValues(this.#header.columns, records.view, at, at + buffer.count)
    } catch (error) {
      if (error instanceof FlatBufferError) return undefined
      throw error
    }
  }
}
