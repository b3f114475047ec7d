import { geometryTypeName } from './wkb.ts'

const dimensionWords = ['', ' Z', ' M', ' ZM'] as const

/** Output options for a geometry's coordinates. */
export interface GeometryTextOptions {
  /** True writes y before x, for a CRS with that axis order. */
  isYx?: boolean
}

class WktWriter {
  readonly #view: DataView
  readonly #isYx: boolean
  #at = 0

  constructor(bytes: Uint8Array, isYx: boolean) {
    this.#isYx = isYx
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  geometry(): string {
    const type = this.#view.getUint32(this.#at + 1, true)
    this.#at += 5
    const typeCode = type % 1000
    const dimensions = (type - typeCode) / 1000
    const word = `${geometryTypeName(typeCode).toUpperCase()}${dimensionWords[dimensions]}`
    return `${word} ${this.#body(typeCode, dimensions)}`
  }

  #body(typeCode: number, dimensions: number): string {
    if (typeCode === 1) {
      const position = this.#position(dimensions)
      return position === '' ? 'EMPTY' : `(${position})`
    }
    const count = this.#view.getUint32(this.#at, true)
    this.#at += 4
    if (count === 0) return 'EMPTY'
    let text = '('
    for (let part = 0; part < count; part += 1) {
      if (part > 0) text += ','
      text += this.#part(typeCode, dimensions)
    }
    return `${text})`
  }

  #part(typeCode: number, dimensions: number): string {
    if (typeCode === 2) return this.#position(dimensions)
    if (typeCode === 7) return this.geometry()
    if (typeCode === 3) return this.#body(2, dimensions)
    this.#at += 5
    return this.#body(typeCode - 3, dimensions)
  }

  /** Returns a position as text; empty for the two NaN of an empty point. */
  #position(dimensions: number): string {
    const view = this.#view
    const count = dimensions === 0 ? 2 : dimensions === 3 ? 4 : 3
    const x = view.getFloat64(this.#at, true)
    const y = view.getFloat64(this.#at + 8, true)
    let text = this.#isYx ? `${y} ${x}` : `${x} ${y}`
    for (let i = 2; i < count; i += 1) text += ` ${view.getFloat64(this.#at + i * 8, true)}`
    this.#at += count * 8
    return Number.isNaN(x) ? '' : text
  }
}

/**
 * Writes a well-formed geometry in this program's own form (`wkb.ts`) as WKT (OGC 06-103r4 section 7), each
 * number in its shortest exact form.
 */
export function writeGeometryText(bytes: Uint8Array, options: GeometryTextOptions = {}): string {
  return new WktWriter(bytes, options.isYx ?? false).geometry()
}
