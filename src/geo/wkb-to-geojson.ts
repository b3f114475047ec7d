import type { GeometryType } from './schema.ts'
import { geometryTypeName } from './wkb.ts'

/** Output options for a geometry's coordinates. */
export interface GeometryJsonOptions {
  /** True writes y before x, for a CRS with that axis order. */
  isYx?: boolean
}

class JsonWriter {
  readonly #view: DataView
  readonly #isYx: boolean
  #at = 0

  constructor(bytes: Uint8Array, isYx: boolean) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#isYx = isYx
  }

  geometry(): string {
    const type = this.#view.getUint32(this.#at + 1, true)
    this.#at += 5
    const typeCode = type % 1000
    const name: GeometryType = geometryTypeName(typeCode)
    const dimensions = (type - typeCode) / 1000
    const member = typeCode === 7 ? 'geometries' : 'coordinates'
    return `{"type":"${name}","${member}":${this.#body(typeCode, dimensions)}}`
  }

  #body(typeCode: number, dimensions: number): string {
    if (typeCode === 1) return this.#position(dimensions)
    const count = this.#view.getUint32(this.#at, true)
    this.#at += 4
    if (typeCode === 2) return this.#positions(count, dimensions)
    let text = '['
    for (let part = 0; part < count; part += 1) {
      if (part > 0) text += ','
      text += this.#part(typeCode, dimensions)
    }
    return `${text}]`
  }

  #part(typeCode: number, dimensions: number): string {
    if (typeCode === 7) return this.geometry()
    if (typeCode === 3) {
      const count = this.#view.getUint32(this.#at, true)
      this.#at += 4
      return this.#positions(count, dimensions)
    }
    this.#at += 5
    return this.#body(typeCode - 3, dimensions)
  }

  #positions(count: number, dimensions: number): string {
    let text = '['
    for (let i = 0; i < count; i += 1) {
      if (i > 0) text += ','
      text += this.#position(dimensions)
    }
    return `${text}]`
  }

  /** `dimensions`: 0 xy, 1 xyz, 2 xym, 3 xyzm. GeoJSON has no M. */
  #position(dimensions: number): string {
    const view = this.#view
    const x = view.getFloat64(this.#at, true)
    const y = view.getFloat64(this.#at + 8, true)
    const hasZ = (dimensions & 1) === 1
    const z = hasZ ? view.getFloat64(this.#at + 16, true) : Number.NaN
    this.#at += 16 + (hasZ ? 8 : 0) + (dimensions >= 2 ? 8 : 0)
    if (Number.isNaN(x)) return '[]'
    const xy = this.#isYx ? `${y},${x}` : `${x},${y}`
    return Number.isFinite(z) ? `[${xy},${z}]` : `[${xy}]`
  }
}

/**
 * Writes a well-formed geometry in this program's own form (`wkb.ts`) as GeoJSON text (RFC 7946 section 3.1),
 * each number in its shortest exact form. M is omitted; an empty geometry has an empty coordinates array.
 */
export function writeGeometryJson(bytes: Uint8Array, options: GeometryJsonOptions = {}): string {
  return new JsonWriter(bytes, options.isYx ?? false).geometry()
}
