import { isValid } from './column.ts'
import type { GeometryColumn } from './geometry-builder.ts'
import type { GeometryField } from './schema.ts'
import { wkbTypeNumber } from './wkb.ts'

/** Dimensions of a column's geometries. */
type Dimensions = Pick<GeometryField, 'hasZ' | 'hasM'>

/**
 * A column whose geometries all have the same dimensions, and the number of geometries that were completed.
 */
interface FilledDimensions {
  geometry: GeometryColumn
  filled: number
}

/**
 * Adds the Z and M that other geometries of the column have: 0, and NaN in empty points. Geometries with
 * further dimensions are unchanged. Returns the same column if nothing is missing.
 */
export function fillDimensions(
  geometry: GeometryColumn,
  rowCount: number,
  dimensions: Dimensions,
): FilledDimensions {
  const view = new DataView(geometry.bytes.buffer, geometry.bytes.byteOffset, geometry.bytes.byteLength)
  const lacks = (row: number): boolean =>
    isValid(geometry.validity, row) && lacksDimensions(view, geometry.offsets[row] as number, dimensions)
  let filled = 0
  for (let row = 0; row < rowCount; row += 1) if (lacks(row)) filled += 1
  if (filled === 0) return { geometry, filled }
  // Two ordinates become at most four, and the size of headers is unchanged.
  const writer = new Filler(view, geometry.bytes.length * 2, dimensions)
  const offsets = new Uint32Array(rowCount + 1)
  for (let row = 0; row < rowCount; row += 1) {
    const start = geometry.offsets[row] as number
    if (lacks(row)) writer.fill(start)
    else writer.copy(start, geometry.offsets[row + 1] as number)
    offsets[row + 1] = writer.length
  }
  return { geometry: { ...geometry, offsets, bytes: writer.bytes.subarray(0, writer.length) }, filled }
}

/** Reads the dimensions from the thousands of an ISO WKB code. */
function dimensionsAt(view: DataView, start: number): Dimensions {
  const thousands = Math.floor(view.getUint32(start + 1, true) / 1000)
  return { hasZ: thousands === 1 || thousands === 3, hasM: thousands >= 2 }
}

function lacksDimensions(view: DataView, start: number, dimensions: Dimensions): boolean {
  const { hasZ, hasM } = dimensionsAt(view, start)
  const isWithin = (dimensions.hasZ || !hasZ) && (dimensions.hasM || !hasM)
  return isWithin && (hasZ !== dimensions.hasZ || hasM !== dimensions.hasM)
}

/** Rewrites little-endian ISO WKB with additional ordinates. */
class Filler {
  readonly bytes: Uint8Array
  length = 0
  readonly #source: DataView
  readonly #sourceBytes: Uint8Array
  readonly #target: DataView
  readonly #requested: Dimensions
  #at = 0

  constructor(source: DataView, size: number, dimensions: Dimensions) {
    this.#source = source
    this.#sourceBytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    this.bytes = new Uint8Array(size)
    this.#target = new DataView(this.bytes.buffer)
    this.#requested = dimensions
  }

  copy(start: number, end: number): void {
    this.bytes.set(this.#sourceBytes.subarray(start, end), this.length)
    this.length += end - start
  }

  /** Writes the geometry at `start` of the source. */
  fill(start: number): void {
    this.#at = start
    this.#geometry()
  }

  #geometry(): void {
    const has = dimensionsAt(this.#source, this.#at)
    const typeCode = this.#source.getUint32(this.#at + 1, true) % 1000
    this.bytes[this.length] = 1
    this.#target.setUint32(
      this.length + 1,
      wkbTypeNumber(typeCode, this.#requested.hasZ, this.#requested.hasM),
      true,
    )
    this.length += 5
    this.#at += 5
    if (typeCode === 1) {
      this.#points(1, has)
      return
    }
    const parts = this.#count()
    if (typeCode === 2) {
      this.#points(parts, has)
      return
    }
    for (let part = 0; part < parts; part += 1) {
      if (typeCode === 3) this.#points(this.#count(), has)
      else this.#geometry()
    }
  }

  #count(): number {
    const count = this.#source.getUint32(this.#at, true)
    this.#target.setUint32(this.length, count, true)
    this.length += 4
    this.#at += 4
    return count
  }

  #points(count: number, has: Dimensions): void {
    for (let point = 0; point < count; point += 1) {
      const x = this.#ordinate()
      this.#ordinate()
      const absent = Number.isNaN(x) ? Number.NaN : 0
      if (has.hasZ) this.#ordinate()
      else if (this.#requested.hasZ) this.#put(absent)
      if (has.hasM) this.#ordinate()
      else if (this.#requested.hasM) this.#put(absent)
    }
  }

  #ordinate(): number {
    const value = this.#source.getFloat64(this.#at, true)
    this.#at += 8
    this.#put(value)
    return value
  }

  #put(value: number): void {
    this.#target.setFloat64(this.length, value, true)
    this.length += 8
  }
}
