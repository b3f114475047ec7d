import { GeometryError } from '../../geo/wkb.ts'
import type { ShapeType } from './shp-header.ts'
import { findShapeType } from './shp-header.ts'

/** An M below this means no value (Technical Description, page 2). */
export const noDataLimit = -1e38

/** Offsets of the values of one record in its view (Technical Description, pages 5 to 19). */
export class ShapeLayout {
  type: ShapeType | undefined
  partCount = 0
  pointCount = 0
  partsAt = 0
  pointsAt = 0
  /** Offsets of the Z and M values; -1 if the record has none. */
  zAt = -1
  mAt = -1

  /**
   * Reads the layout of the record content `view[start, start + length)`; throws `GeometryError` if it is
   * inconsistent.
   */
  read(view: DataView, start: number, length: number): ShapeType {
    if (length < 4) throw new GeometryError(`The record holds ${length} bytes, which is not a shape`)
    const number = view.getInt32(start, true)
    const type = findShapeType(number)
    this.type = type
    if (type === undefined) throw new GeometryError(`Unknown shape type ${number}`)
    if (type.base === 'Null') return type
    if (type.base === 'Point') this.#readPoint(start, length, type)
    else this.#readPoints(view, start, length, type)
    return type
  }

  /** Returns the first point of a part. */
  partStart(view: DataView, part: number): number {
    return part === 0 ? 0 : view.getUint32(this.partsAt + part * 4, true)
  }

  /** Returns the index after the last point of a part. */
  partEnd(view: DataView, part: number): number {
    return part + 1 < this.partCount ? view.getUint32(this.partsAt + part * 4 + 4, true) : this.pointCount
  }

  #readPoint(start: number, length: number, type: ShapeType): void {
    const needed = type.hasZ || type.hasM ? 28 : 20
    if (length < needed) throw new GeometryError(`The record of a point holds ${length} of ${needed} bytes`)
    this.pointCount = 1
    this.partCount = 1
    this.pointsAt = start + 4
    this.zAt = type.hasZ ? start + 20 : -1
    this.mAt = type.hasM ? start + 20 : type.hasZ && length >= 36 ? start + 28 : -1
  }

  #readPoints(view: DataView, start: number, length: number, type: ShapeType): void {
    const hasParts = type.base !== 'MultiPoint'
    const fixed = hasParts ? 44 : 40
    if (length < fixed) throw new GeometryError(`The record holds ${length} of at least ${fixed} bytes`)
    this.partCount = hasParts ? view.getUint32(start + 36, true) : 1
    this.pointCount = view.getUint32(start + fixed - 4, true)
    this.partsAt = start + fixed
    const points = fixed + (hasParts ? this.partCount * 4 : 0)
    const behind = points + this.pointCount * 16
    const ordinates = 16 + this.pointCount * 8
    const needed = type.hasZ ? behind + ordinates : behind
    if (needed > length) {
      const counts = `${hasParts ? `${this.partCount} parts and ` : ''}${this.pointCount} points`
      throw new GeometryError(`The record says ${counts}, which take ${needed} bytes, and holds ${length}`)
    }
    this.pointsAt = start + points
    this.zAt = type.hasZ ? start + behind + 16 : -1
    this.mAt = (type.hasZ || type.hasM) && needed + ordinates <= length ? start + needed + 16 : -1
    if (hasParts) this.#checkParts(view)
  }

  #checkParts(view: DataView): void {
    if (this.pointCount > 0 && this.partCount === 0)
      throw new GeometryError('The record has points but no part')
    let last = 0
    for (let part = 0; part < this.partCount; part += 1) {
      const first = view.getUint32(this.partsAt + part * 4, true)
      if (first < last || first > this.pointCount || (part === 0 && first !== 0)) {
        throw new GeometryError(
          `Part ${part + 1} starts at point ${first}; the part before at ${last}, and there are ${this.pointCount} points`,
        )
      }
      last = first
    }
  }
}
