import { linearWkb } from './curves/curve-wkb.ts'
import { CurveError, GeometryError, normalizeWkb, WkbScanner, wkbTypeNumber } from './wkb.ts'

/**
 * Geometries of a batch: row r is `bytes[offsets[r] .. offsets[r + 1])`, little-endian ISO WKB, with its envelope at
 * `envelopes[4 r ..]` as minX, minY, maxX, maxY (NaN where the geometry is empty or null).
 */
export interface GeometryColumn {
  offsets: Uint32Array
  bytes: Uint8Array
  validity: Uint8Array
  nullCount: number
  envelopes: Float64Array
}

/** Size of the WKB of a point without Z and M. */
const pointBytes = 21

/**
 * Writes geometries of a batch. A reader either passes whole WKB (`appendWkb`), or writes one with `header`,
 * `count`, `coordinate` and ends it with `endGeometry`; `abandon` removes an unfinished geometry.
 */
export class GeometryBuilder {
  length = 0
  #bytes: Uint8Array
  #view: DataView
  #at = 0
  #nullCount = 0
  readonly #offsets: Uint32Array
  readonly #validity: Uint8Array
  readonly #envelopes: Float64Array
  readonly #scanner = new WkbScanner()
  #minX = Number.POSITIVE_INFINITY
  #minY = Number.POSITIVE_INFINITY
  #maxX = Number.NEGATIVE_INFINITY
  #maxY = Number.NEGATIVE_INFINITY

  constructor(capacity: number, initialBytes = capacity * 32) {
    this.#bytes = new Uint8Array(initialBytes)
    this.#view = new DataView(this.#bytes.buffer)
    this.#offsets = new Uint32Array(capacity + 1)
    this.#validity = new Uint8Array((capacity + 7) >> 3)
    this.#envelopes = new Float64Array(capacity * 4)
  }

  /** Number of bytes written, including the unfinished geometry. */
  get byteLength(): number {
    return this.#at
  }

