import { setImmediate } from 'node:timers/promises'
import type { Envelope } from '../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../geo/envelope.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { RingGroups } from './ring-groups.ts'
import { missingRingPoints } from './shape-geometry.ts'
import { noDataLimit, ShapeLayout } from './shape-layout.ts'
import type { ShapeRecords } from './shape-records.ts'
import type { ShapeType } from './shp-header.ts'

/** Number of ring assignment steps after which other work may run. */
export const pauseAfterWork = 2e7

/** Findings of one pass over the records of a layer. */
export class ShapeScan {
  /** The type in the header, or of the first shape if the header says Null. */
  type: ShapeType
  envelope: Envelope | undefined
  /** True if a line has several parts, or a polygon several outer rings. */
  isMulti = false
  /** True if a shape has a valid M. */
  hasMeasures = false
  /** Number of shapes with rings or lines that lack points. */
  incomplete = 0
  readonly #layout = new ShapeLayout()
  readonly #groups = new RingGroups()
  readonly #bounds = emptyEnvelope()

  constructor(type: ShapeType) {
    this.type = type
  }

  async run(records: ShapeRecords, signal: AbortSignal): Promise<void> {
    let pauseAt = pauseAfterWork
    while (records.tryNext() || (await records.load())) {
      if (records.problem !== undefined || records.length < 0) continue
      this.#scanShape(records.view, records.start, records.length)
      if (this.#groups.work < pauseAt) continue
      pauseAt = this.#groups.work + pauseAfterWork
      await setImmediate()
      signal.throwIfAborted()
    }
    this.envelope = isEmptyEnvelope(this.#bounds) ? undefined : this.#bounds
  }

  /** Skips an unreadable record, which `read` rejects. */
  #scanShape(view: DataView, start: number, length: number): void {
    const layout = this.#layout
    try {
      const type = layout.read(view, start, length)
      if (type.base === 'Null' || layout.pointCount === 0) return
      if (this.type.base === 'Null') this.type = type
      if (type.base !== this.type.base) return
      this.#expand(view, start, type)
      if (!this.hasMeasures && layout.mAt >= 0) this.#lookForMeasures(view)
      if (type.base === 'PolyLine') this.#lookAtLine(view)
      else if (type.base === 'Polygon') this.#lookAtPolygon(view)
    } catch (error) {
      if (!(error instanceof GeometryError)) throw error
    }
  }

  #expand(view: DataView, start: number, type: ShapeType): void {
    const minX = view.getFloat64(start + 4, true)
    const minY = view.getFloat64(start + 12, true)
    const maxX = type.base === 'Point' ? minX : view.getFloat64(start + 20, true)
    const maxY = type.base === 'Point' ? minY : view.getFloat64(start + 28, true)
    const bounds = this.#bounds
    if (!(Number.isFinite(minX) && Number.isFinite(minY) && minX <= maxX && minY <= maxY)) return
    if (!(Number.isFinite(maxX) && Number.isFinite(maxY))) return
    if (minX < bounds.minX) bounds.minX = minX
    if (minY < bounds.minY) bounds.minY = minY
    if (maxX > bounds.maxX) bounds.maxX = maxX
    if (maxY > bounds.maxY) bounds.maxY = maxY
  }

  #lookForMeasures(view: DataView): void {
    const { mAt, pointCount } = this.#layout
    for (let point = 0; point < pointCount && !this.hasMeasures; point += 1) {
      this.hasMeasures = view.getFloat64(mAt + point * 8, true) >= noDataLimit
    }
  }

  #lookAtLine(view: DataView): void {
    const layout = this.#layout
    let parts = 0
    let isIncomplete = false
    for (let part = 0; part < layout.partCount; part += 1) {
      const points = layout.partEnd(view, part) - layout.partStart(view, part)
      if (points > 0) parts += 1
      if (points === 1) isIncomplete = true
    }
    if (parts > 1) this.isMulti = true
    if (isIncomplete) this.incomplete += 1
  }

  #lookAtPolygon(view: DataView): void {
    const layout = this.#layout
    let isIncomplete = false
    for (let part = 0; part < layout.partCount; part += 1) {
      const from = layout.partStart(view, part)
      const to = layout.partEnd(view, part)
      if (to > from && missingRingPoints(view, layout, from, to) > 0) isIncomplete = true
    }
    if (isIncomplete) this.incomplete += 1
    if (layout.partCount < 2 || this.isMulti) return
    this.#groups.group(view, layout)
    if (this.#groups.outerCount > 1) this.isMulti = true
  }
}
