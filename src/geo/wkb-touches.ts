import type { Envelope } from './envelope.ts'
import { exactSideOf } from './exact-side.ts'
import { GeometryError } from './wkb.ts'

const maxDepth = 32
const [toLeft, toRight, below, above] = [1, 2, 4, 8]

/**
 * Whether geometries share a point with a box, exactly: boundaries count, an empty geometry touches nothing, Z and M do
 * not matter. Takes any WKB or EWKB of the types that `WkbScanner` knows; rings are closed where they are not.
 */
export class BoxTest {
  readonly #box: Envelope
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0
  /** Of the vertices that are read: byte order and width. */
  #isLittle = true
  #stride = 16
  /** Whether the corner of the box lies within the ring last walked. */
  #isAround = false

  constructor(box: Envelope) {
    this.#box = box
  }

  /** Throws `GeometryError` where the bytes from `start` on are not well-formed as far as they had to be read. */
  touches(bytes: Uint8Array, start = 0): boolean {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = start
    try {
      return this.#geometry(0)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new GeometryError('Geometry ends early')
    }
  }

  #geometry(depth: number): boolean {
    if (depth > maxDepth) throw new GeometryError(`Geometry is nested more than ${maxDepth} deep`)
    const typeCode = this.#header()
    if (typeCode === 1) return this.#walk(1)
    if (typeCode === 2) return this.#walk(this.#count())
    if (typeCode === 3) return this.#polygon()
    if (typeCode < 4 || typeCode > 7) throw new GeometryError(`Geometry type ${typeCode} is not supported`)
    const parts = this.#count()
    for (let part = 0; part < parts; part += 1) if (this.#geometry(depth + 1)) return true
    return false
  }

  /** Byte order and dimensions of what follows, and its type without them (ISO and extended form). */
  #header(): number {
    const order = this.#view.getUint8(this.#at)
    if (order > 1) throw new GeometryError(`Unknown WKB byte order ${order}`)
    this.#isLittle = order === 1
    const type = this.#view.getUint32(this.#at + 1, this.#isLittle)
    this.#at += (type & 0x20000000) === 0 ? 5 : 9
    const iso = type & 0x0fffffff
    const thousands = Math.floor(iso / 1000)
    if (thousands > 3) throw new GeometryError(`Unknown WKB type ${iso}`)
    const hasZ = (type & 0x80000000) !== 0 || thousands === 1 || thousands === 3
    const hasM = (type & 0x40000000) !== 0 || thousands === 2 || thousands === 3
    this.#stride = 16 + (hasZ ? 8 : 0) + (hasM ? 8 : 0)
    return iso % 1000
  }

  #count(): number {
    const count = this.#view.getUint32(this.#at, this.#isLittle)
    this.#at += 4
    return count
  }

  /** A box that meets no ring lies within the polygon, or within a hole, or outside: as any one of its points. */
  #polygon(): boolean {
    const rings = this.#count()
    let isWithin = false
    for (let ring = 0; ring < rings; ring += 1) {
      if (this.#walk(this.#count(), true)) return true
      if (ring === 0) isWithin = this.#isAround
      else if (this.#isAround) isWithin = false
    }
    return isWithin
  }

  /** Walks vertices; true as soon as one of them, or the segment to it, meets the box. */
  #walk(count: number, isRing = false): boolean {
    const { minX, minY, maxX, maxY } = this.#box
    const view = this.#view
    const isLittle = this.#isLittle
    const stop = this.#at + count * this.#stride
    const last = isRing && count > 0 ? stop - this.#stride : this.#at
    this.#isAround = false
    if (count === 0) return false
    let fromX = view.getFloat64(last, isLittle)
    let fromY = view.getFloat64(last + 8, isLittle)
    let fromSides = sidesOf(fromX, fromY, this.#box)
    for (let at = this.#at; at < stop; at += this.#stride) {
      const x = view.getFloat64(at, isLittle)
      const y = view.getFloat64(at + 8, isLittle)
      if (x >= minX && x <= maxX && y >= minY && y <= maxY) return true
      const sides = sidesOf(x, y, this.#box)
      if ((sides & fromSides) === 0 && cuts(fromX, fromY, x, y, this.#box)) return true
      if (isRing && y > minY !== fromY > minY && isRightOf(fromX, fromY, x, y, minX, minY)) {
        this.#isAround = !this.#isAround
      }
      fromX = x
      fromY = y
      fromSides = sides
    }
    this.#at = stop
    return false
  }
}

function sidesOf(x: number, y: number, { minX, minY, maxX, maxY }: Envelope): number {
  return (x < minX ? toLeft : x > maxX ? toRight : 0) | (y < minY ? below : y > maxY ? above : 0)
}

/** Whether a segment with both ends outside, on no common side, meets the box: then its corners lie on both sides. */
function cuts(ax: number, ay: number, bx: number, by: number, box: Envelope): boolean {
  if (Number.isNaN(ax)) return false
  const { minX, minY, maxX, maxY } = box
  const first = exactSideOf(ax, ay, bx, by, minX, minY)
  return (
    first === 0 ||
    exactSideOf(ax, ay, bx, by, maxX, minY) !== first ||
    exactSideOf(ax, ay, bx, by, maxX, maxY) !== first ||
    exactSideOf(ax, ay, bx, by, minX, maxY) !== first
  )
}

/** Whether an edge that passes the height of a point does so to the right of it. */
function isRightOf(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  return exactSideOf(ax, ay, bx, by, x, y) > 0 === by > ay
}
