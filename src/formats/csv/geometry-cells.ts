import { asciiText } from '../../core/values/decimal.ts'
import { linearWkb } from '../../geo/curves/curve-wkb.ts'
import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { GeometryShape } from '../../geo/geometry-shape.ts'
import { CurveError, GeometryError, normalizeWkb, WkbScanner } from '../../geo/wkb.ts'
import { writeGeometryText } from '../../geo/wkb-to-wkt.ts'
import { looksLikeWkt, WktReader } from '../../geo/wkt.ts'
import { geometryFromJson } from '../geojson/geometry-from-json.ts'

/** Encodings of geometries in the cells of a column, with names for users. */
export type CellForm = 'WKT' | 'hexadecimal WKB' | 'GeoJSON'

/** Byte order and type of WKB, as PostgreSQL writes `geometry` and `bytea`. */
const hexBeginning = /^\s*(?:\\x)?0[01][\da-f]{8,}\s*$/i
const jsonBeginning = /^\s*\{\s*"(?:type|coordinates|geometries|crs|bbox)"\s*:/

const brace = 0x7b
const zero = 0x30
const backslash = 0x5c

/**
 * Returns the geometry encoding of a column from the start of its first cell; undefined if it is not a
 * geometry.
 */
export function findCellForm(beginning: string): CellForm | undefined {
  if (looksLikeWkt(beginning)) return 'WKT'
  if (hexBeginning.test(beginning)) return 'hexadecimal WKB'
  return jsonBeginning.test(beginning) ? 'GeoJSON' : undefined
}

/**
 * Reads geometries from cells into a geometry builder: WKT and EWKT, hexadecimal WKB and EWKB, GeoJSON. Each
 * cell is read in its own encoding, since corrected rows may use another one than the file.
 */
export class GeometryCells {
  /** True if the last geometry was a curve or a surface. */
  isCurve = false
  /** SRID of the last geometry, 0 without one. */
  srid = 0
  readonly #wkt: WktReader
  readonly #scanner = new WkbScanner()

  constructor(shape: GeometryShape) {
    this.#wkt = new WktReader(shape)
  }

  /** Type code of the last geometry, before its conversion to the type of the column. */
  get typeCode(): number {
    return this.#wkt.typeCode
  }

  get hasZ(): boolean {
    return this.#wkt.hasZ
  }

  get hasM(): boolean {
    return this.#wkt.hasM
  }

  /** Appends the geometry in `bytes[start, end)`; throws `GeometryError` without changing the builder. */
  read(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): void {
    const form = formOf(bytes, start, end)
    if (form === 'WKT') {
      this.#wkt.read(bytes, start, end, builder)
      this.isCurve = this.#wkt.isCurve
      this.srid = this.#wkt.srid
      return
    }
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
    this.isCurve = false
    this.srid = 0
    const wkb =
      form === 'GeoJSON' ? wkbOfJson(text.toString()) : this.#wkbOfHex(asciiText(text, 0, text.length))
    const wkt = Buffer.from(writeGeometryText(wkb))
    this.#wkt.read(wkt, 0, wkt.length, builder)
  }

  #wkbOfHex(text: string): Uint8Array {
    const digits = text.trim().replace(/^\\x/, '')
    if (digits.length % 2 === 1 || /[^\da-f]/i.test(digits))
      throw new GeometryError('The cell is not a hexadecimal number')
    const wkb = Buffer.from(digits, 'hex')
    const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
    this.srid = sridOf(view)
    try {
      this.#scanner.scan(view, 0)
    } catch (error) {
      if (!(error instanceof CurveError)) throw error
      this.isCurve = true
      return linearWkb(wkb, 0, wkb.length)
    }
    const { end } = this.#scanner
    if (end < wkb.length) throw new GeometryError(`${wkb.length - end} bytes stand behind the geometry`)
    return normalizeWkb(wkb)
  }
}

function formOf(bytes: Uint8Array, start: number, end: number): CellForm {
  let at = start
  while (at < end && (bytes[at] as number) <= 0x20) at += 1
  const first = bytes[at]
  if (first === brace) return 'GeoJSON'
  return first === zero || first === backslash ? 'hexadecimal WKB' : 'WKT'
}

function wkbOfJson(text: string): Uint8Array {
  return geometryFromJson(text).finish().bytes
}

/** Returns the SRID of EWKB; 0 if there is none. */
function sridOf(view: DataView): number {
  if (view.byteLength < 9) return 0
  const isLittle = view.getUint8(0) === 1
  return (view.getUint32(1, isLittle) & 0x20000000) === 0 ? 0 : view.getInt32(5, isLittle)
}
