import type { Coordinate, JtsGeometry } from './jts-relations.ts'
import { jtsRelations } from './jts-relations.ts'

/** Creates geometries of JTS. */
export const factory = new jtsRelations.GeometryFactory()

/**
 * A little-endian ISO WKB at `offset` as a geometry of JTS, without Z and M, its coordinates multiplied by `scale` and
 * moved by `shift` in x; the WKB is well-formed.
 */
export function jtsGeometry(
  bytes: Uint8Array,
  offset: number,
  scale: readonly [x: number, y: number] = [1, 1],
  shift = 0,
): JtsGeometry {
  return new WkbToJts(bytes, offset, scale, shift).geometry()
}

class WkbToJts {
  readonly #view: DataView
  #at: number
  #ordinates = 2
  readonly #scale: readonly [x: number, y: number]
  readonly #shift: number

  constructor(bytes: Uint8Array, offset: number, scale: readonly [x: number, y: number], shift: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = offset
    this.#scale = scale
    this.#shift = shift
  }

  geometry(): JtsGeometry {
    const type = this.#view.getUint32(this.#at + 1, true)
    const thousands = Math.floor(type / 1000)
    this.#ordinates = thousands === 0 ? 2 : thousands === 3 ? 4 : 3
    this.#at += 5
    switch (type % 1000) {
      case 1: {
        const place = this.#coordinate()
        return Number.isNaN(place.x) ? factory.createPoint() : factory.createPoint(place)
      }
      case 2:
        return factory.createLineString(this.#coordinates())
      case 3:
        return this.#polygon()
      case 4:
        return factory.createMultiPoint(this.#parts())
      case 5:
        return factory.createMultiLineString(this.#parts())
      case 6:
        return factory.createMultiPolygon(this.#parts())
      default:
        return factory.createGeometryCollection(this.#parts())
    }
  }

  #polygon(): JtsGeometry {
    const [shell, ...holes] = Array.from({ length: this.#count() }, () => this.#coordinates())
    if (shell === undefined) return factory.createPolygon()
    const ring = (places: Coordinate[]): JtsGeometry => factory.createLinearRing(places)
    return factory.createPolygon(ring(shell), holes.map(ring))
  }

  #parts(): JtsGeometry[] {
    return Array.from({ length: this.#count() }, () => this.geometry())
  }

  #coordinates(): Coordinate[] {
    return Array.from({ length: this.#count() }, () => this.#coordinate())
  }

  #count(): number {
    this.#at += 4
    return this.#view.getUint32(this.#at - 4, true)
  }

  #coordinate(): Coordinate {
    const x = this.#view.getFloat64(this.#at, true)
    const y = this.#view.getFloat64(this.#at + 8, true)
    this.#at += this.#ordinates * 8
    return new jtsRelations.Coordinate(x * this.#scale[0] + this.#shift, y * this.#scale[1])
  }
}
