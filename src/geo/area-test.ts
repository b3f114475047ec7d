import { exactSideOf } from './validity/orientation.ts'
import { GeometryError } from './wkb.ts'

const maxDepth = 32

/** Relation of an envelope to an area: entirely inside, entirely outside, or undetermined. */
export type EnvelopeRelation = 'within' | 'apart' | 'across'

/**
 * Tests exactly whether geometries share a point with an area: boundaries count, an empty geometry matches
 * nothing, Z and M are ignored. Accepts any WKB or EWKB of the types that `WkbScanner` supports; unclosed
 * rings are closed.
 */
export abstract class AreaTest {
  protected view: DataView = new DataView(new ArrayBuffer(0))
  protected at = 0
  /** Byte order of the vertices being read. */
  protected isLittle = true
  protected stride = 16
  /** True if a fixed point of the area's boundary is inside the last ring. */
  protected isAround = false

  /**
   * Returns true if the geometry at `start` shares a point with the area. Throws `GeometryError` if the bytes
   * that had to be read are malformed.
   */
  touches(bytes: Uint8Array, start = 0): boolean {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = start
    try {
      return this.#geometry(0)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new GeometryError('Geometry ends early')
    }
  }

  /** Returns the relation of everything inside an envelope. */
  abstract relationTo(minX: number, minY: number, maxX: number, maxY: number): EnvelopeRelation

  /**
   * Reads `count` vertices from `at` on, and advances past them; returns true as soon as one of them, or the
   * segment to it, meets the area. Sets `isAround`.
   */
  protected abstract walk(count: number, isRing: boolean): boolean

  #geometry(depth: number): boolean {
    if (depth > maxDepth) throw new GeometryError(`Geometry is nested more than ${maxDepth} deep`)
    const typeCode = this.#header()
    if (typeCode === 1) return this.walk(1, false)
    if (typeCode === 2) return this.walk(this.#count(), false)
    if (typeCode === 3) return this.#polygon()
    if (typeCode < 4 || typeCode > 7) throw new GeometryError(`Geometry type ${typeCode} is not supported`)
    const parts = this.#count()
    for (let part = 0; part < parts; part += 1) if (this.#geometry(depth + 1)) return true
    return false
  }

  /**
   * Reads the byte order, the dimensions and the base type of a geometry, in ISO or extended form. Returns
   * the type.
   */
  #header(): number {
    const order = this.view.getUint8(this.at)
    if (order > 1) throw new GeometryError(`Unknown WKB byte order ${order}`)
    this.isLittle = order === 1
    const type = this.view.getUint32(this.at + 1, this.isLittle)
    this.at += (type & 0x20000000) === 0 ? 5 : 9
    const iso = type & 0x0fffffff
    const thousands = Math.floor(iso / 1000)
    if (thousands > 3) throw new GeometryError(`Unknown WKB type ${iso}`)
    const hasZ = (type & 0x80000000) !== 0 || thousands === 1 || thousands === 3
    const hasM = (type & 0x40000000) !== 0 || thousands === 2 || thousands === 3
    this.stride = 16 + (hasZ ? 8 : 0) + (hasM ? 8 : 0)
    return iso % 1000
  }

  #count(): number {
    const count = this.view.getUint32(this.at, this.isLittle)
    this.at += 4
    return count
  }

  /**
   * An area whose boundary meets no ring is inside the polygon, inside a hole, or outside, as is any one of
   * its points.
   */
  #polygon(): boolean {
    const rings = this.#count()
    let isWithin = false
    for (let ring = 0; ring < rings; ring += 1) {
      if (this.walk(this.#count(), true)) return true
      if (ring === 0) isWithin = this.isAround
      else if (this.isAround) isWithin = false
    }
    return isWithin
  }
}

/** True if an edge that crosses the height of a point does so to the right of it. */
export function isRightOf(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  return exactSideOf(ax, ay, bx, by, x, y) > 0 === by > ay
}
