import type { GeometryField } from '../../../geo/schema.ts'
import { geometryTypeCode } from '../../../geo/wkb.ts'
import type { FlatGeobufTableWriter } from './table-writer.ts'

/** Coordinates of one geometry table. */
interface Ordinates {
  xy: number[]
  z: number[]
  m: number[]
  ends: number[]
}

/** Writes geometries from Terrane's internal WKB as tables (feature.fbs). */
export class FgbGeometryWriter {
  readonly #out: FlatGeobufTableWriter
  readonly #hasZ: boolean
  readonly #hasM: boolean
  /** Type in the header; 0 if each geometry has its own. */
  readonly #type: number
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0

  constructor(out: FlatGeobufTableWriter, { type, hasZ, hasM }: GeometryField) {
    this.#out = out
    this.#type = geometryTypeCode(type)
    this.#hasZ = hasZ
    this.#hasM = hasM
  }

  /** Writes the table that the field at `offset` refers to. Throws if the header declares another type. */
  write(offset: number, wkb: Uint8Array): void {
    this.#view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
    this.#at = 0
    const found = this.#view.getUint32(1, true) % 1000
    if (this.#type === 0 || found === this.#type) this.#geometry(offset)
    else if (found + 3 === this.#type) this.#promoted(offset, found)
    else throw new Error(`A layer of geometries of type ${this.#type} holds one of type ${found}`)
  }

  /** Writes a single geometry as the only part of a multi geometry. */
  #promoted(offset: number, found: number): void {
    if (found === 3) this.#parts(offset, 6, 1)
    else {
      const gathered = this.#begin()
      const dimensions = this.#header()
      if (found === 1) this.#position(gathered, dimensions)
      else this.#line(gathered, dimensions)
      if (found === 2) gathered.ends.push(gathered.xy.length / 2)
      this.#table(offset, this.#type, gathered)
    }
  }

  #begin(): Ordinates {
    return { xy: [], z: [], m: [], ends: [] }
  }

  /** Skips a header; returns 0 for xy, 1 xyz, 2 xym, 3 xyzm. */
  #header(): number {
    const type = this.#view.getUint32(this.#at + 1, true)
    this.#at += 5
    return Math.floor(type / 1000)
  }

  #count(): number {
    const count = this.#view.getUint32(this.#at, true)
    this.#at += 4
    return count
  }

  #geometry(offset: number): void {
    const type = this.#view.getUint32(this.#at + 1, true) % 1000
    const dimensions = this.#header()
    if (type >= 6) {
      this.#parts(offset, type, this.#count())
      return
    }
    const gathered = this.#begin()
    if (type === 1) this.#position(gathered, dimensions)
    else if (type === 2) this.#line(gathered, dimensions)
    else {
      const count = this.#count()
      for (let part = 0; part < count; part += 1) {
        const own = type === 3 ? dimensions : this.#header()
        if (type === 4) this.#position(gathered, own)
        else this.#line(gathered, own)
        if (type !== 4) gathered.ends.push(gathered.xy.length / 2)
      }
    }
    this.#table(offset, type, gathered)
  }

  /** Writes the parts of a multipolygon or a collection. */
  #parts(offset: number, type: number, count: number): void {
    const out = this.#out
    const [, , , , , , kind = 0, parts = 0] = out.table(offset, [0, 0, 0, 0, 0, 0, 1, 4])
    out.view.setUint8(kind, type)
    for (const part of out.tables(parts, count)) this.#geometry(part)
  }

  #line(gathered: Ordinates, dimensions: number): void {
    const count = this.#count()
    for (let point = 0; point < count; point += 1) this.#position(gathered, dimensions)
  }

  #position(gathered: Ordinates, dimensions: number): void {
    const view = this.#view
    const x = view.getFloat64(this.#at, true)
    const y = view.getFloat64(this.#at + 8, true)
    const hasZ = (dimensions & 1) === 1
    const z = hasZ ? view.getFloat64(this.#at + 16, true) : Number.NaN
    const m = dimensions >= 2 ? view.getFloat64(this.#at + (hasZ ? 24 : 16), true) : Number.NaN
    this.#at += 16 + (hasZ ? 8 : 0) + (dimensions >= 2 ? 8 : 0)
    gathered.xy.push(x, y)
    gathered.z.push(z)
    gathered.m.push(m)
  }

  #table(offset: number, type: number, { xy, z, m, ends }: Ordinates): void {
    const out = this.#out
    // A single ring needs no ends; readers expect ends for lines in any case.
    const endsSize = type === 5 || ends.length > 1 || (ends.length === 1 && xy.length === 0) ? 4 : 0
    const slots = [endsSize, 4, this.#hasZ ? 4 : 0, this.#hasM ? 4 : 0, 0, 0, 1]
    const [endsPlace = 0, xyPlace = 0, zPlace = 0, mPlace = 0, , , kind = 0] = out.table(offset, slots)
    out.view.setUint8(kind, type)
    if (endsSize > 0) out.uint32s(endsPlace, ends)
    out.float64s(xyPlace, xy)
    if (this.#hasZ) out.float64s(zPlace, z)
    if (this.#hasM) out.float64s(mPlace, m)
  }
}
