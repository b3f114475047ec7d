import { geometryTypeName } from './wkb.ts'

const dimensionWords = ['', ' Z', ' M', ' ZM'] as const

class WktWriter {
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
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

  /** Empty for the NaN pair of an empty point. */
  #position(dimensions: number): string {
    const count = dimensions === 0 ? 2 : dimensions === 3 ? 4 : 3
    const isEmpty = Number.isNaN(this.#view.getFloat64(this.#at, true))
    let text = ''
    for (let i = 0; i < count; i += 1) {
      text += `${i === 0 ? '' : ' '}${this.#view.getFloat64(this.#at, true)}`
      this.#at += 8
    }
    return isEmpty ? '' : text
  }
}

/**
 * A geometry in this program's own form (`wkb.ts`, well-formed) as WKT (OGC 06-103r4 section 7), each number in the
 * shortest form that reads back the same.
 */
export function writeGeometryText(bytes: Uint8Array): string {
  return new WktWriter(bytes).geometry()
}
