import type { FeatureBatch } from './batch.ts'
import { isValid } from './column.ts'
import type { ProjectedPoint, Reprojector } from './crs-projector.ts'
import type { GeometryColumn } from './geometry-builder.ts'
import { walkCoordinates } from './wkb.ts'

/** A reprojected geometry column, and the rows with a point that has no image in the target CRS. */
export interface ReprojectedGeometry {
  geometry: GeometryColumn
  failedRows: number[]
}

/**
 * Returns a copy of the column with all x and y transformed; Z and M are unchanged. Envelopes are recomputed.
 * Failed rows contain partly transformed coordinates and must not be used.
 */
export async function reprojectGeometry(
  geometry: GeometryColumn,
  rows: number,
  reprojector: Reprojector,
): Promise<ReprojectedGeometry> {
  const { transformPlace } = reprojector
  if (transformPlace !== undefined) return reprojectRows(geometry, rows, transformPlace)
  const coordinates = gather(geometry, rows)
  await reprojector.transform(coordinates)
  let at = 0
  return reprojectRows(geometry, rows, (place) => {
    place.x = coordinates[at] as number
    place.y = coordinates[at + 1] as number
    at += 3
  })
}

function hasHeight(view: DataView, offset: number): boolean {
  const thousands = Math.floor(view.getUint32(offset + 1, true) / 1000)
  return thousands === 1 || thousands === 3
}

function isEmptyPoint(view: DataView, at: number): boolean {
  return Number.isNaN(view.getFloat64(at, true))
}

/** Returns x, y and height of every point in the order of the walk, except empty points. */
function gather(geometry: GeometryColumn, rows: number): Float64Array {
  const view = new DataView(geometry.bytes.buffer, geometry.bytes.byteOffset, geometry.bytes.byteLength)
  let coordinates = new Float64Array(Math.ceil((geometry.bytes.byteLength / 16) * 3) + 3)
  let used = 0
  for (let row = 0; row < rows; row += 1) {
    if (!isValid(geometry.validity, row)) continue
    const start = geometry.offsets[row] as number
    const isHigh = hasHeight(view, start)
    walkCoordinates(view, start, (offset, count, dimensions) => {
      for (let i = 0, at = offset; i < count; i += 1, at += dimensions * 8) {
        if (isEmptyPoint(view, at)) continue
        coordinates[used] = view.getFloat64(at, true)
        coordinates[used + 1] = view.getFloat64(at + 8, true)
        coordinates[used + 2] = isHigh ? view.getFloat64(at + 16, true) : 0
        used += 3
      }
    })
  }
  coordinates = coordinates.subarray(0, used)
  return coordinates
}

function reprojectRows(
  geometry: GeometryColumn,
  rows: number,
  transform: (place: ProjectedPoint, height: number) => void,
): ReprojectedGeometry {
  const bytes = geometry.bytes.slice()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const envelopes = new Float64Array(rows * 4).fill(Number.NaN)
  const failedRows: number[] = []
  const run = new CoordinateRun(view, transform)
  for (let row = 0; row < rows; row += 1) {
    if (!isValid(geometry.validity, row)) continue
    const start = geometry.offsets[row] as number
    run.begin()
    if (view.getUint32(start + 1, true) === 1) run.points(start + 5, 1, 2)
    else walkCoordinates(view, start, hasHeight(view, start) ? run.high : run.flat)
    if (run.isFinite()) run.writeEnvelope(envelopes, row * 4)
    else failedRows.push(row)
  }
  return { geometry: { ...geometry, bytes, envelopes }, failedRows }
}

/** Transforms the points of geometries in sequence and accumulates the envelope. */
class CoordinateRun {
  readonly flat = (offset: number, count: number, dimensions: number): void =>
    this.points(offset, count, dimensions)
  readonly high = (offset: number, count: number, dimensions: number): void =>
    this.points(offset, count, dimensions, true)
  readonly #view: DataView
  readonly #transform: (place: ProjectedPoint, height: number) => void
  readonly #place: ProjectedPoint = { x: 0, y: 0 }
  #minX = 0
  #minY = 0
  #maxX = 0
  #maxY = 0
  /** Stays 0 while every coordinate is finite. */
  #residue = 0

  constructor(view: DataView, transform: (place: ProjectedPoint, height: number) => void) {
    this.#view = view
    this.#transform = transform
  }

  begin(): void {
    this.#minX = Number.POSITIVE_INFINITY
    this.#minY = Number.POSITIVE_INFINITY
    this.#maxX = Number.NEGATIVE_INFINITY
    this.#maxY = Number.NEGATIVE_INFINITY
    this.#residue = 0
  }

  /** True if every point since `begin` has an image. */
  isFinite(): boolean {
    return this.#residue === 0
  }

  /** Transforms a run of points. The NaN of an empty point stays. */
  points(offset: number, count: number, dimensions: number, isHigh = false): void {
    const view = this.#view
    const place = this.#place
    const stride = dimensions * 8
    const end = offset + count * stride
    for (let at = offset; at < end; at += stride) {
      const x = view.getFloat64(at, true)
      if (Number.isNaN(x)) continue
      place.x = x
      place.y = view.getFloat64(at + 8, true)
      this.#transform(place, isHigh ? view.getFloat64(at + 16, true) : 0)
      const { x: newX, y: newY } = place
      view.setFloat64(at, newX, true)
      view.setFloat64(at + 8, newY, true)
      this.#residue += newX * 0 + newY * 0
      if (newX < this.#minX) this.#minX = newX
      if (newX > this.#maxX) this.#maxX = newX
      if (newY < this.#minY) this.#minY = newY
      if (newY > this.#maxY) this.#maxY = newY
    }
  }

  writeEnvelope(envelopes: Float64Array, at: number): void {
    if (this.#minX > this.#maxX) return
    envelopes[at] = this.#minX
    envelopes[at + 1] = this.#minY
    envelopes[at + 2] = this.#maxX
    envelopes[at + 3] = this.#maxY
  }
}

/** Returns the batch in the target CRS. A geometry without an image there becomes null; its row stays. */
export async function reprojectBatch(
  batch: FeatureBatch,
  reprojector: Reprojector | undefined,
): Promise<FeatureBatch> {
  if (reprojector === undefined || reprojector.isIdentity || batch.geometry === undefined) return batch
  const { geometry, failedRows } = await reprojectGeometry(batch.geometry, batch.rowCount, reprojector)
  const validity = geometry.validity.slice()
  for (const row of failedRows) validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7))
  return { ...batch, geometry: { ...geometry, validity } }
}