  /** Reserves `count` more bytes and returns the array for raw bytes from `byteLength` on. */
  reserve(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + count))
      grown.set(this.#bytes.subarray(0, this.#at))
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return this.#bytes
  }

  /** A view of the array that `reserve` returned. */
  get view(): DataView {
    return this.#view
  }

  /** Adds `count` bytes, which the caller wrote into the reserved space, to the unfinished geometry. */
  advance(count: number): void {
    this.#at += count
  }

  /** Writes the byte order and the type of a geometry or part. */
  header(typeCode: number, hasZ: boolean, hasM: boolean): void {
    this.reserve(5)
    this.#bytes[this.#at] = 1
    this.#view.setUint32(this.#at + 1, wkbTypeNumber(typeCode, hasZ, hasM), true)
    this.#at += 5
  }

  /** Writes a count of points, rings or parts; returns its offset, for `setCount` once it is known. */
  count(value: number): number {
    this.reserve(4)
    this.#view.setUint32(this.#at, value, true)
    this.#at += 4
    return this.#at - 4
  }

  setCount(at: number, value: number): void {
    this.#view.setUint32(at, value, true)
  }

  /** Writes x and y, and extends the envelope. `ordinate` writes Z and M. Throws unless both are finite. */
  coordinate(x: number, y: number): void {
    if (!(Number.isFinite(x) && Number.isFinite(y))) {
      throw new GeometryError(`Coordinate is not finite: ${x} ${y}`)
    }
    this.reserve(16)
    this.#view.setFloat64(this.#at, x, true)
    this.#view.setFloat64(this.#at + 8, y, true)
    this.#at += 16
    this.include(x, y)
  }

  /** Appends a whole point without Z and M. Throws unless both ordinates are finite. */
  appendPoint(x: number, y: number): void {
    this.reserve(pointBytes)
    const view = this.#view
    const at = this.#at
    view.setUint8(at, 1)
    view.setUint32(at + 1, 1, true)
    this.#at = at + 5
    this.coordinate(x, y)
    this.endGeometry()
  }

  /** Extends the envelope of the unfinished geometry by a coordinate. */
  include(x: number, y: number): void {
    if (x < this.#minX) this.#minX = x
    if (x > this.#maxX) this.#maxX = x
    if (y < this.#minY) this.#minY = y
    if (y > this.#maxY) this.#maxY = y
  }

  /** Writes a Z or M ordinate, or one of the two NaN of an empty point. */
  ordinate(value: number): void {
    this.reserve(8)
    this.#view.setFloat64(this.#at, value, true)
    this.#at += 8
  }

  /** Ends the geometry written since the last row. */
  endGeometry(): void {
    const row = this.length
    const isEmpty = this.#minX > this.#maxX
    const at = row * 4
    this.#envelopes[at] = isEmpty ? Number.NaN : this.#minX
    this.#envelopes[at + 1] = isEmpty ? Number.NaN : this.#minY
    this.#envelopes[at + 2] = isEmpty ? Number.NaN : this.#maxX
    this.#envelopes[at + 3] = isEmpty ? Number.NaN : this.#maxY
    this.#validity[row >> 3] = (this.#validity[row >> 3] as number) | (1 << (row & 7))
    this.#next()
  }

  appendNull(): void {
    this.#at = this.#offsets[this.length] as number
    this.#nullCount += 1
    this.#envelopes.fill(Number.NaN, this.length * 4, this.length * 4 + 4)
    this.#next()
  }

  /**
   * Appends a whole WKB or EWKB after validation, with curves linearized; throws `GeometryError` and leaves
   * the row unwritten if it is invalid.
   */
  appendWkb(source: Uint8Array, start = 0, end = source.length): void {
    try {
      this.#appendPlainWkb(source, start, end)
    } catch (error) {
      if (!(error instanceof CurveError)) throw error
      const linear = linearWkb(source, start, end)
      this.#appendPlainWkb(linear, 0, linear.length)
    }
  }

  #appendPlainWkb(source: Uint8Array, start: number, end: number): void {
    const view = new DataView(source.buffer, source.byteOffset, source.byteLength)
    const scanner = this.#scanner
    scanner.scan(view, start, end)
    let bytes = source
    let from = start
    let to = scanner.end
    if (!scanner.isIsoLittleEndian) {
      bytes = normalizeWkb(source.subarray(start, end))
      from = 0
      to = bytes.length
    }
    this.reserve(to - from).set(
      from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to),
      this.#at,
    )
    this.#at += to - from
    if (!Number.isNaN(scanner.minX)) {
      this.include(scanner.minX, scanner.minY)
      this.include(scanner.maxX, scanner.maxY)
    }
    this.endGeometry()
  }

  /** Removes the unfinished geometry. */
  abandon(): void {
    this.#at = this.#offsets[this.length] as number
    this.#resetEnvelope()
  }

  padTo(rows: number): void {
    while (this.length < rows) this.appendNull()
  }

  /** Removes all rows from index `rows` on, and an unfinished geometry. */
  truncate(rows: number): void {
    for (let row = rows; row < this.length; row += 1) {
      const byte = this.#validity[row >> 3] as number
      if (((byte >> (row & 7)) & 1) === 0) this.#nullCount -= 1
      this.#validity[row >> 3] = byte & ~(1 << (row & 7))
    }
    if (rows < this.length) this.length = rows
    this.abandon()
  }

  finish(): GeometryColumn {
    return {
      offsets: this.#offsets.subarray(0, this.length + 1),
      bytes: this.#bytes.subarray(0, this.#offsets[this.length]),
      validity: this.#validity,
      nullCount: this.#nullCount,
      envelopes: this.#envelopes.subarray(0, this.length * 4),
    }
  }

  #next(): void {
    this.length += 1
    this.#offsets[this.length] = this.#at
    this.#resetEnvelope()
  }

  #resetEnvelope(): void {
    this.#minX = this.#minY = Number.POSITIVE_INFINITY
    this.#maxX = this.#maxY = Number.NEGATIVE_INFINITY
  }
}
